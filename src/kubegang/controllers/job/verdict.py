"""Whether a Job has ended, and how. Pure."""

from __future__ import annotations

import msgspec

from kubegang.apimachinery.objects import JsonObject
from kubegang.controllers.job.failurepolicy import meaning_of
from kubegang.controllers.job.indexes import parse_indexes
from kubegang.controllers.job.jobs import (
    completions_of,
    condition_of,
    deadline_of,
    replaces_only_failed,
)
from kubegang.controllers.job.pods import has_failed, phase, restarts_of
from kubegang.controllers.job.tally import IndexTally, Tally


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

    @property
    def is_failure(self) -> bool:
        """Whether the Job fails."""
        return self.final == "Failed"


def judge(job: JsonObject, counts: Tally, *, started: float | None, now: float) -> Verdict | None:
    """Return how the Job ends whatever its active pods do, or ``None`` if it goes on.

    Source: batch/v1 JobSpec; the order of the checks is upstream's.

    Args:
        job: the Job.
        counts: its pods.
        started: since when it has been active.
        now: seconds since the epoch.
    """
    return (
        _reported(job)
        or _by_failure_policy(job, counts)
        or _by_backoff_limit(job, counts)
        or _by_deadline(job, started=started, now=now)
        or _by_failed_indexes(job, counts.indexes)
        or _by_success_policy(job, counts.indexes)
    )


def completion(job: JsonObject, counts: Tally, *, active: int) -> Verdict | None:
    """Return whether enough pods have succeeded.

    Without ``spec.completions`` the first success ends the work, but pods that run may end.
    """
    completions = completions_of(job)
    if completions is None:
        enough = counts.succeeded > 0 and not active
    else:
        enough = counts.succeeded >= completions
    if not enough:
        return None
    return _success("CompletionsReached", "Reached expected number of succeeded pods")


def _reported(job: JsonObject) -> Verdict | None:
    """Return the verdict that stands in the status since an earlier look."""
    for kind, verdict in (("SuccessCriteriaMet", _success), ("FailureTarget", _failure)):
        condition = condition_of(job, kind)
        if condition is not None:
            return verdict(condition.get("reason", ""), condition.get("message", ""))
    return None


def _by_failure_policy(job: JsonObject, counts: Tally) -> Verdict | None:
    if not job["spec"].get("podFailurePolicy"):
        return None
    only_ended = replaces_only_failed(job)
    for pod in counts.pods:
        if has_failed(pod, only_ended=only_ended):
            message = meaning_of(job, pod).message
            if message:
                return _failure("PodFailurePolicy", message)
    return None


def _by_backoff_limit(job: JsonObject, counts: Tally) -> Verdict | None:
    limit = int(job["spec"]["backoffLimit"])
    if counts.failed > limit or _restarts_too_often(job, counts, limit):
        return _failure("BackoffLimitExceeded", "Job has reached the specified backoff limit")
    return None


def _restarts_too_often(job: JsonObject, counts: Tally, limit: int) -> bool:
    """Return whether containers that restart in place have used up the limit."""
    if job["spec"]["template"]["spec"].get("restartPolicy") != "OnFailure":
        return False
    at_work = (pod for pod in counts.pods if phase(pod) in ("Running", "Pending"))
    restarts = sum(map(restarts_of, at_work))
    return restarts >= limit and restarts > 0


def _by_deadline(job: JsonObject, *, started: float | None, now: float) -> Verdict | None:
    deadline = deadline_of(job, started=started)
    if deadline is None or now < deadline:
        return None
    return _failure("DeadlineExceeded", "Job was active longer than specified deadline")


def _by_failed_indexes(job: JsonObject, indexes: IndexTally | None) -> Verdict | None:
    if indexes is None or indexes.failed is None:
        return None
    failed, limit = len(indexes.failed), job["spec"].get("maxFailedIndexes")
    if limit is not None and failed > limit:
        text = "Job has exceeded the specified maximal number of failed indexes"
        return _failure("MaxFailedIndexesExceeded", text)
    if failed and failed + len(indexes.completed) >= (completions_of(job) or 0):
        return _failure("FailedIndexes", "Job has failed indexes")
    return None


def _by_success_policy(job: JsonObject, indexes: IndexTally | None) -> Verdict | None:
    rules = (job["spec"].get("successPolicy") or {}).get("rules") or ()
    if indexes is None or not indexes.completed:
        return None
    for number, rule in enumerate(rules):
        if _is_met(rule, indexes.completed, completions=completions_of(job) or 0):
            return _success("SuccessPolicy", f"Matched rules at index {number}")
    return None


def _is_met(rule: JsonObject, completed: frozenset[int], *, completions: int) -> bool:
    needed = rule.get("succeededCount")
    if rule.get("succeededIndexes") is not None:
        named = parse_indexes(rule["succeededIndexes"], completions=completions)
        completed &= named
        needed = len(named) if needed is None else needed
    return needed is not None and len(completed) >= int(needed)


def _failure(reason: str, message: str) -> Verdict:
    return Verdict("FailureTarget", "Failed", reason, message)


def _success(reason: str, message: str) -> Verdict:
    return Verdict("SuccessCriteriaMet", "Complete", reason, message)
