"""What to do about a Job: which pods to make or remove, and whether it has ended.

Pure: the Job, its pods' tally and the time in, a plan out.
"""

from __future__ import annotations

from collections.abc import Iterable, Sequence

import msgspec

from kubegang.apimachinery.objects import JsonObject
from kubegang.apimachinery.times import parse_time
from kubegang.controllers.job.indexes import index_of
from kubegang.controllers.job.tally import Tally, is_indexed, is_ready, phase, uid

# Upstream's delays before a failed pod is replaced, and how many pods one sync may make.
FIRST_BACKOFF_SECONDS = 10.0
LONGEST_BACKOFF_SECONDS = 600.0
PODS_PER_SYNC = 500


class Verdict(msgspec.Struct, frozen=True):
    """How a Job ends: the interim condition first, the final one when no pod is left.

    Attributes:
        interim: ``SuccessCriteriaMet`` or ``FailureTarget``.
        final: ``Complete`` or ``Failed``.
    """

    interim: str
    final: str
    reason: str
    message: str


class Backoff(msgspec.Struct, frozen=True):
    """How often pods of a Job failed since one succeeded, and when last."""

    failures: int = 0
    last_failure: float = 0.0

    def ready_at(self) -> float:
        """Return when the next pod may be made."""
        if not self.failures:
            return 0.0
        delay = FIRST_BACKOFF_SECONDS * 2.0 ** min(self.failures - 1, 10)
        return self.last_failure + min(delay, LONGEST_BACKOFF_SECONDS)


class PodPlan(msgspec.Struct, frozen=True):
    """Pods to remove and pods to make.

    Attributes:
        create: completion indexes, or ``None`` for pods without one.
        retry_at: when to look again, 0 if no time matters.
    """

    delete: tuple[JsonObject, ...] = ()
    create: tuple[int | None, ...] = ()
    retry_at: float = 0.0


def is_finished(job: JsonObject) -> bool:
    """Return whether the Job has its final condition."""
    return any(has_condition(job, kind) for kind in ("Complete", "Failed"))


def has_condition(job: JsonObject, kind: str) -> bool:
    """Return whether a condition of the Job is True."""
    conditions = (job.get("status") or {}).get("conditions") or []
    return any(c["type"] == kind and c["status"] == "True" for c in conditions)


def is_suspended(job: JsonObject) -> bool:
    """Return whether the Job asks for no pods at present."""
    return bool(job["spec"].get("suspend"))


def judge(job: JsonObject, counts: Tally, *, now: float) -> Verdict | None:
    """Return how the Job ends, or ``None`` if it goes on.

    Source: batch/v1 JobSpec backoffLimit, activeDeadlineSeconds, completions.
    """
    spec, status = job["spec"], job.get("status") or {}
    if has_condition(job, "FailureTarget") or has_condition(job, "SuccessCriteriaMet"):
        return _verdict_in_status(status)
    if _exceeds_backoff_limit(spec, counts):
        return _failed("BackoffLimitExceeded", "Job has reached the specified backoff limit")
    deadline = deadline_of(job)
    if deadline is not None and now >= deadline:
        return _failed("DeadlineExceeded", "Job was active longer than specified deadline")
    completions = spec.get("completions")
    enough = counts.succeeded > 0 if completions is None else counts.succeeded >= completions
    if enough and not counts.active and not (completions == 0 and is_suspended(job)):
        return Verdict(
            "SuccessCriteriaMet",
            "Complete",
            "CompletionsReached",
            "Reached expected number of succeeded pods",
        )
    return None


def deadline_of(job: JsonObject) -> float | None:
    """Return when the Job fails for having been active too long, if ever."""
    seconds = job["spec"].get("activeDeadlineSeconds")
    started = (job.get("status") or {}).get("startTime")
    if seconds is None or not started or is_suspended(job):
        return None
    return parse_time(started) + float(seconds)


def plan_pods(job: JsonObject, counts: Tally, *, backoff: Backoff, now: float) -> PodPlan:
    """Return which pods to remove and which to make."""
    if is_suspended(job):
        return PodPlan(delete=counts.active)
    wanted = _wanted_active(job, counts)
    doomed = _surplus(job, counts, at_least=max(0, len(counts.active) - wanted))
    if doomed:
        return PodPlan(delete=doomed[:PODS_PER_SYNC])
    missing = wanted - len(counts.active)
    if missing <= 0:
        return PodPlan()
    if backoff.ready_at() > now:
        return PodPlan(retry_at=backoff.ready_at())
    return PodPlan(create=_to_create(job, counts, min(missing, PODS_PER_SYNC)))


