"""Holds pods back that may not use their devices, as a kubelet does, and says so."""

from __future__ import annotations

from typing import Final

from kubegang.api.meta import decode
from kubegang.apimachinery.errors import ApiError, NotFoundError
from kubegang.base.clock import Clock
from kubegang.base.logging import logger
from kubegang.client.informer import Informer
from kubegang.client.interface import Client, UnreachableError
from kubegang.client.resources import CORE_EVENTS, RESOURCECLAIMS
from kubegang.nodesim.claims import claim_names, has_claims, refusal
from kubegang.nodesim.forms import SimulatedClaim, SimulatedPod
from kubegang.nodesim.telling import warning

REASON: Final = "FailedPrepareDynamicResources"

_log = logger(__name__)


class ClaimGate:
    """Asks the server for the claims of each pod that is about to start.

    Attributes:
        claims: what it learns from that a pod may be worth another look.
    """

    def __init__(
        self,
        client: Client,
        *,
        claims: Informer[SimulatedClaim],
        clock: Clock,
        group_claims: bool,
    ) -> None:
        """Set up; ``group_claims`` is the kubelet's gate DRAWorkloadResourceClaims."""
        self.claims = claims
        self._client = client
        self._clock = clock
        self._group_claims = group_claims
        self._told: dict[str, str] = {}

    async def holds(self, pod: SimulatedPod) -> bool:
        """Return whether a pod must not start; people are told why."""
        if not has_claims(pod):
            return False
        found: dict[str, SimulatedClaim] = {}
        for name in sorted(claim_names(pod)):
            try:
                claim = await self._client.get(RESOURCECLAIMS, name, pod.metadata.namespace)
            except NotFoundError:
                continue
            found[name] = decode(claim, SimulatedClaim)
        message = refusal(pod, found.get, group_claims=self._group_claims)
        if message:
            await self._tell(pod, message)
        return bool(message)

    def forget(self, uid: str) -> None:
        """Forget what was told about a pod that is gone."""
        self._told.pop(uid, None)

    async def _tell(self, pod: SimulatedPod, message: str) -> None:
        """Write an event, unless it would say what the last one said."""
        if self._told.get(pod.metadata.uid) == message:
            return
        self._told[pod.metadata.uid] = message
        event = warning(pod, message, reason=REASON, now=self._clock.now())
        try:
            await self._client.create(CORE_EVENTS, event, pod.metadata.namespace)
        except (ApiError, UnreachableError) as error:
            _log.warning("event not written", reason=REASON, error=str(error))
