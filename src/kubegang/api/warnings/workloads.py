"""Kinds that make pods: those of ``apps`` and ``batch``, templates, replication controllers."""

from __future__ import annotations

from typing import Final

from kubegang.api.defaults.apps import TEMPLATE_GENERATION
from kubegang.api.warning_rules import WarningRules
from kubegang.api.warnings.claimspecs import claim_spec_warnings
from kubegang.api.warnings.kinds import KindWarnings, Warnings, generation_changed
from kubegang.api.warnings.pods import name_warnings, template_warnings
from kubegang.apimachinery.objects import JsonObject

_POD_NAMES: Final = "Pod names and hostnames"
_MANY_COMPLETIONS: Final = 100_000
_MUCH_PARALLELISM: Final = 10_000


def _of_replicated(obj: JsonObject, rules: WarningRules) -> Warnings:
    yield from name_warnings(obj, _POD_NAMES)
    yield from _of_template(obj, rules)


def _of_changed_replicated(new: JsonObject, old: JsonObject, rules: WarningRules) -> Warnings:
    if generation_changed(new, old):
        yield from _of_template(new, rules)


def _of_changed_controller(new: JsonObject, old: JsonObject, rules: WarningRules) -> Warnings:
    """Upstream looks at the old template here, not at the new one (measured on 1.37.2)."""
    if generation_changed(new, old):
        yield from _of_template(old, rules)


def _of_template(obj: JsonObject, rules: WarningRules) -> Warnings:
    yield from template_warnings(obj["spec"].get("template"), "spec.template", rules)


def _of_changed_daemon_set(new: JsonObject, old: JsonObject, rules: WarningRules) -> Warnings:
    if _template_generation(new) != _template_generation(old):
        yield from _of_template(new, rules)


def _template_generation(daemon_set: JsonObject) -> object:
    return (daemon_set["metadata"].get("annotations") or {}).get(TEMPLATE_GENERATION)


def _of_stateful_set(obj: JsonObject, rules: WarningRules) -> Warnings:
    yield from _of_template(obj, rules)
    yield from _of_claims(obj, "")


def _of_changed_stateful_set(new: JsonObject, old: JsonObject, rules: WarningRules) -> Warnings:
    if generation_changed(new, old):
        yield from _of_template(new, rules)
    # Where a changed one is meant, upstream's path has this further member.
    yield from _of_claims(new, ".Spec")


def _of_claims(stateful_set: JsonObject, member: str) -> Warnings:
    spec = stateful_set["spec"]
    for position, claim in enumerate(spec.get("volumeClaimTemplates") or ()):
        where = f"spec.volumeClaimTemplates[{position}]{member}"
        yield from claim_spec_warnings(claim.get("spec") or {}, where)
    if (spec.get("revisionHistoryLimit") or 0) < 0:
        yield (
            "spec.revisionHistoryLimit: a negative value retains all historical revisions; "
            "a value >= 0 is recommended"
        )


def _of_job(job: JsonObject, rules: WarningRules) -> Warnings:
    yield from name_warnings(job, _POD_NAMES)
    yield from _of_job_spec(job["spec"], "spec", rules)


def _of_changed_job(new: JsonObject, old: JsonObject, rules: WarningRules) -> Warnings:
    if generation_changed(new, old):
        yield from _of_job_spec(new["spec"], "spec", rules)


def _of_cron_job(cron_job: JsonObject, rules: WarningRules) -> Warnings:
    yield from name_warnings(cron_job, _POD_NAMES)
    yield from _of_job_template(cron_job, rules)


def _of_changed_cron_job(new: JsonObject, old: JsonObject, rules: WarningRules) -> Warnings:
    if generation_changed(new, old):
        yield from _of_job_template(new, rules)
    if "TZ" in (new["spec"].get("schedule") or ""):
        yield (
            "cannot use TZ or CRON_TZ in spec.spec.schedule, use timeZone instead, see "
            "https://kubernetes.io/docs/concepts/workloads/controllers/cron-jobs/ "
            "for more details"
        )


def _of_job_template(cron_job: JsonObject, rules: WarningRules) -> Warnings:
    spec = (cron_job["spec"].get("jobTemplate") or {}).get("spec") or {}
    yield from _of_job_spec(spec, "spec.jobTemplate.spec", rules)


def _of_job_spec(spec: JsonObject, path: str, rules: WarningRules) -> Warnings:
    completions, parallelism = spec.get("completions") or 0, spec.get("parallelism") or 0
    is_large = completions > _MANY_COMPLETIONS and parallelism > _MUCH_PARALLELISM
    if spec.get("completionMode") == "Indexed" and is_large:
        yield (
            f"{path}: In Indexed Jobs with a number of completions higher than 10^5 and a "
            "parallelism higher than 10^4, Kubernetes might not be able to track "
            "completedIndexes when a big number of indexes fail"
        )
    yield from template_warnings(spec.get("template"), f"{path}.template", rules)


def _of_pod_template(obj: JsonObject, rules: WarningRules) -> Warnings:
    yield from template_warnings(obj.get("template"), "template", rules)


def _of_changed_pod_template(new: JsonObject, old: JsonObject, rules: WarningRules) -> Warnings:
    if generation_changed(new, old):
        yield from _of_pod_template(new, rules)


CONTROLLERS: Final = KindWarnings(_of_replicated, _of_changed_controller)
CRON_JOBS: Final = KindWarnings(_of_cron_job, _of_changed_cron_job)
DAEMON_SETS: Final = KindWarnings(_of_template, _of_changed_daemon_set)
JOBS: Final = KindWarnings(_of_job, _of_changed_job)
POD_TEMPLATES: Final = KindWarnings(_of_pod_template, _of_changed_pod_template)
REPLICATED: Final = KindWarnings(_of_replicated, _of_changed_replicated)
"""Deployments and replica sets."""
STATEFUL_SETS: Final = KindWarnings(_of_stateful_set, _of_changed_stateful_set)
