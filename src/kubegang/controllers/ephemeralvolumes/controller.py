"""Makes a claim for each generic ephemeral volume of a pod; it goes when the pod goes."""

from __future__ import annotations

from collections.abc import Iterator
from typing import Final

from kubegang.apimachinery.errors import ApiError
from kubegang.apimachinery.objects import JsonObject
from kubegang.client.informer import Informer
from kubegang.client.interface import Client
from kubegang.client.resources import PERSISTENTVOLUMECLAIMS
from kubegang.client.workers import work
from kubegang.client.workqueue import WorkQueue
from kubegang.controllers.events import EventRecorder
from kubegang.controllers.podclaims import BY_CLAIM, claim_name, index_by_claim, is_made_for

WORKERS: Final = 5

Key = tuple[str, str]


class EphemeralVolumes:
    """Reconciles pods, keyed by namespace and name."""

    def __init__(
        self,
        client: Client,
        *,
        claims: Informer[JsonObject],
        pods: Informer[JsonObject],
        recorder: EventRecorder,
        queue: WorkQueue[Key],
    ) -> None:
        self._client = client
        self._claims = claims
        self._pods = pods
        self._recorder = recorder
        self._queue = queue
        pods.index(BY_CLAIM, index_by_claim)
        pods.add_handler(self._pod_changed)
        claims.add_handler(None, None, self._claim_gone)

    async def run(self) -> None:
        """Reconcile until cancelled."""
        await self._pods.synced.wait()
        await self._claims.synced.wait()
        await work(self._queue, self._reconcile, workers=WORKERS, failed="claim not made, retrying")

    def _pod_changed(self, pod: JsonObject) -> None:
        if any(True for _ in missing_claims(pod)):
            self._queue.add((pod["metadata"]["namespace"], pod["metadata"]["name"]))

    def _claim_gone(self, claim: JsonObject) -> None:
        key = f"{claim['metadata']['namespace']}/{claim['metadata']['name']}"
        for pod in self._pods.by_index(BY_CLAIM, key):
            self._pod_changed(pod)

    async def _reconcile(self, key: Key) -> None:
        pod = self._pods.get(*key)
        if pod is None:
            return
        for volume_name, claim in missing_claims(pod):
            known = self._claims.get(key[0], claim["metadata"]["name"])
            if known is None:
                await self._make(pod, volume_name, claim)
            elif not is_made_for(known, pod):
                owner = f"{key[0]}/{claim['metadata']['name']}"
                text = f"PVC {owner} was not created for pod {'/'.join(key)} (pod is not owner)"
                self._tell(pod, volume_name, text)

    async def _make(self, pod: JsonObject, volume_name: str, claim: JsonObject) -> None:
        name, namespace = claim["metadata"]["name"], pod["metadata"]["namespace"]
        try:
            await self._client.create(PERSISTENTVOLUMECLAIMS, claim, namespace)
        except ApiError as error:
            self._tell(pod, volume_name, f"create PVC {name}: {error}")
            raise

    def _tell(self, pod: JsonObject, volume_name: str, text: str) -> None:
        message = f"ephemeral volume {volume_name}: {text}"
        self._recorder.record(pod, type_="Warning", reason="FailedBinding", message=message)


def missing_claims(pod: JsonObject) -> Iterator[tuple[str, JsonObject]]:
    """Yield the claims that a pod's ephemeral volumes need, each with the volume's name."""
    metadata = pod["metadata"]
    if metadata.get("deletionTimestamp") is not None:
        return
    owner = {
        "apiVersion": "v1",
        "kind": "Pod",
        "name": metadata["name"],
        "uid": metadata["uid"],
        "controller": True,
        "blockOwnerDeletion": True,
    }
    for volume in pod["spec"].get("volumes") or ():
        source = volume.get("ephemeral")
        if source is None:
            continue
        template = source.get("volumeClaimTemplate") or {}
        about = template.get("metadata") or {}
        made: JsonObject = {"name": claim_name(pod, volume), "ownerReferences": [owner]}
        made.update({key: about[key] for key in ("labels", "annotations") if key in about})
        yield (
            volume["name"],
            {
                "apiVersion": "v1",
                "kind": "PersistentVolumeClaim",
                "metadata": made,
                "spec": template.get("spec") or {},
            },
        )
