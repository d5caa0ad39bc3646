"""A trace replayed and summed up. Pure."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from typing import Final

import msgspec

from kubegang.scheduler.framework.rng import Rng
from kubegang.scheduler.queue.backoff import BackoffPolicy
from kubegang.tools.cluster.state import ClusterState
from kubegang.tools.explaining.explain import explain_briefly
from kubegang.tools.rehearsal.deciders import Deciders
from kubegang.tools.rehearsal.filling import fill_cache
from kubegang.tools.rehearsal.stage import Stage
from kubegang.tools.replaying.course import Course, JobRun
from kubegang.tools.replaying.driven import DrivenRehearsal, Likeness
from kubegang.tools.replaying.measuring import Meter, sizes_of, waits_of
from kubegang.tools.replaying.objects import ObjectMaker
from kubegang.tools.replaying.report import NeverBegan, ReplayReport
from kubegang.tools.replaying.trace import TraceJob

MOST_NAMED: Final = 20
"""So many of the jobs that never began are named."""

Progress = Callable[[int, float], None]
"""Told how many jobs have ended, and the virtual seconds that have passed."""


def replay(
    jobs: Sequence[TraceJob],
    state: ClusterState,
    deciders: Deciders,
    maker: ObjectMaker,
    *,
    resource: str,
    version: str,
    backoff: BackoffPolicy,
    chance: Callable[[], Rng],
    progress: Progress,
) -> ReplayReport:
    """Play a trace on a cluster.

    Args:
        jobs: in the order of their submission.
        state: the cluster when the trace begins.
        deciders: what decides.
        maker: makes the jobs' objects.
        resource: the one whose use is told.
        version: the release, for the report.
        backoff: how long whoever failed pauses.
        chance: makes what breaks ties.
        progress: told now and then.
    """
    meter = Meter(jobs, resource=resource, capacity=capacity_of(state, resource))

    def changed(course: Course) -> None:
        meter.note(course)
        progress(course.ended, course.now)

    def rehearsal(likeness: Likeness) -> DrivenRehearsal:
        cache, _ = fill_cache(state, deciders.main, scheduler_names=deciders.names)
        return DrivenRehearsal(
            cache, deciders, now=state.taken, rng=chance(), backoff=backoff, likeness=likeness
        )

    course = Course(jobs, rehearsal, maker, changed=changed)
    course.run()
    left = [run for run in course.runs if run.ended is None]
    meter.leave_out([run.job.submitted for run in left])
    end = max((run.ended for run in course.runs if run.ended is not None), default=0.0)
    return ReplayReport(
        kubernetes_version=version,
        nodes=len(state.nodes),
        resource=resource,
        jobs=len(jobs),
        gangs=sum(job.gang for job in jobs),
        ended=course.ended,
        makespan=round(max(end - jobs[0].submitted, 0.0), 3),
        utilisation=meter.utilisation(end),
        idle_while_waiting=meter.idle_while_waiting(end),
        fragmentation=meter.fragmentation(end),
        largest_queue=meter.largest_queue,
        evictions=sum(run.evictions for run in course.runs),
        waits=waits_of(course.runs),
        sizes=sizes_of(course.runs, resource),
        never_began=_never_began(left[:MOST_NAMED], state, deciders, chance),
        series=meter.series(end),
    )


def capacity_of(state: ClusterState, resource: str) -> float:
    """Return how much of a resource all nodes have together, in units as manifests have them."""
    unit = 1000 if resource == "cpu" else 1
    return sum(dict(node.allocatable).get(resource, 0) for node in state.nodes) / unit


def _never_began(
    runs: Sequence[JobRun],
    state: ClusterState,
    deciders: Deciders,
    chance: Callable[[], Rng],
) -> tuple[NeverBegan, ...]:
    """Say why jobs wait although nothing runs any more."""
    made = [run.objects for run in runs if run.objects is not None]
    left = msgspec.structs.replace(
        state,
        pods=(*state.pods, *(pod for one in made for pod in one.pods)),
        changed_groups={group.key: group for one in made for group in one.groups},
        workloads=(*state.workloads, *(load for one in made for load in one.workloads)),
    )
    stage = Stage(left, deciders, chance=chance)
    return tuple(
        NeverBegan(
            run.job.name,
            run.job.submitted,
            explain_briefly(stage, run.objects.entity).message,
        )
        for run in runs
        if run.objects is not None
    )
