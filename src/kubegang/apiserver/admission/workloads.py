"""PodGroupWorkloadExists: a group made from a Workload needs that Workload and its template.

Only PodGroups of 1.36 refer to one in the member that is looked at here; 1.37 has another
member, and checks nothing (measured on both).
"""

from __future__ import annotations

from kubegang.apiserver.admission.request import AdmissionRequest, Lookup
from kubegang.base.feature_gates import FeatureGates


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
