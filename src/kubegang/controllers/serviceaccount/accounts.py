"""Every namespace has a service account called ``default``, and gets it back if it goes."""

from __future__ import annotations

from kubegang.apimachinery.errors import AlreadyExistsError, ForbiddenError, NotFoundError
from kubegang.apimachinery.objects import JsonObject
from kubegang.client.informer import Informer
from kubegang.client.interface import Client
from kubegang.client.resources import SERVICEACCOUNTS
from kubegang.client.workers import work
from kubegang.client.workqueue import WorkQueue

NAME = "default"
WORKERS = 5


class DefaultAccounts:
    """Reconciles namespaces, keyed by name."""

    def __init__(
        self,
        client: Client,
        *,
        namespaces: Informer[JsonObject],
        accounts: Informer[JsonObject],
        queue: WorkQueue[str],
    ) -> None:
        """Set up over all namespaces and all service accounts."""
        self._client = client
        self._namespaces = namespaces
        self._accounts = accounts
        self._queue = queue
        namespaces.add_handler(
            on_add=self._namespace_changed,
            on_update=lambda _old, new: self._namespace_changed(new),
            on_delete=lambda _namespace: None,
        )
        accounts.add_handler(
            on_add=lambda _account: None,
            on_update=lambda _old, _new: None,
            on_delete=lambda account: queue.add(account["metadata"]["namespace"]),
        )

    async def run(self) -> None:
        """Reconcile until cancelled."""
        await self._namespaces.synced.wait()
        await self._accounts.synced.wait()
        await work(
            self._queue,
            self._reconcile,
            workers=WORKERS,
            failed="default service account not made, retrying",
        )

    def _namespace_changed(self, namespace: JsonObject) -> None:
        self._queue.add(namespace["metadata"]["name"])

    async def _reconcile(self, name: str) -> None:
        namespace = self._namespaces.get("", name)
        if namespace is None or (namespace.get("status") or {}).get("phase") != "Active":
            return
        if self._accounts.get(name, NAME) is not None:
            return
        account = {
            "apiVersion": SERVICEACCOUNTS.api_version,
            "kind": SERVICEACCOUNTS.kind,
            "metadata": {"name": NAME, "namespace": name},
        }
        try:
            await self._client.create(SERVICEACCOUNTS, account, name)
        except AlreadyExistsError:
            return
        except (ForbiddenError, NotFoundError):
            # The namespace has begun to go, or is gone; its news is on the way.
            return
