"""Who makes the pods of a group, and how many of them it makes before any runs.

Only what its object says; controllers differ, and where one is not known here nothing is
claimed. Pure.
"""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence

import msgspec

from kubegang.apimachinery.objects import JsonObject
from kubegang.scheduler.framework.pods import PodInfo
from kubegang.tools.cluster.state import ClusterState, ObjectKey
from kubegang.tools.explaining.report import OwnerFinding

_Limit = tuple[int, str]


class _MpiRole(msgspec.Struct, rename="camel"):
    replicas: int = 1


class _MpiSpec(msgspec.Struct, rename="camel"):
    launcher_creation_policy: str = ""
    mpi_replica_specs: dict[str, _MpiRole] | None = None


def owners_of(state: ClusterState, members: Sequence[PodInfo]) -> tuple[OwnerFinding, ...]:
    """Return who makes these pods, in the order of the pods."""
    keys = dict.fromkeys(state.owners[pod.uid] for pod in members if pod.uid in state.owners)
    return tuple(owner_finding(state, key) for key in keys)


def owner_finding(state: ClusterState, key: ObjectKey) -> OwnerFinding:
    """Return what is known of one owner."""
    obj = state.objects.get(key)
    limit = _LIMITS[key.kind](obj) if obj is not None and key.kind in _LIMITS else None
    return OwnerFinding(
        kind=key.kind,
        name=key.name,
        can_create=None if limit is None else limit[0],
        why="" if limit is None else limit[1],
        problem=state.warnings.get(key, ""),
    )


def _job_limit(job: JsonObject) -> _Limit:
    spec, status = job.get("spec") or {}, job.get("status") or {}
    for condition in status.get("conditions") or ():
        if condition.get("type") in ("Failed", "Complete") and condition.get("status") == "True":
            return 0, f"it is {condition['type'].lower()}"
    if spec.get("suspend"):
        return 0, "it is suspended"
    parallelism = int(spec.get("parallelism", 1))
    completions = spec.get("completions")
    if completions is None:
        return parallelism, f"parallelism is {parallelism}"
    left = max(int(completions) - int(status.get("succeeded") or 0), 0)
    if left < parallelism:
        return left, f"{left} completions are left"
    return parallelism, f"parallelism is {parallelism}"


def _replica_limit(controller: JsonObject) -> _Limit:
    replicas = int((controller.get("spec") or {}).get("replicas", 1))
    return replicas, f"replicas is {replicas}"


def _stateful_set_limit(controller: JsonObject) -> _Limit:
    replicas, why = _replica_limit(controller)
    if (controller.get("spec") or {}).get("podManagementPolicy") == "Parallel":
        return replicas, why
    # OrderedReady: the next pod is created once the one before it is ready.
    return min(replicas, 1), "it makes one pod at a time and waits until that runs"


def _mpi_job_limit(job: JsonObject) -> _Limit | None:
    """Return the limit of an MPIJob (kubeflow.org/v2beta1, spec.launcherCreationPolicy)."""
    try:
        spec = msgspec.convert(job.get("spec") or {}, _MpiSpec)
    except msgspec.ValidationError:
        # Nobody but its own operator has refused wrong types in it.
        return None
    replicas = {role: entry.replicas for role, entry in (spec.mpi_replica_specs or {}).items()}
    workers, launchers = replicas.get("Worker", 0), replicas.get("Launcher", 0)
    if spec.launcher_creation_policy == "WaitForWorkersReady":
        return workers, "it waits for running pods before it makes the launcher"
    return workers + launchers, f"it has {workers} workers and {launchers} launcher"


_LIMITS: Mapping[str, Callable[[JsonObject], _Limit | None]] = {
    "Job": _job_limit,
    "ReplicaSet": _replica_limit,
    "ReplicationController": _replica_limit,
    "StatefulSet": _stateful_set_limit,
    "MPIJob": _mpi_job_limit,
}
