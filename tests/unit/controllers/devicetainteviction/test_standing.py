"""When a pod has to go for the devices of its claims."""

from __future__ import annotations

from typing import Any

import pytest

from kubegang.apimachinery.times import parse_time
from kubegang.controllers.devicetainteviction.settings import DeviceTaintSettings
from kubegang.controllers.devicetainteviction.standing import Standing
from tests.component.claimobjects import Json
from tests.component.taintobjects import NS, allocated_claim, slice_of, taint, taint_rule

ADDED = "2026-11-01T00:00:00Z"


def claim(name: str, device: str, *, seconds: int | None = None, users: tuple[str, ...]) -> Json:
    """Return a claim with a device; with ``seconds`` it tolerates every taint for so long."""
    everything = {"operator": "Exists", "effect": "NoExecute", "tolerationSeconds": seconds}
    tolerations = [] if seconds is None else [everything]
    made, status = allocated_claim(name, device, tolerations=tolerations)
    made["metadata"]["namespace"] = NS
    reserved = [{"resource": "pods", "name": user, "uid": user} for user in users]
    return {**made, "status": {**status, "reservedFor": reserved}}


def pod(*claims: str, made: str = "", node: str = "n1") -> Json:
    """Return pod p with claims by name, and perhaps one from a template."""
    entries: list[Json] = [{"name": name, "resourceClaimName": name} for name in claims]
    status: Json = {}
    if made:
        entries.append({"name": "e", "resourceClaimTemplateName": "t"})
        status["resourceClaimStatuses"] = [{"name": "e", "resourceClaimName": made}]
    spec = {"nodeName": node, "resourceClaims": entries}
    metadata = {"name": "p", "namespace": NS, "uid": "p"}
    return {"kind": "Pod", "metadata": metadata, "spec": spec, "status": status}


def standing(*claims: Json) -> Standing:
    """Return what is known where devices d0 and d1 are tainted, d1 a minute later."""
    known = Standing(DeviceTaintSettings())
    later = {**taint("hot"), "timeAdded": "2026-11-01T00:01:00Z"}
    known.set_slice(None, slice_of(d0=[{**taint("hot"), "timeAdded": ADDED}], d1=[later], d2=[]))
    for one in claims:
        known.set_claim(one)
    return known


def goes_after(known: Standing, who: Json) -> float | None:
    eviction = known.pod_eviction(who)
    return None if eviction is None else eviction.at - parse_time(ADDED)


@pytest.mark.parametrize(
    ("who", "users", "goes"),
    [
        (pod("c"), ("p",), 0),
        (pod("c"), ("q", "p"), 0),
        (pod("c"), ("q",), None),
        (pod("c", node=""), ("p",), None),
        (pod("d"), ("p",), None),
        (pod(made="c"), ("p",), None),
    ],
    ids=["user", "one of them", "no user", "no node", "another claim", "made for another"],
)
def test_only_users_on_nodes_go(who: Json, users: tuple[str, ...], goes: float | None) -> None:
    assert goes_after(standing(claim("c", "d0", users=users)), who) == goes


def test_a_pod_goes_for_the_claim_that_was_made_for_it() -> None:
    made = claim("c", "d0", users=("p",))
    owner: dict[str, Any] = {"apiVersion": "v1", "kind": "Pod", "name": "p", "uid": "p"}
    made["metadata"]["ownerReferences"] = [{**owner, "controller": True}]
    assert goes_after(standing(made), pod(made="c")) == 0


def test_of_several_devices_the_first_that_ends_counts() -> None:
    first, second = claim("a", "d0", seconds=90, users=("p",)), claim("b", "d1", users=("p",))
    assert goes_after(standing(first, second), pod("a", "b")) == 60
    sooner = claim("a", "d0", seconds=30, users=("p",))
    assert goes_after(standing(sooner, second), pod("a", "b")) == 30
    known = standing(first, second).pod_eviction(pod("a", "b"))
    assert known is not None
    assert len(known.reasons) == 2


def test_another_allocation_is_judged_anew_and_none_is_no_reason() -> None:
    known = standing(claim("c", "d0", users=("p",)))
    known.set_claim(claim("c", "d2", users=("p",)))
    assert known.pod_eviction(pod("c")) is None
    known.set_claim(claim("c", "d0", users=("p",)))
    assert goes_after(known, pod("c")) == 0
    freed = claim("c", "d0", users=("p",))
    del freed["status"]["allocation"]
    known.set_claim(freed)
    assert known.pod_eviction(pod("c")) is None
    assert list(known.claims()) == []


def test_a_rule_tells_whose_users_fare_otherwise() -> None:
    hot, cool = claim("hot", "d0", seconds=0, users=("p",)), claim("cool", "d2", users=("p",))
    known = standing(hot, cool)
    rule = taint_rule("r")
    rule["metadata"]["uid"] = "r"
    rule["spec"]["taint"]["timeAdded"] = ADDED
    rule["spec"]["deviceSelector"]["device"] = "d2"
    assert known.set_rule(None, rule) == [cool]
    assert goes_after(known, pod("cool")) == 0
    assert known.set_rule(rule, rule) == []
    assert known.set_rule(rule, None) == [cool]
    assert known.pod_eviction(pod("cool")) is None
