"""DynamicResources: who is refused and why, what is promised, written, and freed."""

from __future__ import annotations

import msgspec

from kubegang.api.core.types import PodResourceClaim
from kubegang.api.resource.types import ClaimConsumer, ResourceClaim
from kubegang.apimachinery.objects import JsonObject
from kubegang.scheduler.cycle.decision import BindPod, ChangeObject
from kubegang.scheduler.framework.binding import ApiStep
from kubegang.scheduler.framework.devices import DeviceId
from kubegang.scheduler.framework.status import Status
from kubegang.scheduler.plugins.dynamicresources.hints import is_schedulable_after_claim_change
from kubegang.scheduler.plugins.dynamicresources.readiness import readiness, took_too_long
from kubegang.scheduler.plugins.dynamicresources.scoring import score_of
from kubegang.scheduler.plugins.dynamicresources.writing import taking
from kubegang.scheduler.snapshot.devices import KnownDevices
from kubegang.testing.builders import PodBuilder, make_node, make_pod, make_podgroup
from kubegang.testing.deciding import DecidingCore, default_profile
from kubegang.testing.snapshotdumps import dump_snapshot, load_snapshot
from tests.unit.scheduler.plugins.devicecluster import (
    DRIVER,
    add_devices,
    allocated,
    claim,
    claiming,
    devices_on,
    gpu_class,
    wants,
    with_status,
)

NODES = tuple(make_node(name).capacity(cpu="8", pods="20") for name in ("a", "b"))


def refusal(core: DecidingCore, pod: PodBuilder) -> str:
    core.add(pod)
    return core.decide_pod(pod.info().name).diagnosis.upstream_message


def core_with(*objects: object, version: str = "1.37") -> DecidingCore:
    core = DecidingCore(*NODES, profile=default_profile(version=version))
    add_devices(core, gpu_class(), *objects)  # type: ignore[arg-type]
    return core


def node_of(core: DecidingCore, pod: PodBuilder) -> str:
    core.add(pod)
    decision = core.decide_pod(pod.info().name)
    (node,) = [i.node for i in decision.instructions if isinstance(i, BindPod)]
    return node


def test_a_pod_goes_where_a_device_is() -> None:
    assert node_of(core_with(devices_on("b", "d0"), claim("c")), claiming("p", "c")) == "b"


def test_a_pod_goes_where_the_device_of_its_claim_is() -> None:
    core = core_with(claim("c", status=allocated("a", "d0")))
    assert node_of(core, claiming("p", "c")) == "a"


def test_every_node_without_a_device_says_so() -> None:
    text = "0/2 nodes are available: 2 cannot allocate all claims."
    assert refusal(core_with(claim("c")), claiming("p", "c")).startswith(text)


def test_a_missing_claim_refuses_the_whole_pod() -> None:
    text = '0/2 nodes are available: could not find ResourceClaim "default/c".'
    assert refusal(core_with(), claiming("p", "c")).startswith(text)


def test_a_claim_made_for_somebody_else_is_not_taken() -> None:
    entry = PodResourceClaim(name="x", resource_claim_template_name="t")
    pod = make_pod("p").req(cpu="1").with_spec(resource_claims=(entry,))
    assert 'pod "default/p": ResourceClaim not created yet' in refusal(core_with(), pod)


def test_what_is_promised_to_another_pod_is_waited_for() -> None:
    core = core_with(devices_on("a", "d0", "d1"), claim("c"))
    core.snapshot.devices.promise(claim("c", status=allocated("a", "d0")))
    text = "0/2 nodes are available: resource claim default/c is in the process of being allocated."
    assert refusal(core, claiming("p", "c")).startswith(text)


def test_alternatives_that_need_a_gate_are_refused_without_it() -> None:
    first = {"name": "r", "firstAvailable": [{"name": "x", "deviceClassName": "gpu"}]}
    core = DecidingCore(
        *NODES,
        profile=default_profile(version="1.36", feature_gates="DRAPrioritizedList=false"),
    )
    add_devices(core, gpu_class(), claim("c", first))
    assert (
        "resource claim default/c, request r: has subrequests, but the DRAPrioritizedList "
        "feature is disabled"
    ) in refusal(core, claiming("p", "c"))


def test_a_later_alternative_scores_less() -> None:
    ways = [{"name": name, "deviceClassName": "gpu"} for name in ("x", "y")]
    status = allocated("a", "d0", request="r/y")
    chosen = claim("c", {"name": "r", "firstAvailable": ways}, status=status)
    assert chosen.status.allocation is not None
    assert score_of(chosen, chosen.status.allocation) == 7


def test_nothing_stays_promised_after_a_cycle() -> None:
    core = core_with(devices_on("a", "d0"), claim("c"))
    core.add(make_podgroup("g").gang(min_count=2))
    core.add(claiming("p", "c").group("g"), claiming("q", "c").group("g"))
    core.decide_group("g")
    assert not core.snapshot.devices.promises()
    assert not core.snapshot.devices.allocated().every


def test_members_share_a_claim_and_follow_it_to_its_node() -> None:
    core = core_with(devices_on("b", "d0"), claim("c"))
    core.add(make_podgroup("g").gang(min_count=3))
    core.add(*(claiming(f"p{i}", "c").group("g") for i in range(3)))
    bound = [i.node for i in core.decide_group("g").instructions if isinstance(i, BindPod)]
    assert bound == ["b", "b", "b"]


