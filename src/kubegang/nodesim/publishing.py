"""Publishes the devices of simulated nodes as ResourceSlices, and keeps them published."""

from __future__ import annotations

from typing import Final

from kubegang.apimachinery.errors import AlreadyExistsError, NotFoundError
from kubegang.apimachinery.objects import JsonObject
from kubegang.base.logging import logger
from kubegang.client.informer import Informer
from kubegang.client.interface import Client
from kubegang.client.resources import RESOURCESLICES
from kubegang.client.workers import work
from kubegang.client.workqueue import WorkQueue
from kubegang.nodesim.annotations import AnnotationError
from kubegang.nodesim.devices import DEVICES, PUBLISHED, Devices, devices_of, slices_of
from kubegang.nodesim.forms import SimulatedNode

WORKERS: Final = 16
BY_NODE: Final = "node"

_log = logger(__name__)


def index_by_node(resource_slice: JsonObject) -> list[str]:
    """Return the index key of a slice of ours: the uid of its node."""
    metadata = resource_slice["metadata"]
    if PUBLISHED not in (metadata.get("annotations") or {}):
        return []
    return [owner["uid"] for owner in metadata.get("ownerReferences") or ()]


class DevicePublisher:
    """Reconciles nodes, keyed by name: what their annotation says is what their slices offer."""

    def __init__(
        self,
        client: Client,
        *,
        nodes: Informer[SimulatedNode],
        slices: Informer[JsonObject],
        queue: WorkQueue[str],
    ) -> None:
        self._client = client
        self._nodes = nodes
        self._slices = slices
        self._queue = queue
        slices.index(BY_NODE, index_by_node)
        nodes.add_handler(self._node_changed, lambda _, new: self._node_changed(new), None)
        slices.add_handler(None, lambda _, new: self._slice_changed(new), self._slice_changed)

    async def run(self) -> None:
        """Publish until cancelled."""
        await self._nodes.synced.wait()
        await self._slices.synced.wait()
        await work(
            self._queue, self._reconcile, workers=WORKERS, failed="devices not published, retrying"
        )

    def _node_changed(self, node: SimulatedNode) -> None:
        if DEVICES in node.metadata.annotations or self._slices.by_index(
            BY_NODE, node.metadata.uid
        ):
            self._queue.add(node.metadata.name)

    def _slice_changed(self, resource_slice: JsonObject) -> None:
        if index_by_node(resource_slice):
            self._queue.add(resource_slice["spec"].get("nodeName") or "")

    async def _reconcile(self, name: str) -> None:
        node = self._nodes.get("", name)
        if node is None:
            # The garbage collector takes the slices of a node that is gone.
            return
        try:
            devices = devices_of(node.metadata.annotations)
        except AnnotationError as error:
            _log.warning("devices not published", node=name, error=str(error))
            return
        known = {
            s["metadata"]["name"]: s for s in self._slices.by_index(BY_NODE, node.metadata.uid)
        }
        for wanted in _wanted(node, devices, known):
            await self._put(wanted, known.pop(wanted["metadata"]["name"], None))
        for surplus in known:
            try:
                await self._client.delete(RESOURCESLICES, surplus)
            except NotFoundError:
                continue

    async def _put(self, wanted: JsonObject, known: JsonObject | None) -> None:
        if known is None:
            try:
                await self._client.create(RESOURCESLICES, wanted)
            except AlreadyExistsError:
                # Its news is on the way, or it is of an earlier node of that name.
                self._queue.add_after(wanted["spec"]["nodeName"], 1.0)
        elif known["spec"] != wanted["spec"]:
            await self._client.update(RESOURCESLICES, {**known, "spec": wanted["spec"]})


def _wanted(
    node: SimulatedNode, devices: tuple[Devices, ...], known: dict[str, JsonObject]
) -> list[JsonObject]:
    """Return the slices to have: in the generation that is there, or in the next if they differ."""
    about: JsonObject = {"name": node.metadata.name, "uid": node.metadata.uid}
    generation = max((s["spec"]["pool"]["generation"] for s in known.values()), default=1)
    wanted = slices_of(about, devices, generation=generation)
    missing = [s for s in wanted if s["metadata"]["name"] not in known]
    stale = set(known) - {s["metadata"]["name"] for s in wanted}
    differing = [
        s
        for s in wanted
        if s not in missing
        and known[s["metadata"]["name"]]["spec"]["devices"] != s["spec"]["devices"]
    ]
    if known and (stale or differing):
        return slices_of(about, devices, generation=generation + 1)
    return wanted
