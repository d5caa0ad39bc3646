"""The controllers, their shared informers and their names as kube-controller-manager has them."""

from __future__ import annotations

import asyncio
import random
from collections.abc import Callable, Coroutine, Mapping, Sequence
from typing import Any

from kubegang.api.profile import VersionProfile
from kubegang.api.scheme import ResourceInfo
from kubegang.app.apiserver import scheme_of
from kubegang.app.clusterkeys import NO_KEYS, ClusterKeys
from kubegang.app.errors import BadInputError
from kubegang.app.gatemixes import jobs_wait
from kubegang.app.identitycontrollers import IDENTITY_BUILDERS
from kubegang.app.informers import SharedInformers
from kubegang.app.lifecycle import LIFECYCLE_BUILDERS, NODE_LIFECYCLE
from kubegang.app.quotacounting import quota_counter
from kubegang.app.resourceclaims import resource_claims
from kubegang.app.workloads import BUILDERS as WORKLOAD_BUILDERS
from kubegang.app.workloads import Parts, Run
from kubegang.base.clock import Clock
from kubegang.base.logging import logger
from kubegang.client.interface import Client, Resource
from kubegang.client.resources import (
    CRONJOBS,
    CUSTOMRESOURCEDEFINITIONS,
    JOBS,
    NAMESPACES,
    NODES,
    PERSISTENTVOLUMECLAIMS,
    PERSISTENTVOLUMES,
    PODGROUPS,
    PODS,
    STORAGECLASSES,
    WORKLOADS,
    pod_groups_in,
)
from kubegang.client.workqueue import FIRST_PAUSE_SECONDS, WorkQueue
from kubegang.controllers.cronjob.controller import CronJobController
from kubegang.controllers.customkinds import CustomKinds, KindFollower
from kubegang.controllers.ephemeralvolumes.controller import EphemeralVolumes
from kubegang.controllers.events import EventRecorder
from kubegang.controllers.garbagecollector.controller import GarbageCollector
from kubegang.controllers.job import shapedgangs
from kubegang.controllers.job.claims import PodClaims
from kubegang.controllers.job.controller import FIRST_RETRY_SECONDS, JobController
from kubegang.controllers.job.expectations import Expectations
from kubegang.controllers.job.objects import SchedulingObjects
from kubegang.controllers.job.orphans import OrphanReleaser
from kubegang.controllers.job.podactions import PodActions
from kubegang.controllers.job.shapedgangs import ShapedGangs
from kubegang.controllers.namespace.controller import NamespaceController
from kubegang.controllers.persistentvolumes.controller import VolumeBinder
from kubegang.controllers.podgc.controller import PodGarbageCollector
from kubegang.controllers.podgroupprotection.controller import PodGroupProtection
from kubegang.controllers.ttlafterfinished.controller import TtlAfterFinished
from kubegang.controllers.volumeprotection.controller import ClaimProtection, VolumeProtection

_log = logger(__name__)

JOB = "job-controller"
CRON_JOB = "cronjob-controller"
PROTECTION = "podgroup-protection-controller"
GARBAGE = "garbage-collector-controller"
NAMESPACE = "namespace-controller"
TTL = "ttl-after-finished-controller"
POD_GARBAGE = "pod-garbage-collector-controller"
RESOURCE_CLAIM = "resourceclaim-controller"
QUOTA = "resourcequota-controller"
VOLUMES = "persistentvolume-binder-controller"
EPHEMERAL = "ephemeral-volume-controller"
CLAIM_PROTECTION = "persistentvolumeclaim-protection-controller"
VOLUME_PROTECTION = "persistentvolume-protection-controller"
BUILDERS: Mapping[str, Callable[[Parts], Run | None]] = {
    **WORKLOAD_BUILDERS,
    **LIFECYCLE_BUILDERS,
    **IDENTITY_BUILDERS,
}
# Built in this order: quotas and the garbage collector last, as they take any informer there is.
NAMES = (
    JOB,
    CRON_JOB,
    *BUILDERS,
    TTL,
    PROTECTION,
    POD_GARBAGE,
    RESOURCE_CLAIM,
    VOLUMES,
    EPHEMERAL,
    CLAIM_PROTECTION,
    VOLUME_PROTECTION,
    NAMESPACE,
    QUOTA,
    GARBAGE,
)

