"""Pod security of what exists: namespaces that get stricter, pods that change."""

from __future__ import annotations

from dataclasses import dataclass

import pytest

from kubegang.api.resources import ROWS
from kubegang.apimachinery.errors import ForbiddenError, InvalidError
from kubegang.apimachinery.objects import JsonObject
from kubegang.apiserver.admission.podsecurity import check_security
from kubegang.apiserver.admission.request import AdmissionRequest
from tests.unit.apiserver.test_admission import Cluster

PREFIX = "pod-security.kubernetes.io/"
_HOST_PATH = {"name": "v", "hostPath": {"path": "/"}}
VIOLATED = (
    'existing pods in namespace "n" violate the new PodSecurity enforce level "baseline:latest"'
)


@dataclass
class Crowd(Cluster):
    """A cluster with pods that use the node's network; those of the controller b, its files."""

    owners: tuple[str, ...] = ()

    def pods(self, _namespace: str) -> tuple[JsonObject, ...]:
        return tuple(_pod(place, owner) for place, owner in enumerate(self.owners))


def _pod(place: int, owner: str) -> JsonObject:
    references = [{"uid": owner, "controller": True}] if owner else []
    return {
        "metadata": {"name": f"p{place:05}", "ownerReferences": references},
        "spec": {"volumes": [_HOST_PATH]} if owner == "b" else {"hostNetwork": True},
    }


def _warned(cluster: Cluster, level: str, *, before: str = "") -> list[str]:
    old = {"enforce": before} if before else {}
    return _changed(cluster, "namespaces", _namespace(old), _namespace({"enforce": level}))


def _namespace(labels: dict[str, str]) -> JsonObject:
    named = {f"{PREFIX}{name}": value for name, value in labels.items()}
    return {"metadata": {"name": "n", "labels": named}}


def _changed(cluster: Cluster, plural: str, old: JsonObject, new: JsonObject) -> list[str]:
    request = AdmissionRequest(
        operation="update",
        info=next(row for row in ROWS if row.plural == plural),
        namespace="n",
        name="n",
        obj=new,
        old=old,
    )
    return check_security(request, cluster, newest=37)


def test_only_so_many_pods_are_looked_at() -> None:
    assert _warned(Crowd(owners=("",) * 3000), "baseline") == [
        VIOLATED,
        "p00000 (and 2999 other pods): host namespaces",
    ]
    assert _warned(Crowd(owners=("",) * 3002), "baseline") == [
        "new PodSecurity enforce level only checked against the first 3000 of 3002 existing pods",
        VIOLATED,
        "p00000 (and 2999 other pods): host namespaces",
    ]


def test_one_pod_of_each_controller_is_looked_at_first() -> None:
    owners = ("a",) * 3000 + ("b",)
    assert _warned(Crowd(owners=owners), "baseline")[2:] == [
        "p00000 (and 2998 other pods): host namespaces",
        "p03000: hostPath volumes",
    ]


@pytest.mark.parametrize(
    ("level", "before"), [("privileged", "baseline"), ("baseline", "baseline")]
)
def test_nobody_is_warned_where_nothing_gets_stricter(level: str, before: str) -> None:
    assert _warned(Crowd(owners=("",) * 3001), level, before=before) == []


def test_a_laxer_level_of_another_version_is_checked() -> None:
    old = _namespace({"enforce": "restricted", "enforce-version": "v1.20"})
    warned = _changed(Crowd(owners=("",)), "namespaces", old, _namespace({"enforce": "baseline"}))

    assert warned == [VIOLATED, "p00000: host namespaces"]


def test_a_level_that_does_not_exist_may_stay_but_not_come() -> None:
    bad, worse = _namespace({"audit": "nonsense"}), _namespace({"audit": "other"})

    assert _changed(Cluster(), "namespaces", bad, bad) == []
    for old in (_namespace({}), worse):
        with pytest.raises(InvalidError, match="must be one of privileged, baseline, restricted"):
            _changed(Cluster(), "namespaces", old, bad)


@pytest.mark.parametrize(
    ("old", "new", "is_refused"),
    [
        ({"containers": ["a"]}, {"containers": ["a"]}, False),
        ({"containers": ["a"]}, {"containers": ["b"]}, True),
        ({"initContainers": ["a"]}, {"initContainers": ["b"]}, True),
        ({}, {"initContainers": ["a"]}, True),
        ({}, {"ephemeralContainers": ["a"]}, True),
        ({"ephemeralContainers": ["a"]}, {"ephemeralContainers": ["b"]}, True),
        ({"ephemeralContainers": ["a"]}, {}, False),
    ],
)
def test_a_changed_pod_is_looked_at_when_its_images_change(
    old: dict[str, list[str]], new: dict[str, list[str]], *, is_refused: bool
) -> None:
    cluster = Cluster(labels={"n": {f"{PREFIX}enforce": "baseline"}})
    if not is_refused:
        assert _changed(cluster, "pods", _running(old), _running(new)) == []
        return
    with pytest.raises(ForbiddenError, match="host namespaces"):
        _changed(cluster, "pods", _running(old), _running(new))


def _running(images: dict[str, list[str]]) -> JsonObject:
    containers = {
        member: [{"name": "c", "image": image} for image in names]
        for member, names in images.items()
    }
    return {"metadata": {"name": "p"}, "spec": {"hostNetwork": True, **containers}}
