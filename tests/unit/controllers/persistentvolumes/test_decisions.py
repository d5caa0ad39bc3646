"""What is to be done about claims and volumes."""

from __future__ import annotations

from typing import Any

import pytest

from kubegang.apimachinery.objects import JsonObject
from kubegang.controllers.persistentvolumes.decisions import (
    incompatible,
    plan_claim,
    plan_removal,
    plan_volume,
)
from kubegang.controllers.persistentvolumes.matching import best_volume, mismatch

COMPLETED = {"pv.kubernetes.io/bind-completed": "yes"}


def claim(name: str = "c", *, annotations: dict[str, str] | None = None, **spec: Any) -> JsonObject:
    requests = {"requests": {"storage": spec.pop("size", "1Gi")}}
    body = {"accessModes": ["ReadWriteOnce"], "storageClassName": "s", "resources": requests}
    metadata = {"namespace": "default", "name": name, "uid": f"uid-{name}"}
    return {"metadata": {**metadata, "annotations": annotations or {}}, "spec": {**body, **spec}}


def volume(name: str = "v", *, phase: str = "Available", **spec: Any) -> JsonObject:
    body = {
        "accessModes": ["ReadWriteOnce"],
        "storageClassName": "s",
        "capacity": {"storage": spec.pop("size", "1Gi")},
    }
    labels = spec.pop("labels", {})
    metadata = {"name": name, "labels": labels, "annotations": spec.pop("annotations", {})}
    return {"metadata": metadata, "spec": {**body, **spec}, "status": {"phase": phase}}


def reference(name: str = "c", uid: str = "uid-c") -> JsonObject:
    return {"namespace": "default", "name": name, **({"uid": uid} if uid else {})}


NOW: JsonObject = {"volumeBindingMode": "Immediate"}
LATER: JsonObject = {"volumeBindingMode": "WaitForFirstConsumer"}


def plan(
    claimed: JsonObject,
    *volumes: JsonObject,
    storage_class: JsonObject | None = NOW,
    pods: tuple[str, ...] = (),
) -> tuple[str, str]:
    """Return what is done, and with which volume or what is told."""
    by_name = {entry["metadata"]["name"]: entry for entry in volumes}
    answer = plan_claim(
        claimed,
        volumes=volumes,
        volume_named=by_name.get,
        storage_class=storage_class,
        waiting_pods=pods,
    )
    if answer.volume is not None:
        return answer.action, answer.volume["metadata"]["name"]
    return answer.action, "" if answer.happening is None else answer.happening.message


def test_the_smallest_volume_with_the_fewest_modes_is_taken() -> None:
    both = volume("both", accessModes=["ReadWriteMany", "ReadWriteOnce"])
    large, middle = volume("large", size="9Gi"), volume("middle", size="5Gi")
    assert plan(claim(), both, large, middle) == ("bind", "middle")


@pytest.mark.parametrize(
    "other",
    [
        volume(size="1Mi"),
        volume(storageClassName="t"),
        volume(volumeMode="Block"),
        volume(accessModes=["ReadOnlyMany"]),
        volume(phase="Released"),
        volume(claimRef=reference("other")),
        volume(volumeAttributesClassName="fast"),
    ],
)
def test_a_volume_must_fit(other: JsonObject) -> None:
    assert best_volume(claim(), [other], left_to_scheduler=False) is None


def test_a_selector_narrows_the_volumes() -> None:
    wanted = claim(selector={"matchLabels": {"a": "b"}})
    assert best_volume(wanted, [volume()], left_to_scheduler=False) is None
    assert best_volume(wanted, [volume(labels={"a": "b"})], left_to_scheduler=False)


def test_a_promised_volume_is_taken_before_any_other() -> None:
    promised = volume("promised", size="9Gi", claimRef=reference(uid=""))
    assert plan(claim(), volume(), promised) == ("bind", "promised")
    assert plan(claim(), volume(), promised, storage_class=LATER) == ("bind", "promised")


@pytest.mark.parametrize(
    ("pods", "text"),
    [
        ((), "waiting for first consumer to be created before binding"),
        (("p",), "waiting for pod p to be scheduled"),
        (("p", "q"), "waiting for pods p,q to be scheduled"),
    ],
)
def test_a_claim_that_waits_says_for_whom(pods: tuple[str, ...], text: str) -> None:
    assert plan(claim(), volume(), storage_class=LATER, pods=pods) == ("pend", text)


