"""Every namespace has a ConfigMap with the certificate by which pods know the API server."""

from __future__ import annotations

from kubegang.apimachinery.errors import AlreadyExistsError, ForbiddenError, NotFoundError
from kubegang.apimachinery.objects import JsonObject
from kubegang.client.informer import Informer
from kubegang.client.interface import Client
from kubegang.client.resources import CONFIGMAPS
from kubegang.client.workers import work
from kubegang.client.workqueue import WorkQueue

NAME = "kube-root-ca.crt"
_KEY = "ca.crt"
_DESCRIPTION = "kubernetes.io/description"
_TEXT = (
    "Contains a CA bundle that can be used to verify the kube-apiserver when using internal "
    "endpoints such as the internal service IP or kubernetes.default.svc. No other usage is "
    "guaranteed across distributions of Kubernetes clusters."
)
WORKERS = 5


class RootCaPublisher:
    """Reconciles namespaces, keyed by name."""

    def __init__(
        self,
        client: Client,
        *,
        namespaces: Informer[JsonObject],
        config_maps: Informer[JsonObject],
        certificate: str,
        queue: WorkQueue[str],
    ) -> None:
        """Set up; ``certificate`` is the authority's, PEM."""
        self._client = client
        self._namespaces = namespaces
        self._config_maps = config_maps
        self._data = {_KEY: certificate}
        self._queue = queue
        namespaces.add_handler(
            on_add=lambda namespace: queue.add(namespace["metadata"]["name"]),
            on_update=lambda _old, new: queue.add(new["metadata"]["name"]),
            on_delete=lambda _namespace: None,
        )
        config_maps.add_handler(
            on_add=lambda _config_map: None,
            on_update=lambda _old, new: self._changed(new),
            on_delete=self._changed,
        )

    async def run(self) -> None:
        """Reconcile until cancelled."""
        await self._namespaces.synced.wait()
        await self._config_maps.synced.wait()
        await work(
            self._queue,
            self._reconcile,
            workers=WORKERS,
            failed="certificate of the authority not published, retrying",
        )

    def _changed(self, config_map: JsonObject) -> None:
        if config_map["metadata"]["name"] == NAME:
            self._queue.add(config_map["metadata"]["namespace"])

    async def _reconcile(self, name: str) -> None:
        namespace = self._namespaces.get("", name)
        if namespace is None or (namespace.get("status") or {}).get("phase") != "Active":
            return
        found = self._config_maps.get(name, NAME)
        if found is None:
            await self._create(name)
            return
        annotations = found["metadata"].get("annotations") or {}
        if found.get("data") == self._data and annotations.get(_DESCRIPTION):
            return
        metadata = {**found["metadata"], "annotations": {**annotations, _DESCRIPTION: _TEXT}}
        await self._client.update(CONFIGMAPS, {**found, "metadata": metadata, "data": self._data})

    async def _create(self, namespace: str) -> None:
        metadata = {
            "name": NAME,
            "namespace": namespace,
            "annotations": {_DESCRIPTION: _TEXT},
        }
        config_map = {
            "apiVersion": CONFIGMAPS.api_version,
            "kind": CONFIGMAPS.kind,
            "metadata": metadata,
            "data": self._data,
        }
        try:
            await self._client.create(CONFIGMAPS, config_map, namespace)
        except AlreadyExistsError:
            return
        except (ForbiddenError, NotFoundError):
            # The namespace has begun to go, or is gone; its news is on the way.
            return