def next_backoff(backoff: Backoff, counts: Tally, *, now: float) -> Backoff:
    """Return the backoff after the pods that ended since the last look."""
    failures = [_ended_at(pod, now) for pod in counts.ended_failed]
    successes = [_ended_at(pod, now) for pod in counts.ended_succeeded]
    if successes:
        last_success = max(successes)
        since = [moment for moment in failures if moment > last_success]
        return Backoff(len(since), max(since, default=0.0))
    if not failures:
        return backoff
    return Backoff(backoff.failures + len(failures), max([backoff.last_failure, *failures]))


def _exceeds_backoff_limit(spec: JsonObject, counts: Tally) -> bool:
    limit = spec.get("backoffLimit", 6)
    if counts.failed > limit:
        return True
    template_policy = spec["template"]["spec"].get("restartPolicy")
    if template_policy != "OnFailure":
        return False
    # Containers that restart in place count as failures of their Job.
    restarts = sum(
        int(container.get("restartCount") or 0)
        for pod in counts.active
        if phase(pod) in ("Running", "Pending")
        for container in (pod.get("status") or {}).get("containerStatuses") or []
    )
    return restarts > 0 if limit == 0 else restarts >= limit


def _verdict_in_status(status: JsonObject) -> Verdict:
    for condition in status.get("conditions") or []:
        if condition["status"] == "True" and condition["type"] == "FailureTarget":
            return _failed(condition.get("reason", ""), condition.get("message", ""))
        if condition["status"] == "True" and condition["type"] == "SuccessCriteriaMet":
            reason, message = condition.get("reason", ""), condition.get("message", "")
            return Verdict("SuccessCriteriaMet", "Complete", reason, message)
    raise ValueError("the Job has neither FailureTarget nor SuccessCriteriaMet")


def _failed(reason: str, message: str) -> Verdict:
    return Verdict("FailureTarget", "Failed", reason, message)


def _wanted_active(job: JsonObject, counts: Tally) -> int:
    parallelism = int(job["spec"].get("parallelism", 1))
    completions = job["spec"].get("completions")
    if completions is None:
        # One success means the work is done: whoever runs may finish, nobody is added.
        return len(counts.active) if counts.succeeded else parallelism
    return max(0, min(parallelism, int(completions) - counts.succeeded))


def _surplus(job: JsonObject, counts: Tally, *, at_least: int) -> tuple[JsonObject, ...]:
    """Return pods to remove: duplicates of an index first, then the least useful ones."""
    useless = _useless_by_index(job, counts) if is_indexed(job) else ()
    doomed = {uid(pod) for pod in useless}
    rest = [pod for pod in counts.active if uid(pod) not in doomed]
    more = sorted(rest, key=_usefulness)[: max(0, at_least - len(useless))]
    return (*useless, *more)


def _useless_by_index(job: JsonObject, counts: Tally) -> tuple[JsonObject, ...]:
    completions = int(job["spec"].get("completions") or 0)
    taken: set[int] = set()
    useless = []
    for pod in sorted(counts.active, key=_usefulness, reverse=True):
        index = index_of(pod)
        if index is None or index >= completions or index in taken:
            useless.append(pod)
        else:
            taken.add(index)
    return tuple(useless)


def _usefulness(pod: JsonObject) -> tuple[bool, int, bool, float]:
    """Return a key that puts first what is cheapest to lose."""
    # Unassigned before assigned, pending before running, unready before ready, young first.
    order = {"Pending": 0, "Unknown": 1, "Running": 2}
    age = -parse_time(pod["metadata"]["creationTimestamp"])
    return (bool(pod["spec"].get("nodeName")), order.get(phase(pod), 0), is_ready(pod), age)


def _to_create(job: JsonObject, counts: Tally, count: int) -> tuple[int | None, ...]:
    if not is_indexed(job):
        return (None,) * count
    completions = int(job["spec"].get("completions") or 0)
    taken = counts.completed_indexes | _indexes(counts.active)
    free = (index for index in range(completions) if index not in taken)
    return tuple(index for index, _ in zip(free, range(count), strict=False))


def _indexes(pods: Sequence[JsonObject]) -> frozenset[int]:
    found: Iterable[int | None] = (index_of(pod) for pod in pods)
    return frozenset(index for index in found if index is not None)


def _ended_at(pod: JsonObject, now: float) -> float:
    metadata = pod["metadata"]
    if metadata.get("deletionTimestamp") and phase(pod) not in ("Succeeded", "Failed"):
        # The mark lies one grace period ahead of the moment of the deletion.
        grace = float(metadata.get("deletionGracePeriodSeconds") or 0)
        return parse_time(metadata["deletionTimestamp"]) - grace
    containers = (pod.get("status") or {}).get("containerStatuses") or []
    ends = [
        parse_time(state["terminated"]["finishedAt"])
        for state in (container.get("state") or {} for container in containers)
        if (state.get("terminated") or {}).get("finishedAt")
    ]
    return max(ends, default=now)
