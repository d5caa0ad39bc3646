"""An embedded cluster for a run whose Events nobody reads."""

from __future__ import annotations

from collections.abc import Sequence

from kubegang.apimachinery.objects import JsonObject
from kubegang.app.embedded import EmbeddedCluster
from kubegang.client.api import ApiClient
from kubegang.client.asgi import AsgiTransport
from kubegang.client.interface import PatchType, Resource

SCHEDULER = "system:kube-scheduler"


class QuietCluster(EmbeddedCluster):
    """As any embedded cluster, but the scheduler's Events go nowhere.

    The scheduler writes one for each pod of each failed attempt, which is a third of all work
    in a busy run; the report has the reasons from the scheduler itself. Other components'
    Events are kept, since a Job says in them why it cannot make its pods.
    """

    def client_of(self, user: str, groups: tuple[str, ...] = ()) -> ApiClient:
        """Return the API as some user."""
        if user != SCHEDULER:
            return super().client_of(user, groups)
        return _EventlessClient(AsgiTransport(self.app, user=user, groups=groups), user_agent=user)


class _EventlessClient(ApiClient):
    """Answers writes of Events without sending them."""

    async def create(
        self,
        resource: Resource,
        obj: JsonObject,
        namespace: str = "",
        *,
        subresource: str = "",
        name: str = "",
        dry_run: bool = False,
    ) -> JsonObject:
        if resource.kind == "Event":
            return obj
        return await super().create(
            resource, obj, namespace, subresource=subresource, name=name, dry_run=dry_run
        )

    async def patch(
        self,
        resource: Resource,
        name: str,
        namespace: str = "",
        *,
        patch: JsonObject | Sequence[JsonObject],
        patch_type: PatchType = "merge",
        subresource: str = "",
        field_manager: str = "",
        force: bool = False,
    ) -> JsonObject:
        if resource.kind == "Event":
            return {}
        return await super().patch(
            resource,
            name,
            namespace,
            patch=patch,
            patch_type=patch_type,
            subresource=subresource,
            field_manager=field_manager,
            force=force,
        )