def test_a_useless_claim_is_freed_only_for_its_only_user() -> None:
    def freed(*users: str) -> int:
        reserved = [{"resource": "pods", "name": u, "uid": u} for u in users]
        status = allocated("gone", "d0") | {"reservedFor": reserved}
        core = core_with(claim("c", status=status))
        pod = claiming("p", "c")
        core.add(pod)
        decision = core.decide_pod("p")
        assert "resourceclaim not available on the node" in decision.diagnosis.upstream_message
        return sum(isinstance(i, ChangeObject) for i in decision.instructions)

    assert freed() == 1
    assert freed(claiming("p", "c").info().uid) == 1
    assert freed("other") == 0


def test_a_claim_is_protected_before_it_is_allocated() -> None:
    status = allocated("a", "d0")
    promised = claim("c", status=status).status.allocation
    me = ClaimConsumer(resource="pods", name="p", uid="u")
    change = taking(claim("c"), me, promised, with_timestamp=True)

    first = step_on(change.step, claim("c"))
    assert first.write.subresource == ""
    assert first.write.body["metadata"]["finalizers"] == [
        "resource.kubernetes.io/delete-protection"
    ]
    meta: JsonObject = {"finalizers": first.write.body["metadata"]["finalizers"]}
    then = plain(claim("c"))
    then["metadata"] |= meta
    second = change.step(then, 0.0)
    assert isinstance(second, ApiStep)
    assert second.otherwise == "add allocation and reservation to claim default/c"
    assert second.write.body["status"]["reservedFor"] == [
        {"resource": "pods", "name": "p", "uid": "u"}
    ]
    assert second.write.body["status"]["allocation"]["allocationTimestamp"] == (
        "1970-01-01T00:00:00Z"
    )


def test_a_claim_that_a_sibling_allocated_meanwhile_is_only_reserved() -> None:
    status = allocated("a", "d0")
    me = ClaimConsumer(resource="pods", name="p", uid="u")
    promised = claim("c", status=status).status.allocation
    change = taking(claim("c"), me, promised, with_timestamp=False)
    step = step_on(change.step, claim("c", status=status))
    assert list(step.write.body["status"]) == ["reservedFor"]

    other = change.step(plain(claim("c", status=allocated("b", "d9"))), 0.0)
    assert isinstance(other, Status)
    assert other.message == "claim default/c got allocated elsewhere in the meantime"


def step_on(step: object, one: ResourceClaim) -> ApiStep:
    assert callable(step)
    found = step(plain(one), 0.0)
    assert isinstance(found, ApiStep)
    return found


def plain(one: ResourceClaim) -> JsonObject:
    found: JsonObject = msgspec.to_builtins(one)
    return found


def test_devices_are_ready_when_all_conditions_hold() -> None:
    needs = {"bindingConditions": ["ready"], "bindingFailureConditions": ["broken"]}
    status = allocated("a", "d0", **needs)
    assert readiness(claim("c", status=status)).is_wait

    def said(kind: str) -> Status:
        condition = {"type": kind, "status": "True", "reason": "R", "message": 'm"'}
        device = {"driver": DRIVER, "pool": "a", "device": "d0", "conditions": [condition]}
        return readiness(claim("c", status=status | {"devices": [device]}))

    assert said("ready").is_success
    assert said("broken").message == r'device binding failed: claim=c, reason=R, message="m\""'


def test_devices_that_take_too_long_are_given_up() -> None:
    status = allocated("a", "d0", bindingConditions=["ready"])
    status["allocation"]["allocationTimestamp"] = "1970-01-01T00:10:00Z"
    slow = claim("c", status=status)
    assert not took_too_long(slow, now=1100.0, timeout_seconds=600.0)
    assert took_too_long(slow, now=1201.0, timeout_seconds=600.0)


def test_a_claim_wakes_those_who_use_it_and_freed_devices_wake_all() -> None:
    free, taken = claim("c"), claim("c", status=allocated("a", "d0"))
    user, other = claiming("p", "c").info(), claiming("q", "d").info()
    assert is_schedulable_after_claim_change(user, None, free)
    assert not is_schedulable_after_claim_change(other, None, free)
    assert not is_schedulable_after_claim_change(user, free, free)
    assert is_schedulable_after_claim_change(user, free, taken)
    assert is_schedulable_after_claim_change(other, taken, free)
    assert is_schedulable_after_claim_change(other, taken, None)
    assert not is_schedulable_after_claim_change(other, free, None)


def test_what_the_api_answered_counts_until_the_watch_is_as_far() -> None:
    devices = KnownDevices()
    devices.set(claim("c"))
    devices.promise(claim("c", status=allocated("a", "d0")))
    devices.note(with_status(claim("c"), allocated("a", "d0"), version="3"))
    devices.fulfil("uid-c")
    assert devices.allocated().devices == {DeviceId(DRIVER, "a", "d0")}

    devices.set(with_status(claim("c"), {}, version="2"))
    assert devices.allocated().devices == {DeviceId(DRIVER, "a", "d0")}
    devices.set(with_status(claim("c"), {}, version="4"))
    assert not devices.allocated().devices


def test_a_shared_promise_ends_with_the_last_who_gives_up() -> None:
    devices = KnownDevices()
    devices.set(claim("c"))
    promised = claim("c", status=allocated("a", "d0"))
    devices.promise(promised)
    devices.promise(promised)
    assert not devices.withdraw("uid-c")
    assert devices.promised("uid-c") is not None
    assert devices.withdraw("uid-c")
    assert not devices.allocated().every


def test_a_dump_keeps_devices_and_promises() -> None:
    core = core_with(devices_on("a", "d0"), claim("c"), claim("d", wants(count=2)))
    core.snapshot.devices.promise(claim("c", status=allocated("a", "d0")))
    again = load_snapshot(dump_snapshot(core.snapshot))
    assert dump_snapshot(again) == dump_snapshot(core.snapshot)
    assert again.devices.allocated().devices == {DeviceId(DRIVER, "a", "d0")}
