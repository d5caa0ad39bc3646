"""Everything that the scheduler follows of the cluster, as its release and gates have it."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import Any

from kubegang.api.profile import SchedulerProfile
from kubegang.base.clock import Clock
from kubegang.client.informer import Informer
from kubegang.client.interface import Client
from kubegang.client.resources import pod_groups_in
from kubegang.scheduler.binder.binder import Binder
from kubegang.scheduler.cache.cache import Cache
from kubegang.scheduler.deviceinformers import DeviceEvents, make_device_informers
from kubegang.scheduler.directoryinformers import make_directory_informers
from kubegang.scheduler.eventhandlers import EventHandlers, Handled
from kubegang.scheduler.informers import make_informers
from kubegang.scheduler.objectevents import ObjectEvents
from kubegang.scheduler.queue.queue import SchedulingQueue
from kubegang.scheduler.queue.rules import QueueRules
from kubegang.scheduler.storageinformers import STORAGE_EVENTS, make_storage_informers
from kubegang.scheduler.workloadhandlers import WorkloadHandlers, make_workload_informers


def follow_cluster(
    client: Client,
    cache: Cache,
    queue: SchedulingQueue,
    *,
    profiles: Sequence[SchedulerProfile],
    rules: Mapping[str, QueueRules],
    clock: Clock,
    handled: Handled,
    binder: Binder,
) -> tuple[Informer[Any], ...]:
    """Return the informers, whose handlers keep cache and queue up to date.

    Args:
        client: the API.
        cache: what is believed of the cluster.
        queue: what is pending.
        profiles: all of one release; the first says which versions of the API are read.
        rules: per schedulerName how its pods queue.
        clock: the time.
        handled: told of each event, what moved, and how long that took.
        binder: told of each change of the cluster, and of what became of pods.
    """
    handlers = EventHandlers(
        cache, queue, scheduler_names=rules, clock=clock, handled=handled, binding=binder
    )
    storage = ObjectEvents(
        STORAGE_EVENTS,
        put=cache.set_storage,
        remove=cache.remove_storage,
        queue=queue,
        clock=clock,
        handled=handled,
        changed=binder.cluster_changed,
    )
    devices = DeviceEvents(
        cache, queue, clock=clock, handled=handled, changed=binder.cluster_changed
    )
    version = _workload_version(profiles)
    workloads = WorkloadHandlers(handlers) if version else None
    pod_groups = pod_groups_in(profiles[0].pod_group_version)
    reads_groups = pod_groups.version and any(r.groups or r.gathers for r in rules.values())
    return (
        # First, so that they are there when pods are looked at.
        *make_directory_informers(client, cache, clock=clock),
        *make_storage_informers(client, storage, clock=clock),
        *make_device_informers(
            client,
            devices,
            clock=clock,
            taint_rules_version=(
                profiles[0].rules.resource_claims.taint_rules_version
                if _any_gate_on(profiles, "DRADeviceTaintRules")
                else ""
            ),
        ),
        *make_informers(
            client,
            handlers,
            clock=clock,
            group_condition=profiles[0].initially_scheduled_condition,
            pod_groups=pod_groups if reads_groups else None,
            with_composites=_any_gate_on(profiles, "CompositePodGroup"),
            pod_events=workloads,
        ),
        *make_workload_informers(client, workloads, version=version, clock=clock),
    )


def _any_gate_on(profiles: Sequence[SchedulerProfile], gate: str) -> bool:
    return any(profile.gates.enabled_if_known(gate) for profile in profiles)


def _workload_version(profiles: Sequence[SchedulerProfile]) -> str:
    """Return as what Workloads with groups are looked at; empty if they are not."""
    known = any(profile.gates.enabled_if_known("GenericWorkload") for profile in profiles)
    return profiles[0].workload_version if known else ""
