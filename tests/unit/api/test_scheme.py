"""Resource rows and the scheme that a release makes of them."""

from __future__ import annotations

import pytest

from kubegang.api.facts import load_facts
from kubegang.api.resources import ROWS
from kubegang.api.scheme import ResourceInfo, Scheme
from kubegang.apimachinery.objects import GroupVersion, GroupVersionKind
from kubegang.base.feature_gates import FeatureGates, UnknownGateError

V1 = GroupVersion("", "v1")
EVENTS = GroupVersion("events.k8s.io", "v1")
BETA = GroupVersion("scheduling.k8s.io", "v1beta1")
ALPHA3 = GroupVersion("scheduling.k8s.io", "v1alpha3")
ON = FeatureGates({"GenericWorkload": True, "CompositePodGroup": True})


def row(group: str, version: str, plural: str) -> ResourceInfo:
    return next(r for r in ROWS if (r.group, r.version, r.plural) == (group, version, plural))


def plurals(scheme: Scheme) -> list[str]:
    return [f"{r.group_version}/{r.plural}" for r in scheme.resources()]


def test_versions_come_in_the_order_given_and_resources_by_name() -> None:
    scheme = Scheme.for_profile(ROWS, (BETA, ALPHA3), ON)
    assert plurals(scheme) == [
        "scheduling.k8s.io/v1beta1/podgroups",
        "scheduling.k8s.io/v1beta1/workloads",
        "scheduling.k8s.io/v1alpha3/compositepodgroups",
        "scheduling.k8s.io/v1alpha3/podgroups",
        "scheduling.k8s.io/v1alpha3/workloads",
    ]


def test_a_version_that_is_not_served_is_not_found() -> None:
    scheme = Scheme.for_profile(ROWS, (V1,), ON)
    assert scheme.find("scheduling.k8s.io", "v1beta1", "podgroups") is None
    assert not scheme.has_group("scheduling.k8s.io")


def test_a_row_whose_gate_is_off_is_not_served() -> None:
    gates = ON.with_changes({"CompositePodGroup": False})
    scheme = Scheme.for_profile(ROWS, (ALPHA3,), gates)
    assert plurals(scheme) == [
        "scheduling.k8s.io/v1alpha3/podgroups",
        "scheduling.k8s.io/v1alpha3/workloads",
    ]


def test_a_group_all_of_whose_rows_are_off_is_unknown() -> None:
    off = FeatureGates({"GenericWorkload": False, "CompositePodGroup": False})
    assert not Scheme.for_profile(ROWS, (BETA, ALPHA3), off).has_group("scheduling.k8s.io")


def test_a_gate_that_the_release_does_not_have_is_a_bug() -> None:
    with pytest.raises(UnknownGateError):
        Scheme.for_profile(ROWS, (BETA,), FeatureGates({}))


def test_both_beta_and_alpha_are_views_of_the_same_objects() -> None:
    scheme = Scheme.for_profile(ROWS, (ALPHA3,), ON)
    alpha = scheme.find("scheduling.k8s.io", "v1alpha3", "podgroups")
    assert alpha is not None
    # The storage version need not be served.
    assert scheme.storage(alpha).gvk == GroupVersionKind("scheduling.k8s.io", "v1beta1", "PodGroup")
    assert scheme.storage(alpha).key("ns", "pg") == alpha.key("ns", "pg")


def test_events_of_both_groups_are_the_same_objects() -> None:
    scheme = Scheme.for_profile(ROWS, (V1, EVENTS), ON)
    event = scheme.find("events.k8s.io", "v1", "events")
    assert event is not None
    assert scheme.storage(event).gvk == GroupVersionKind("", "v1", "Event")
    assert event.key("ns", "e") == "/core/events/ns/e"


def test_a_kind_is_found_by_its_version() -> None:
    scheme = Scheme.for_profile(ROWS, (BETA, ALPHA3), ON)
    kind = GroupVersionKind("scheduling.k8s.io", "v1alpha3", "Workload")
    found = scheme.find_kind(kind)
    assert found is not None
    assert found.gvk == kind


def test_rows_are_unique() -> None:
    assert len({r.gvk for r in ROWS}) == len(ROWS)
    assert len({(r.group, r.version, r.plural) for r in ROWS}) == len(ROWS)


def test_every_row_has_its_structure_in_some_release() -> None:
    tables = [load_facts(version) for version in ("1.35", "1.36", "1.37")]
    without = [
        r.gvk
        for r in ROWS
        if not any(r.gvk in t.kinds() and t.kind(r.gvk).name == r.definition for t in tables)
    ]
    assert without == []


def test_every_row_with_a_status_part_has_a_status() -> None:
    tables = [load_facts(version) for version in ("1.35", "1.36", "1.37")]
    for r in ROWS:
        structure = next(t.kind(r.gvk) for t in tables if r.gvk in t.kinds())
        if r.status_subresource:
            assert "status" in structure.fields, r.gvk


def test_a_put_without_a_version_is_refused_for_what_the_real_server_refuses() -> None:
    """Measured on 1.37.2 by updating one object of each kind."""
    refusing = {f"{r.group_version}/{r.plural}" for r in ROWS if r.update_needs_version}
    assert refusing == {
        "apiextensions.k8s.io/v1/customresourcedefinitions",
        "policy/v1/poddisruptionbudgets",
        "resource.k8s.io/v1/devicetaintrules",
        "coordination.k8s.io/v1/leases",
        "node.k8s.io/v1/runtimeclasses",
        "storage.k8s.io/v1/csidrivers",
        "storage.k8s.io/v1/csinodes",
        "storage.k8s.io/v1/csistoragecapacities",
        "storage.k8s.io/v1/volumeattachments",
        "scheduling.k8s.io/v1beta1/podgroups",
        "scheduling.k8s.io/v1beta1/workloads",
        "scheduling.k8s.io/v1alpha3/podgroups",
        "scheduling.k8s.io/v1alpha3/workloads",
        "scheduling.k8s.io/v1alpha3/compositepodgroups",
    }


def test_a_put_creates_what_the_real_server_creates() -> None:
    creating = {f"{r.group_version}/{r.plural}" for r in ROWS if r.put_creates}
    assert creating == {
        "v1/endpoints",
        "v1/events",
        "v1/limitranges",
        "v1/services",
        "events.k8s.io/v1/events",
        "coordination.k8s.io/v1/leases",
        "node.k8s.io/v1/runtimeclasses",
        "rbac.authorization.k8s.io/v1/clusterroles",
        "rbac.authorization.k8s.io/v1/clusterrolebindings",
        "rbac.authorization.k8s.io/v1/roles",
        "rbac.authorization.k8s.io/v1/rolebindings",
    }


def test_scheduling_kinds_have_no_short_names_no_categories_and_no_generation() -> None:
    for plural in ("podgroups", "workloads", "compositepodgroups"):
        r = row("scheduling.k8s.io", "v1alpha3", plural)
        assert (r.short_names, r.categories, r.generation) == ((), (), False)


def test_what_all_means_to_kubectl() -> None:
    assert {r.plural for r in ROWS if "all" in r.categories} == {
        "pods",
        "replicationcontrollers",
        "services",
        "replicasets",
        "statefulsets",
        "deployments",
        "daemonsets",
        "jobs",
        "cronjobs",
        "horizontalpodautoscalers",
    }
