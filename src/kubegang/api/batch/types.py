"""Job, as its controller reads it."""

from __future__ import annotations

from kubegang.api.core.types import PodTemplateSpec
from kubegang.api.meta import Form, LabelSelector, ObjectMeta
from kubegang.api.scheduling.types import (
    DisruptionMode,
    PodGroupResourceClaim,
    PodGroupSchedulingPolicy,
    SchedulingConstraints,
)


class JobScheduling(Form, frozen=True):
    """``spec.scheduling``: how the Job's pods form a group (1.37).

    Here a gang's minCount may be missing; it is then the Job's parallelism.
    """

    scheduling_policy: PodGroupSchedulingPolicy | None = None
    scheduling_constraints: SchedulingConstraints | None = None
    disruption_mode: DisruptionMode | None = None
    resource_claims: tuple[PodGroupResourceClaim, ...] = ()


class PodFailurePolicyOnExitCodes(Form, frozen=True):
    """Which exit codes a rule is about."""

    container_name: str | None = None
    operator: str = ""
    values: tuple[int, ...] | None = None


class PodFailurePolicyOnPodCondition(Form, frozen=True):
    """Which pod condition a rule is about."""

    type: str = ""
    status: str = ""


class PodFailurePolicyRule(Form, frozen=True):
    """What to do about pods that failed in a certain way."""

    action: str = ""
    on_exit_codes: PodFailurePolicyOnExitCodes | None = None
    on_pod_conditions: tuple[PodFailurePolicyOnPodCondition, ...] = ()


class PodFailurePolicy(Form, frozen=True):
    """Rules of which the first that matches counts."""

    rules: tuple[PodFailurePolicyRule, ...] | None = None


class SuccessPolicyRule(Form, frozen=True):
    """Which indexes, or how many, make the Job a success."""

    succeeded_indexes: str | None = None
    succeeded_count: int | None = None


class SuccessPolicy(Form, frozen=True):
    """Rules of which the first that holds ends the Job."""

    rules: tuple[SuccessPolicyRule, ...] | None = None


class JobSpec(Form, frozen=True):
    """``spec`` of a Job."""

    parallelism: int | None = None
    completions: int | None = None
    active_deadline_seconds: int | None = None
    pod_failure_policy: PodFailurePolicy | None = None
    success_policy: SuccessPolicy | None = None
    backoff_limit: int | None = None
    backoff_limit_per_index: int | None = None
    max_failed_indexes: int | None = None
    selector: LabelSelector | None = None
    manual_selector: bool | None = None
    template: PodTemplateSpec = PodTemplateSpec()
    ttl_seconds_after_finished: int | None = None
    completion_mode: str | None = None
    suspend: bool | None = None
    pod_replacement_policy: str | None = None
    managed_by: str | None = None
    scheduling: JobScheduling | None = None


class JobCondition(Form, frozen=True):
    """One entry of ``status.conditions`` of a Job."""

    type: str = ""
    status: str = ""
    last_probe_time: str | None = None
    last_transition_time: str | None = None
    reason: str = ""
    message: str = ""


class UncountedTerminatedPods(Form, frozen=True):
    """Finished pods whose finalizer is still on, so that each is counted once."""

    succeeded: tuple[str, ...] = ()
    failed: tuple[str, ...] = ()


class JobStatus(Form, frozen=True):
    """``status`` of a Job."""

    conditions: tuple[JobCondition, ...] = ()
    start_time: str | None = None
    completion_time: str | None = None
    active: int = 0
    succeeded: int = 0
    failed: int = 0
    terminating: int | None = None
    completed_indexes: str = ""
    failed_indexes: str | None = None
    uncounted_terminated_pods: UncountedTerminatedPods | None = None
    ready: int | None = None


class Job(Form, frozen=True):
    """A Job."""

    metadata: ObjectMeta = ObjectMeta()
    spec: JobSpec = JobSpec()
    status: JobStatus = JobStatus()
