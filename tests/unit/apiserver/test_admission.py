from __future__ import annotations

from dataclasses import dataclass, field
from typing import Any

import pytest

from kubegang.api.resources import ROWS
from kubegang.apimachinery.errors import ForbiddenError, NotFoundError
from kubegang.apimachinery.objects import JsonObject
from kubegang.apiserver.admission.chain import PLUGINS, Admission, UnknownPluginError
from kubegang.apiserver.admission.request import AdmissionRequest, Operation
from kubegang.base.feature_gates import FeatureGates

_GATES = FeatureGates({"PodGroupPreemptionPolicy": True})


@dataclass(frozen=True)
class Class:
    name: str
    value: int
    preemption_policy: str = "PreemptLowerPriority"


@dataclass(frozen=True)
class Workload:
    template_names: tuple[str, ...]
    is_terminating: bool = False


@dataclass(frozen=True)
class Group:
    name: str
    controller_uid: str = ""
    is_gang: bool = True
    api_version: str = "scheduling.k8s.io/v1alpha2"


@dataclass
class Cluster:
    """What admission would find in the store."""

    phases: dict[str, str] = field(default_factory=lambda: {"default": "Active"})
    classes: dict[str, Class] = field(default_factory=dict)
    default: Class | None = None
    labels: dict[str, dict[str, str]] = field(default_factory=dict)
    workloads: dict[str, Workload] = field(default_factory=dict)
    groups: tuple[Group, ...] = ()
    accounts: dict[str, JsonObject] = field(default_factory=dict)
    limits: tuple[JsonObject, ...] = ()
    storage_class: str | None = None

    def namespace_phase(self, name: str) -> str | None:
        return self.phases.get(name)

    def namespace_labels(self, name: str) -> dict[str, str]:
        return self.labels.get(name, {})

    def priority_class(self, name: str) -> Class | None:
        return self.classes.get(name)

    def default_priority_class(self) -> Class | None:
        return self.default

    def workload(self, _namespace: str, name: str) -> Workload | None:
        return self.workloads.get(name)

    def pod_groups(self, _namespace: str) -> tuple[Group, ...]:
        return self.groups

    def service_account(self, _namespace: str, name: str) -> JsonObject | None:
        return self.accounts.get(name)

    def limit_ranges(self, _namespace: str) -> tuple[JsonObject, ...]:
        return self.limits

    def pods(self, _namespace: str) -> tuple[JsonObject, ...]:
        return ()

    def default_ingress_class(self) -> str | None:
        return None

    def default_storage_class(self) -> str | None:
        return self.storage_class

    def runtime_class(self, name: str) -> dict[str, Any] | None:
        return None

    def name_from(self, prefix: str) -> str:
        return f"{prefix}abcde"

    def node_labels(self, name: str) -> dict[str, str]:
        return self.labels.get(name, {})


def _admit(
    plural: str,
    obj: dict[str, Any],
    cluster: Cluster | None = None,
    *,
    operation: Operation = "create",
    old: dict[str, Any] | None = None,
    version: str = "v1",
    namespace: str = "default",
) -> dict[str, Any]:
    info = next(row for row in ROWS if row.plural == plural and row.version == version)
    obj.setdefault("metadata", {"name": "n"})
    request = AdmissionRequest(
        operation=operation, info=info, namespace=namespace, name="n", obj=obj, old=old
    )
    Admission(cluster or Cluster(), _GATES).admit(request)
    return obj


def test_plugins_run_in_upstreams_order() -> None:
    assert PLUGINS == (
        "NamespaceLifecycle",
        "LimitRanger",
        "ServiceAccount",
        "TaintNodesByCondition",
        "Priority",
        "DefaultTolerationSeconds",
        "DefaultStorageClass",
        "StorageObjectInUseProtection",
        "RuntimeClass",
        "PodGroupProtection",
        "DefaultIngressClass",
        "PodTopologyLabels",
        "CertificateSubjectRestriction",
        "PodGroupWorkloadExists",
        "JobValidation",
        "CertificateApproval",
        "CertificateSigning",
        "PodSecurity",
        "ResourceQuota",
    )


def test_a_name_that_is_no_plugin_is_refused() -> None:
    with pytest.raises(UnknownPluginError, match="known: NamespaceLifecycle"):
        Admission(Cluster(), _GATES, disabled=("Nonsense",))


def test_a_missing_namespace_comes_before_everything_else() -> None:
    with pytest.raises(NotFoundError, match='namespaces "absent" not found'):
        _admit("pods", {"spec": {"priorityClassName": "none"}}, namespace="absent")


def test_tolerations_are_added_for_taints_that_are_not_tolerated() -> None:
    own = {"key": "node.kubernetes.io/not-ready", "operator": "Exists"}

    pod = _admit("pods", {"spec": {"tolerations": [own]}})

    assert [one["key"] for one in pod["spec"]["tolerations"]] == [
        "node.kubernetes.io/not-ready",
        "node.kubernetes.io/unreachable",
    ]
    everything = {"operator": "Exists"}
    assert _admit("pods", {"spec": {"tolerations": [everything]}})["spec"]["tolerations"] == [
        everything
    ]


