"""explain on pods that ask for extended resources behind which devices stand."""

from __future__ import annotations

from kubegang.apimachinery.objects import JsonObject
from tests.component.deviceobjects import DRIVER, claim, device_class, published
from tests.component.toolscenes import explained, gang, node, pod, source

GPU = "example.com/gpu"


def offering(resource: str = GPU) -> JsonObject:
    made = device_class("gpu")
    made["spec"]["extendedResourceName"] = resource
    return made


def held_by(name: str, *devices: str, users: list[JsonObject]) -> JsonObject:
    """Return a claim that has devices of node n1."""
    results = [
        {"request": "r", "driver": DRIVER, "pool": "pool-n1", "device": device}
        for device in devices
    ]
    status = {"allocation": {"devices": {"results": results}}, "reservedFor": users}
    return {**claim(name), "status": status}


def asking(name: str, amount: str, *, on: str = "", group: str = "") -> JsonObject:
    made = pod(name, cpu="1", on=on, group=group)
    made["spec"]["containers"][0]["resources"]["limits"][GPU] = amount
    return made


def test_devices_that_exist_are_counted_and_those_who_have_them_named() -> None:
    holder = asking("holder", "2", on="n1")
    holder["metadata"] |= {"uid": "holder-uid", "namespace": "default"}
    user = {"resource": "pods", "name": "holder", "uid": "holder-uid"}
    found = explained(
        source(
            node("n1", cpu="8"),
            node("n2", cpu="8"),
            offering(),
            published("n1", "d0", "d1", "d2"),
            published("n2", "d0"),
            holder,
            held_by("c", "d0", "d1", users=[user]),
            asking("p", "2"),
        ),
        "pod/p",
    )
    (total,) = (one for one in found.totals if one.resource == GPU)
    assert (total.needed, total.exists, total.free) == ("2", "4", "2")
    (holds,) = found.holders
    assert (holds.kind, holds.name, holds.pods, holds.nodes) == ("Pod", "holder", 1, 1)
    assert [(one.resource, one.amount) for one in holds.holds] == [(GPU, "2")]


def test_devices_that_are_tainted_or_of_another_class_are_not_free() -> None:
    tainted = {"name": "d1", "taints": [{"key": "hot", "effect": "NoSchedule"}]}
    found = explained(
        source(
            node("n1", cpu="8"),
            offering(),
            device_class("other", 'device.driver == "other.example.com"'),
            published("n1", "d0", tainted),
            asking("p", "2"),
        ),
        "pod/p",
    )
    (total,) = (one for one in found.totals if one.resource == GPU)
    assert (total.exists, total.free) == ("2", "1")
    assert found.holders == ()


def test_a_node_that_has_the_resource_itself_counts_with_that() -> None:
    with_counted = node("n1", cpu="8")
    with_counted["status"]["allocatable"][GPU] = "1"
    found = explained(
        source(
            with_counted,
            node("n2", cpu="8"),
            offering(),
            published("n1", "d0", "d1"),
            published("n2", "d0"),
            asking("p", "3"),
        ),
        "pod/p",
    )
    (total,) = (one for one in found.totals if one.resource == GPU)
    assert (total.exists, total.free) == ("2", "2")


def test_a_group_that_shares_a_claim_is_named_as_a_whole() -> None:
    members = []
    for name in ("a", "b"):
        member = asking(name, "1", on="n1", group="g")
        member["metadata"] |= {"uid": name, "namespace": "default"}
        members.append(member)
    user = {"apiGroup": "scheduling.k8s.io", "resource": "podgroups", "name": "g", "uid": "g"}
    found = explained(
        source(
            node("n1", cpu="8"),
            offering(),
            published("n1", "d0"),
            gang("g", 2),
            *members,
            held_by("c", "d0", users=[user]),
            asking("p", "1"),
        ),
        "pod/p",
    )
    (holds,) = found.holders
    assert (holds.kind, holds.name, holds.pods) == ("PodGroup", "g", 2)


def test_claims_without_users_hold_too_but_not_for_administrators_or_what_was_replaced() -> None:
    watching = held_by("watching", "d0", users=[])
    watching["status"]["allocation"]["devices"]["results"][0]["adminAccess"] = True
    replaced = published("n1", "old", pool="pool-n1")
    replaced["metadata"]["name"] = "replaced"
    newest = published("n1", "d0", "d1", "d2")
    newest["spec"]["pool"]["generation"] = 2
    found = explained(
        source(
            node("n1", cpu="8"),
            offering(),
            replaced,
            newest,
            watching,
            held_by("few", "d0", users=[]),
            held_by("zoo", "d1", "d2", users=[]),
            asking("p", "1"),
        ),
        "pod/p",
    )
    (total,) = (one for one in found.totals if one.resource == GPU)
    assert (total.exists, total.free) == ("3", "0")
    assert [(one.kind, one.name, one.pods, one.weaker) for one in found.holders] == [
        ("ResourceClaim", "zoo", 0, False),
        ("ResourceClaim", "few", 0, False),
    ]
