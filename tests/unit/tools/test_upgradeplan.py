"""The plan of a step: what is in the way, what goes along, and by which commands."""

from __future__ import annotations

import pytest

from kubegang.apimachinery.objects import JsonObject
from kubegang.app.releases import known_releases, prefixes_of_several_forms
from kubegang.tools.upgradecommands import commands
from kubegang.tools.upgradeplan import NoWayError, StoredObject, plan_step, way

RELEASES = known_releases()
OLDEST, MIDDLE, NEWEST = RELEASES


def stored(
    api_version: str, kind: str, plural: str, name: str, *owners: str, **more: JsonObject
) -> StoredObject:
    references = [{"apiVersion": "v1", "kind": "X", "name": "x", "uid": uid} for uid in owners]
    group = api_version.rpartition("/")[0] or "core"
    metadata: JsonObject = {"name": name, "namespace": "ns", "uid": f"uid-{name}"}
    if references:
        metadata["ownerReferences"] = references
    obj = {"apiVersion": api_version, "kind": kind, "metadata": metadata, **more}
    return StoredObject(f"/{group}/{plural}/ns/{name}", obj)


def group(name: str, *owners: str) -> StoredObject:
    return stored("scheduling.k8s.io/v1alpha2", "PodGroup", "podgroups", name, *owners)


def test_the_way_leads_through_every_release_between() -> None:
    names = [release.name for release in way(RELEASES, "1.37", "1.35")]
    assert names == ["1.37", "1.36", "1.35"]
    assert [release.name for release in way(RELEASES, "1.36", "1.36")] == ["1.36"]
    with pytest.raises(NoWayError, match=r"unknown Kubernetes version '1\.34'; known are: 1\.35"):
        way(RELEASES, "1.34", "1.37")


def test_what_an_object_in_the_way_owns_goes_along() -> None:
    objects = [
        group("g"),
        stored("resource.k8s.io/v1", "ResourceClaim", "resourceclaims", "of-g", "uid-g"),
        stored("v1", "ConfigMap", "configmaps", "of-claim", "uid-of-g"),
        stored("v1", "ConfigMap", "configmaps", "shared", "uid-g", "uid-other"),
        stored("v1", "ConfigMap", "configmaps", "free"),
    ]
    outcome = plan_step(objects, before=MIDDLE, after=NEWEST, releases=RELEASES)
    assert [one.name for one in outcome.step.must_be_deleted] == ["g"]
    assert [one.name for one in outcome.step.go_with_them] == ["of-g", "of-claim"]
    assert [one.object["metadata"]["name"] for one, _ in outcome.shown] == ["shared", "free"]


def test_only_pods_that_have_not_ended_hold_a_group() -> None:
    def pod(name: str, phase: str) -> StoredObject:
        spec = {"schedulingGroup": {"podGroupName": "g"}}
        return stored("v1", "Pod", "pods", name, spec=spec, status={"phase": phase})

    objects = [group("g"), pod("runs", "Running"), pod("done", "Succeeded")]
    (held,) = plan_step(
        objects, before=MIDDLE, after=NEWEST, releases=RELEASES
    ).step.must_be_deleted
    assert held.held_by == ("runs",)
    assert held.resource == "podgroups.v1alpha2.scheduling.k8s.io"


def test_custom_resources_are_nobodys_business() -> None:
    own = stored("example.com/v1", "Thing", "things", "t", spec={"anything": 1})
    outcome = plan_step([own], before=OLDEST, after=MIDDLE, releases=RELEASES)
    assert outcome.shown == ((own, own.object),)
    assert not outcome.step.hidden_fields
    assert not outcome.step.stay_unseen


def test_an_object_that_shows_all_its_fields_is_not_touched() -> None:
    plain = stored("v1", "Pod", "pods", "p", spec={"containers": []})
    gated = stored("v1", "Pod", "pods", "q", spec={"workloadRef": {"name": "w"}})
    outcome = plan_step([plain, gated], before=OLDEST, after=MIDDLE, releases=RELEASES)
    (_, kept), (_, shown) = outcome.shown
    assert kept is plain.object
    assert shown["spec"] == {}
    (hidden,) = outcome.step.hidden_fields
    assert (hidden.name, hidden.fields) == ("q", ("spec.workloadRef",))


def test_nothing_in_the_way_needs_one_command() -> None:
    step = plan_step([], before=NEWEST, after=MIDDLE, releases=RELEASES).step
    assert commands([step], data_directory="/a b", kubeconfig="/a b/kubeconfig") == (
        "kubegang up --data-dir '/a b' --kubernetes-version 1.36   # once it was stopped",
    )


def test_only_kinds_of_several_forms_are_looked_at_on_every_start() -> None:
    assert "/scheduling.k8s.io/podgroups/" in prefixes_of_several_forms()
    assert "/core/pods/" not in prefixes_of_several_forms()