# Resources whose objects neither own nor are owned; watching them would only cost.
UNOWNED_KINDS = ("Event",)


def chosen_controllers(text: str, *, simulated_nodes: bool = True) -> frozenset[str]:
    """Return the controllers that ``--controllers`` asks for.

    Args:
        text: names, ``*`` for all, ``-name`` for all but one.
        simulated_nodes: whether the nodes component runs. Without it nobody may send
            heartbeats, so nodes are looked after only if the controller is named.

    Raises:
        BadInputError: a name is unknown.
    """
    words = [word.strip() for word in text.split(",") if word.strip()]
    if not words:
        raise BadInputError(
            "--controllers: none is named; leave controllers out of --components instead"
        )
    unknown = [w for w in words if w != "*" and w.removeprefix("-") not in NAMES]
    if unknown:
        raise BadInputError(
            f"--controllers: unknown controller {unknown[0]!r}; known: {', '.join(NAMES)}"
        )
    by_star = [name for name in NAMES if simulated_nodes or name != NODE_LIFECYCLE]
    wanted = {*words, *(by_star if "*" in words else ())}
    return frozenset(name for name in NAMES if name in wanted and f"-{name}" not in words)


class Controllers:
    """Controllers that run together over one client."""

    def __init__(
        self,
        client: Client,
        profile: VersionProfile,
        *,
        chosen: frozenset[str],
        clock: Clock,
        rng: random.Random,
        client_for: Callable[[str], Client] | None = None,
        heartbeats: bool = True,
        keys: ClusterKeys = NO_KEYS,
    ) -> None:
        """Build the chosen controllers.

        Informers read with ``client``; each controller writes with what ``client_for`` returns
        for its name, or with ``client`` too. Without ``heartbeats`` nodes send none.
        """
        self._client = client
        self._profile = profile
        self._clock = clock
        self._rng = rng
        self._heartbeats = heartbeats
        self._keys = keys
        self._informers = SharedInformers(client, clock=clock, rng=rng)
        self._runs: list[Callable[[], Coroutine[Any, Any, None]]] = []
        self._of_every_kind: list[KindFollower] = []
        self._scheme = scheme_of(profile)
        self._rows = served_once(self._scheme.resources())
        builders = {
            JOB: self._add_job,
            CRON_JOB: self._add_cron_job,
            TTL: self._add_ttl,
            PROTECTION: self._add_protection,
            POD_GARBAGE: self._add_pod_garbage,
            RESOURCE_CLAIM: self._add_resource_claims,
            VOLUMES: self._add_volumes,
            EPHEMERAL: self._add_ephemeral,
            CLAIM_PROTECTION: self._add_claim_protection,
            VOLUME_PROTECTION: self._add_volume_protection,
            NAMESPACE: self._add_namespace,
            QUOTA: self._add_quota,
            GARBAGE: self._add_garbage,
        }
        for name in NAMES:
            if name in chosen:
                if client_for is not None:
                    self._client = client_for(name)
                if name in BUILDERS:
                    run = BUILDERS[name](self._parts())
                    self._runs += [run] if run is not None else []
                else:
                    builders[name]()
        self._add_custom_kinds()

    async def run(self, *, ready: Callable[[], None]) -> None:
        """Run until cancelled; call ``ready`` when every informer has its first listing."""
        async with asyncio.TaskGroup() as group:
            for informer in self._informers.all():
                group.create_task(informer.run())
            for run in self._runs:
                group.create_task(run())
            for informer in self._informers.all():
                await informer.synced.wait()
            ready()

    def _serves(self, resource: Resource) -> bool:
        found = self._scheme.find(resource.group, resource.version, resource.plural)
        return found is not None

    def _add_job(self) -> None:
        if jobs_wait(self._profile):
            # The real one never begins, for want of a first listing.
            _log.warning("jobs get no pods: nobody serves the groups that they are to be in")
            return
        pods, jobs = self._informers.of(PODS), self._informers.of(JOBS)
        recorder = self._recorder(JOB)
        expectations = Expectations()
        actions = PodActions(
            self._client, expectations=expectations, recorder=recorder, clock=self._clock
        )
        controller = JobController(
            self._client,
            jobs=jobs,
            pods=pods,
            scheduling=self._scheduling_objects(recorder),
            recorder=recorder,
            expectations=expectations,
            queue=self._queue(first_seconds=FIRST_RETRY_SECONDS),
            actions=actions,
            claims=PodClaims(self._client, jobs=jobs, pods=pods),
            clock=self._clock,
        )
        orphans = OrphanReleaser(
            self._client, jobs=jobs, pods=pods, actions=actions, queue=self._queue()
        )
        self._runs += [controller.run, orphans.run]

    def _scheduling_objects(
        self, recorder: EventRecorder
    ) -> SchedulingObjects | ShapedGangs | None:
        gates = self._profile.gates["controllers"]
        if not gates.enabled_if_known("WorkloadWithJob"):
            return None
        if self._serves(shapedgangs.PODGROUPS):
            return ShapedGangs(
                self._client,
                workloads=self._informers.of(shapedgangs.WORKLOADS),
                pod_groups=self._informers.of(shapedgangs.PODGROUPS),
                recorder=recorder,
            )
        if not self._serves(PODGROUPS):
            return None
        return SchedulingObjects(
            self._client,
            workloads=self._informers.of(WORKLOADS),
            pod_groups=self._informers.of(PODGROUPS),
            recorder=recorder,
        )

    def _add_cron_job(self) -> None:
        controller = CronJobController(
            self._client,
            cron_jobs=self._informers.of(CRONJOBS),
            jobs=self._informers.of(JOBS),
            recorder=self._recorder(CRON_JOB),
            queue=self._queue(),
            clock=self._clock,
        )
        self._runs.append(controller.run)

    def _add_ttl(self) -> None:
        controller = TtlAfterFinished(
            self._client,
            jobs=self._informers.of(JOBS),
            queue=self._queue(),
            clock=self._clock,
        )
        self._runs.append(controller.run)

    def _add_protection(self) -> None:
        resource = pod_groups_in(self._profile.schedulers[0].pod_group_version)
        gates = self._profile.gates["controllers"]
        if not self._serves(resource) or not gates.enabled_if_known("GenericWorkload"):
            return
        controller = PodGroupProtection(
            self._client,
            pods=self._informers.of(PODS),
            pod_groups=self._informers.of(resource),
            resource=resource,
            queue=self._queue(),
        )
        self._runs.append(controller.run)

    def _add_quota(self) -> None:
        controller = quota_counter(
            self._client,
            [row for row in self._rows if row.kind not in UNOWNED_KINDS],
            informers=self._informers,
            queue=self._queue(),
            clock=self._clock,
        )
        self._runs.append(controller.run)

    def _add_garbage(self) -> None:
        resources = [resource_of(row) for row in self._rows if row.kind not in UNOWNED_KINDS]
        every = [resource_of(row) for row in self._scheme.resources() if "get" in row.verbs]
        controller = GarbageCollector(
            self._client,
            {resource: self._informers.of_metadata(resource) for resource in resources},
            kinds={(resource.api_version, resource.kind): resource for resource in every},
            recorder=self._recorder(GARBAGE),
            queue=self._queue(),
        )
        self._of_every_kind.append(controller)
        self._runs.append(controller.run)

    def _add_namespace(self) -> None:
        controller = NamespaceController(
            self._client,
            [resource_of(row) for row in self._rows if row.namespaced],
            namespaces=self._informers.of(NAMESPACES),
            queue=self._queue(),
            clock=self._clock,
        )
        self._of_every_kind.append(controller)
        self._runs.append(controller.run)

    def _add_custom_kinds(self) -> None:
        """Let those that look after every kind know of custom ones."""
        if not self._of_every_kind or not self._serves(CUSTOMRESOURCEDEFINITIONS):
            return
        custom = CustomKinds(
            self._informers.of(CUSTOMRESOURCEDEFINITIONS),
            make_informer=self._informers.apart,
            followers=self._of_every_kind,
        )
        self._runs.append(custom.run)

    def _add_pod_garbage(self) -> None:
        controller = PodGarbageCollector(
            self._client,
            pods=self._informers.of(PODS),
            nodes=self._informers.of(NODES),
            queue=self._queue(),
            clock=self._clock,
        )
        self._runs.append(controller.run)

    def _add_resource_claims(self) -> None:
        controller = resource_claims(
            self._client,
            self._profile,
            serves=self._serves,
            informers=self._informers,
            recorder=self._recorder("resource_claim"),
            queue=self._queue(),
            clock=self._clock,
        )
        if controller is not None:
            self._runs.append(controller.run)

    def _add_volumes(self) -> None:
        controller = VolumeBinder(
            self._client,
            claims=self._informers.of(PERSISTENTVOLUMECLAIMS),
            volumes=self._informers.of(PERSISTENTVOLUMES),
            classes=self._informers.of(STORAGECLASSES),
            pods=self._informers.of(PODS),
            recorder=self._recorder("persistentvolume-controller"),
            queue=self._queue(),
        )
        self._runs.append(controller.run)

    def _add_ephemeral(self) -> None:
        controller = EphemeralVolumes(
            self._client,
            claims=self._informers.of(PERSISTENTVOLUMECLAIMS),
            pods=self._informers.of(PODS),
            recorder=self._recorder("ephemeral_volume"),
            queue=self._queue(),
        )
        self._runs.append(controller.run)

    def _add_claim_protection(self) -> None:
        gates = self._profile.gates["controllers"]
        controller = ClaimProtection(
            self._client,
            claims=self._informers.of(PERSISTENTVOLUMECLAIMS),
            pods=self._informers.of(PODS),
            queue=self._queue(),
            clock=self._clock,
            marks_unused=gates.enabled_if_known("PersistentVolumeClaimUnusedSinceTime"),
        )
        self._runs.append(controller.run)

    def _add_volume_protection(self) -> None:
        controller = VolumeProtection(
            self._client, volumes=self._informers.of(PERSISTENTVOLUMES), queue=self._queue()
        )
        self._runs.append(controller.run)

    def _parts(self) -> Parts:
        return Parts(
            client=self._client,
            profile=self._profile,
            informers=self._informers,
            recorder=self._recorder,
            queue=self._queue,
            clock=self._clock,
            heartbeats=self._heartbeats,
            keys=self._keys,
        )

    def _queue(self, *, first_seconds: float = FIRST_PAUSE_SECONDS) -> WorkQueue[Any]:
        return WorkQueue(self._clock, self._rng, first_seconds=first_seconds)

    def _recorder(self, component: str) -> EventRecorder:
        recorder = EventRecorder(self._client, component=component, clock=self._clock)
        self._runs.append(recorder.run)
        return recorder


def served_once(rows: Sequence[ResourceInfo]) -> list[ResourceInfo]:
    """Return one row per stored resource that can be listed, watched and deleted."""
    found: dict[tuple[str, str], ResourceInfo] = {}
    for row in rows:
        if {"list", "watch", "delete"} <= set(row.verbs):
            found.setdefault((row.stored_as.group, row.plural), row)
    return list(found.values())


def resource_of(row: ResourceInfo) -> Resource:
    """Return a row as the client names it."""
    return Resource(row.group, row.version, row.plural, row.kind, namespaced=row.namespaced)
