"""The informers of pods, nodes and pod groups: what they ask for, and the records they keep."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any, Final

from kubegang.api.core.types import Node, Pod
from kubegang.api.meta import decoder
from kubegang.api.scheduling import v1alpha2
from kubegang.api.scheduling.types import CompositePodGroup, PodGroup
from kubegang.base.clock import Clock
from kubegang.client.informer import Informer
from kubegang.client.interface import Client, Resource
from kubegang.client.resources import COMPOSITEPODGROUPS, NODES, PODS
from kubegang.scheduler.eventhandlers import EventHandlers, PodEvents
from kubegang.scheduler.framework.groupconversion import composite_pod_group_info, pod_group_info
from kubegang.scheduler.framework.nodeconversion import node_info
from kubegang.scheduler.framework.podconversion import pod_info
from kubegang.scheduler.framework.pods import PodGroupInfo

UNFINISHED: Final = "status.phase!=Succeeded,status.phase!=Failed"
"""The pods that matter. The server filters, so a pod that finishes looks deleted."""


def make_informers(
    client: Client,
    handlers: EventHandlers,
    *,
    clock: Clock,
    group_condition: str,
    pod_groups: Resource | None,
    with_composites: bool = False,
    pod_events: PodEvents | None = None,
) -> tuple[Informer[Any], ...]:
    """Return informers that feed the handlers; what they keep are compact records.

    Args:
        client: the API.
        handlers: what to call.
        clock: for the informers' pauses.
        group_condition: the type of the scheduling condition on pod groups.
        pod_groups: as what pod groups are looked at; ``None`` if they are not, as where the
            API does not serve them.
        with_composites: whether composite pod groups are looked at, which needs the gate and
            an API that serves them; else no pod group has a parent.
        pod_events: who is told about pods, if not the handlers themselves.
    """
    decode_node, decode_pod = decoder(Node), decoder(Pod)
    nodes = Informer(
        client, NODES, clock=clock, decode_bytes=lambda body: node_info(decode_node(body))
    )
    nodes.add_handler(handlers.node_added, handlers.node_updated, handlers.node_deleted)
    pods = Informer(
        client,
        PODS,
        clock=clock,
        field_selector=UNFINISHED,
        decode_bytes=lambda body: pod_info(decode_pod(body)),
    )
    told = pod_events or handlers
    pods.add_handler(told.pod_added, told.pod_updated, told.pod_deleted)
    if pod_groups is None:
        return nodes, pods
    decode_group = _group_decoder(pod_groups.version)

    def to_group(body: bytes) -> PodGroupInfo:
        return pod_group_info(
            decode_group(body), condition_type=group_condition, with_parent=with_composites
        )

    groups = Informer(client, pod_groups, clock=clock, decode_bytes=to_group)
    if not with_composites:
        informers = [groups]
    else:
        decode_composite = decoder(CompositePodGroup)
        composites = Informer(
            client,
            COMPOSITEPODGROUPS,
            clock=clock,
            decode_bytes=lambda body: composite_pod_group_info(decode_composite(body)),
        )
        informers = [groups, composites]
    for informer in informers:
        informer.add_handler(
            handlers.pod_group_added, handlers.pod_group_updated, handlers.pod_group_deleted
        )
    return (nodes, *informers, pods)


def _group_decoder(version: str) -> Callable[[bytes], PodGroup]:
    if version != "v1alpha2":
        return decoder(PodGroup)
    decode_older = decoder(v1alpha2.PodGroup)
    return lambda body: decode_older(body).to_internal()