def test_a_claim_without_a_volume_has_one_made_if_it_names_a_class() -> None:
    selected = claim(annotations={"volume.kubernetes.io/selected-node": "n"})
    assert plan(claim()) == ("provision", "")
    assert plan(selected, volume(), storage_class=LATER) == ("provision", "")
    text = "no persistent volumes available for this claim and no storage class is set"
    assert plan(claim(storageClassName=""), storage_class=None) == ("pend", text)


def test_a_claim_that_names_its_volume_gets_that_or_none() -> None:
    named = claim(volumeName="v")
    assert plan(named) == ("pend", "")
    assert plan(named, volume()) == ("bind", "v")
    assert plan(named, volume(claimRef=reference(uid=""))) == ("bind", "v")
    assert plan(named, volume(size="1Mi")) == (
        "pend",
        'Cannot bind to requested volume "v": requested PV is too small',
    )
    assert plan(named, volume(claimRef=reference("other"))) == (
        "pend",
        'volume "v" already bound to a different claim.',
    )


@pytest.mark.parametrize(
    ("other", "text"),
    [
        (volume(storageClassName="t"), "storageClassName does not match"),
        (volume(volumeMode="Block"), "incompatible volumeMode"),
        (volume(accessModes=["ReadOnlyMany"]), "incompatible accessMode"),
        (volume(volumeAttributesClassName="f"), "volumeAttributesClassName does not match"),
        (volume(), ""),
    ],
)
def test_a_named_volume_that_does_not_fit_is_explained(other: JsonObject, text: str) -> None:
    assert mismatch(claim(), other) == text


def test_a_bound_claim_that_lost_its_volume_says_so() -> None:
    lost = "Data on the volume is lost!"
    gone = claim(annotations=COMPLETED, volumeName="v")
    assert plan(gone) == ("lost", f"Bound claim has lost its PersistentVolume. {lost}")
    unnamed = f"Bound claim has lost reference to PersistentVolume. {lost}"
    assert plan(claim(annotations=COMPLETED)) == ("lost", unnamed)
    assert plan(gone, volume(claimRef=reference(uid="another"))) == (
        "lost",
        "Two claims are bound to the same volume, this one is bound incorrectly",
    )
    assert plan(gone, volume(claimRef=reference())) == ("bind", "v")
    assert plan(gone, volume()) == ("bind", "v")


@pytest.mark.parametrize(
    ("seen", "claimed", "action"),
    [
        (volume(), None, ("phase", "Available")),
        (volume(claimRef=reference(uid="")), None, ("phase", "Available")),
        (volume(claimRef=reference()), None, ("release", "")),
        (volume(claimRef=reference()), claim(), ("ask-claim", "")),
        (volume(claimRef=reference()), claim(volumeName="v"), ("phase", "Bound")),
        (volume(claimRef=reference()), claim(volumeName="w"), ("unbind", "")),
    ],
)
def test_a_volume_follows_its_claim(
    seen: JsonObject, claimed: JsonObject | None, action: tuple[str, str]
) -> None:
    assert plan_volume(seen, claimed) == action


def test_volumes_of_drivers_are_theirs_to_remove() -> None:
    policy = {"persistentVolumeReclaimPolicy": "Delete"}
    assert plan_removal(volume(**policy, csi={})) == (False, "")
    assert plan_removal(volume(hostPath={"path": "/tmp/x"})) == (False, "")
    assert plan_removal(volume(**policy, hostPath={"path": "/tmp/x"})) == (True, "")
    assert plan_removal(volume(**policy, hostPath={"path": "/srv"})).problem == (
        "host_path deleter only supports /tmp/.+ but received provided /srv"
    )
    assert plan_removal(volume(**policy, nfs={})).problem == (
        'error getting deleter volume plugin for volume "v": no deletable volume plugin matched'
    )


def test_modes_that_never_meet_are_told_on_both_sides() -> None:
    assert incompatible(volume(), claim()) is None
    told = incompatible(volume(volumeMode="Block"), claim())
    assert told is not None
    assert [happening.reason for happening in told] == ["VolumeMismatch", "VolumeMismatch"]