def test_a_class_fills_in_priority_and_policy_of_a_pod() -> None:
    cluster = Cluster(classes={"never": Class("never", 5, "Never")})

    spec = _admit("pods", {"spec": {"priorityClassName": "never"}}, cluster)["spec"]

    assert (spec["priority"], spec["preemptionPolicy"]) == (5, "Never")


def test_the_default_class_is_named_in_the_pod() -> None:
    cluster = Cluster(default=Class("usual", 7))

    assert _admit("pods", {"spec": {}}, cluster)["spec"]["priorityClassName"] == "usual"


def test_an_update_of_a_pod_keeps_its_priority() -> None:
    old = {"spec": {"priority": 7, "preemptionPolicy": "Never"}}

    spec = _admit("pods", {"spec": {}}, operation="update", old=old)["spec"]

    assert (spec["priority"], spec["preemptionPolicy"]) == (7, "Never")


def test_a_group_must_repeat_the_policy_of_a_class_that_never_preempts() -> None:
    cluster = Cluster(classes={"never": Class("never", 5, "Never")})
    spec = {"priorityClassName": "never", "preemptionPolicy": "PreemptLowerPriority"}

    with pytest.raises(ForbiddenError, match="must not be provided in pod group spec"):
        _admit("podgroups", {"spec": spec}, cluster, version="v1beta1")

    same = _admit(
        "podgroups", {"spec": {**spec, "preemptionPolicy": "Never"}}, cluster, version="v1beta1"
    )
    assert same["spec"]["priority"] == 5
    assert same["metadata"]["finalizers"] == ["scheduling.k8s.io/podgroup-protection"]


def test_an_unnamed_object_is_refused_under_its_base_name() -> None:
    pod = {"metadata": {"generateName": "g-"}, "spec": {"priorityClassName": "none"}}

    with pytest.raises(ForbiddenError, match='pods "g-" is forbidden: no PriorityClass'):
        _admit("pods", pod)


@pytest.mark.parametrize(
    ("workload", "template", "why"),
    [
        ("absent", "t", 'Workload "absent" not found'),
        ("going", "t", 'Workload "going" is being deleted'),
        ("w", "u", 'PodGroupTemplate "u" not found in Workload "w"'),
    ],
)
def test_a_group_of_1_36_needs_its_workload_and_template(
    workload: str, template: str, why: str
) -> None:
    cluster = Cluster(workloads={"w": Workload(("t",)), "going": Workload(("t",), True)})

    _check_group(cluster, "w", "t")
    with pytest.raises(ForbiddenError, match=f"PodGroup rejected: {why}"):
        _check_group(cluster, workload, template)


def test_a_group_without_a_workload_is_not_looked_at() -> None:
    _check(Cluster(), {"metadata": {"name": "g"}, "spec": {}})


def _check_group(cluster: Cluster, workload: str, template: str) -> None:
    reference = {"workload": {"workloadName": workload, "podGroupTemplateName": template}}
    _check(cluster, {"metadata": {"name": "g"}, "spec": {"podGroupTemplateRef": reference}})


def _check(cluster: Cluster, group: dict[str, Any]) -> None:
    info = next(row for row in ROWS if (row.plural, row.version) == ("podgroups", "v1alpha2"))
    Admission(cluster, _GATES).check(
        AdmissionRequest(operation="create", info=info, namespace="default", name="g", obj=group)
    )


OWN = Group("own", controller_uid="job-uid")


@pytest.mark.parametrize(
    ("group", "named"), [(OWN, ""), (Group("g"), "g")], ids=["controlled", "named"]
)
def test_a_gangs_job_of_1_36_keeps_its_parallelism(group: Group, named: str) -> None:
    text = f'cannot change parallelism for a Job referencing gang-scheduled PodGroup "{group.name}'
    with pytest.raises(ForbiddenError, match=text):
        _change_parallelism(Cluster(groups=(group,)), named)


@pytest.mark.parametrize(
    "group",
    [
        Group("other", controller_uid="another"),
        Group("own", controller_uid="job-uid", is_gang=False),
        Group("own", controller_uid="job-uid", api_version="scheduling.k8s.io/v1beta1"),
    ],
    ids=["of another job", "basic", "1.37"],
)
def test_other_jobs_may_change_their_parallelism(group: Group) -> None:
    _change_parallelism(Cluster(groups=(group,)), "")


def test_a_gangs_job_may_change_otherwise() -> None:
    _change_parallelism(Cluster(groups=(OWN,)), "", to=2)


def _change_parallelism(cluster: Cluster, named: str, *, to: int = 3) -> None:
    spec = {"schedulingGroup": {"podGroupName": named}} if named else {}
    about = {"parallelism": 2, "template": {"spec": spec}}
    old = {"metadata": {"uid": "job-uid"}, "spec": about}
    new = {"metadata": {"uid": "job-uid"}, "spec": {**about, "parallelism": to}}
    info = next(row for row in ROWS if row.plural == "jobs")
    Admission(cluster, FeatureGates({"GenericWorkload": True})).check(
        AdmissionRequest(
            operation="update", info=info, namespace="default", name="j", obj=new, old=old
        )
    )
