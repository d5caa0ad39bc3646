"""Stories in which pods go for their devices' taints."""

from __future__ import annotations

from kubegang.app.controllers.claims import DEVICE_TAINTS
from kubegang.client.resources import (
    DEVICETAINTRULES,
    PODS,
    RESOURCECLAIMS,
    RESOURCESLICES,
)
from tests.component.claimobjects import Json, by_name, pod_with, reservation
from tests.component.jobobjects import NS, Users
from tests.component.storyrows import Row
from tests.component.taintobjects import allocated_claim, slice_of, taint, taint_rule


async def use_device(users: Users, name: str, device: str, *, patience: int) -> None:
    """Make a pod on a node whose claim has a device and tolerates the rule for a time."""
    toleration: Json = {"key": "admin", "operator": "Exists", "effect": "NoExecute"}
    claim, status = allocated_claim(
        name, device, tolerations=[{**toleration, "tolerationSeconds": patience}]
    )
    await users.api.create(RESOURCECLAIMS, claim, NS)
    pod = pod_with(name, by_name("e", name), node="n1")
    # Gone at once: nobody runs it.
    pod["spec"]["terminationGracePeriodSeconds"] = 0
    made = await users.api.create(PODS, pod, NS)
    status["reservedFor"] = [reservation(made)]
    await users.api.patch(RESOURCECLAIMS, name, NS, patch={"status": status}, subresource="status")


async def devices_are_tainted(users: Users) -> None:
    await users.make_node("n1")
    await users.api.create(RESOURCESLICES, slice_of(d0=[], d1=[]))
    await use_device(users, "p", "d0", patience=0)
    await use_device(users, "q", "d1", patience=15)
    await users.wait(2)
    await users.api.create(DEVICETAINTRULES, taint_rule("r", effect="None"))
    await users.wait(12)
    await users.api.patch(
        RESOURCESLICES, "s", patch={"spec": slice_of(d0=[taint("hot")], d1=[])["spec"]}
    )
    await users.wait(2)
    patch = {"spec": {"taint": {"effect": "NoExecute"}}}
    await users.api.patch(DEVICETAINTRULES, "r", patch=patch)
    await users.wait(40)
    # A restarted controller counts anew who went, so the end must not depend on that.
    await users.api.delete(DEVICETAINTRULES, "r")


ROWS: dict[str, Row] = {
    "devices are tainted": Row(
        devices_are_tainted, (DEVICE_TAINTS,), (PODS, RESOURCECLAIMS, RESOURCESLICES)
    )
}
