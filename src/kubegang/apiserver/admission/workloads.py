"""What 1.36 checks of Workloads, PodGroups and Jobs together; 1.37 checks nothing of it.

PodGroupWorkloadExists: a group made from a Workload needs that Workload and its template.
JobValidation: the parallelism of a Job whose pods are a gang does not change. Both look at
members and forms of PodGroups that only 1.36 has (measured on 1.36.3 and 1.37.2).
"""

from __future__ import annotations

from kubegang.apimachinery.objects import JsonObject
from kubegang.apiserver.admission.request import AdmissionRequest, Lookup
from kubegang.base.feature_gates import FeatureGates

_FORM = "scheduling.k8s.io/v1alpha2"


def admit_group_of_workload(
    request: AdmissionRequest, lookup: Lookup, _gates: FeatureGates
) -> None:
    """Refuse a group whose Workload is missing or being deleted, or lacks the template."""
    reference = (request.obj["spec"].get("podGroupTemplateRef") or {}).get("workload")
    if not reference:
        return
    name, template = reference["workloadName"], reference["podGroupTemplateName"]
    workload = lookup.workload(request.namespace, name)
    if workload is None:
        raise request.refuse(f'PodGroup rejected: Workload "{name}" not found')
    if workload.is_terminating:
        raise request.refuse(f'PodGroup rejected: Workload "{name}" is being deleted')
    if template not in workload.template_names:
        missing = f'PodGroupTemplate "{template}" not found in Workload "{name}"'
        raise request.refuse(f"PodGroup rejected: {missing}")


def keep_parallelism(request: AdmissionRequest, lookup: Lookup, gates: FeatureGates) -> None:
    """Refuse to change the parallelism of a Job whose PodGroup is a gang."""
    old, new = request.old or {}, request.obj
    if not (gates.enabled_if_known("GenericWorkload") or gates.enabled_if_known("WorkloadWithJob")):
        return
    if old["spec"].get("parallelism") == new["spec"].get("parallelism"):
        return
    for group in lookup.pod_groups(request.namespace):
        is_its_own = _names(old, group.name, controller_uid=group.controller_uid)
        if group.api_version == _FORM and group.is_gang and is_its_own:
            raise request.refuse(
                "cannot change parallelism for a Job referencing gang-scheduled PodGroup "
                f'"{group.name}"'
            )


def _names(job: JsonObject, group: str, *, controller_uid: str) -> bool:
    """Return whether a group is the one that a Job's pods name, or that the Job controls."""
    named = (job["spec"]["template"]["spec"].get("schedulingGroup") or {}).get("podGroupName")
    return bool(named == group if named else controller_uid == job["metadata"]["uid"])
