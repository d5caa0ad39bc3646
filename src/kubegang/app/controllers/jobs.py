"""The controllers of Jobs and CronJobs, put together."""

from __future__ import annotations

from kubegang.app.controllers.parts import Builders, Parts, Run, together
from kubegang.app.gatemixes import jobs_wait
from kubegang.base.logging import logger
from kubegang.client.resources import CRONJOBS, JOBS, PODGROUPS, PODS, WORKLOADS
from kubegang.controllers.cronjob.controller import CronJobController
from kubegang.controllers.events import EventRecorder
from kubegang.controllers.job import shapedgangs
from kubegang.controllers.job.claims import PodClaims
from kubegang.controllers.job.controller import FIRST_RETRY_SECONDS, JobController
from kubegang.controllers.job.expectations import Expectations
from kubegang.controllers.job.objects import SchedulingObjects
from kubegang.controllers.job.orphans import OrphanReleaser
from kubegang.controllers.job.podactions import PodActions
from kubegang.controllers.job.shapedgangs import ShapedGangs
from kubegang.controllers.ttlafterfinished.controller import TtlAfterFinished

_log = logger(__name__)

JOB = "job-controller"
CRON_JOB = "cronjob-controller"
TTL = "ttl-after-finished-controller"


def _jobs(parts: Parts) -> Run | None:
    if jobs_wait(parts.profile):
        # The real one never begins, for want of a first listing.
        _log.warning("jobs get no pods: nobody serves the groups that they are to be in")
        return None
    pods, jobs = parts.informers.of(PODS), parts.informers.of(JOBS)
    recorder = parts.recorder(JOB)
    expectations = Expectations()
    actions = PodActions(
        parts.client, expectations=expectations, recorder=recorder, clock=parts.clock
    )
    controller = JobController(
        parts.client,
        jobs=jobs,
        pods=pods,
        scheduling=_scheduling_objects(parts, recorder),
        recorder=recorder,
        expectations=expectations,
        queue=parts.queue(first_seconds=FIRST_RETRY_SECONDS),
        actions=actions,
        claims=PodClaims(parts.client, jobs=jobs, pods=pods),
        clock=parts.clock,
        forgets_start=parts.has("MutableSchedulingDirectivesForSuspendedJobs"),
    )
    orphans = OrphanReleaser(
        parts.client, jobs=jobs, pods=pods, actions=actions, queue=parts.queue()
    )
    return together(controller.run, orphans.run)


def _scheduling_objects(
    parts: Parts, recorder: EventRecorder
) -> SchedulingObjects | ShapedGangs | None:
    if not parts.has("WorkloadWithJob"):
        return None
    if parts.serves(shapedgangs.PODGROUPS):
        return ShapedGangs(
            parts.client,
            workloads=parts.informers.of(shapedgangs.WORKLOADS),
            pod_groups=parts.informers.of(shapedgangs.PODGROUPS),
            recorder=recorder,
        )
    if not parts.serves(PODGROUPS):
        return None
    return SchedulingObjects(
        parts.client,
        workloads=parts.informers.of(WORKLOADS),
        pod_groups=parts.informers.of(PODGROUPS),
        recorder=recorder,
    )


def _cron_jobs(parts: Parts) -> Run:
    return CronJobController(
        parts.client,
        cron_jobs=parts.informers.of(CRONJOBS),
        jobs=parts.informers.of(JOBS),
        recorder=parts.recorder(CRON_JOB),
        queue=parts.queue(),
        clock=parts.clock,
    ).run


def _ttl(parts: Parts) -> Run:
    return TtlAfterFinished(
        parts.client,
        jobs=parts.informers.of(JOBS),
        queue=parts.queue(),
        clock=parts.clock,
    ).run


JOB_BUILDERS: Builders = {JOB: _jobs, CRON_JOB: _cron_jobs, TTL: _ttl}
