"""Heartbeats: one Lease per node, renewed in turn, as kubelets do."""

from __future__ import annotations

from kubegang.apimachinery.errors import AlreadyExistsError, ApiError, NotFoundError
from kubegang.apimachinery.times import format_micro_time
from kubegang.base.clock import Clock
from kubegang.base.logging import logger
from kubegang.client.informer import Informer
from kubegang.client.interface import Client, UnreachableError
from kubegang.client.resources import LEASES
from kubegang.nodesim.forms import SimulatedNode
from kubegang.nodesim.nodestatus import lease_of

NAMESPACE = "kube-node-lease"

# As kubelets: a lease of 40 s, renewed each 10 s; stretched for large clusters so that all
# heartbeats together stay below this rate.
LEASE_SECONDS = 40
RENEW_SECONDS = 10.0
HEARTBEATS_PER_SECOND = 20.0

_log = logger(__name__)


class Heartbeats:
    """Renews the Leases of all nodes, evenly spread over the period."""

    def __init__(self, client: Client, *, nodes: Informer[SimulatedNode], clock: Clock) -> None:
        self._client = client
        self._nodes = nodes
        self._clock = clock

    async def run(self) -> None:
        """Renew until cancelled."""
        while True:
            nodes = self._nodes.items()
            period = max(RENEW_SECONDS, len(nodes) / HEARTBEATS_PER_SECOND)
            lease_seconds = max(LEASE_SECONDS, round(4 * period))
            for node in nodes:
                await self._renew(node, lease_seconds)
                await self._clock.sleep(period / len(nodes))
            if not nodes:
                await self._clock.sleep(period)

    async def _renew(self, node: SimulatedNode, lease_seconds: int) -> None:
        name = node.metadata.name
        current = self._nodes.get("", name)
        if current is None or current.is_silent:
            return
        lease = lease_of(
            node,
            lease_seconds=lease_seconds,
            micro_time=format_micro_time(self._clock.now()),
        )
        try:
            try:
                await self._client.patch(LEASES, name, NAMESPACE, patch={"spec": lease["spec"]})
            except NotFoundError:
                await self._client.create(LEASES, lease, NAMESPACE)
        except AlreadyExistsError:
            return
        except (ApiError, UnreachableError) as error:
            _log.warning("heartbeat not written", node=name, error=str(error))
