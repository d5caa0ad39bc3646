"""Makes the claim for one entry of a pod or a PodGroup, unless it is there already."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Final

from kubegang.apimachinery.errors import ApiError, not_found
from kubegang.apimachinery.objects import GroupResource, JsonObject
from kubegang.client.informer import Informer
from kubegang.client.interface import Client, Resource, UnreachableError
from kubegang.client.workers import TryAgainError
from kubegang.controllers.resourceclaim.made import MadeClaims
from kubegang.controllers.resourceclaim.settings import ClaimSettings
from kubegang.controllers.resourceclaim.templates import (
    asks_admin_access,
    claim_from,
    offers_alternatives,
)

FIELD_MANAGER: Final = "ResourceClaimController"

FAILURES: Final = (ApiError, UnreachableError, TryAgainError)
CREATION_FAILED: Final = "FailedResourceClaimCreation"

_TEMPLATE: Final = GroupResource("resource.k8s.io", "resourceclaimtemplate")


class ClaimMaker:
    """Makes claims from templates.

    What cannot be made is a ``TryAgainError`` with the text that people see (measured on
    1.37.2).
    """

    def __init__(
        self, made: MadeClaims, templates: Informer[JsonObject], *, settings: ClaimSettings
    ) -> None:
        self._made = made
        self._templates = templates
        self._settings = settings

    async def make(self, owner: JsonObject, entry: JsonObject) -> JsonObject:
        """Return the claim for an entry of ``owner``: the one that was made, or a new one.

        Raises:
            TryAgainError: there is no such template, or it must not or cannot be used.
        """
        found = self._made.find(owner, entry["name"])
        if found is not None:
            return found
        namespace, name = owner["metadata"]["namespace"], entry["resourceClaimTemplateName"]
        template = self._templates.get(namespace, name)
        if template is None:
            raise TryAgainError(f'resource claim template "{name}": {not_found(_TEMPLATE, name)}')
        self._check(template)
        try:
            return await self._made.create(claim_from(template, owner, entry["name"]), namespace)
        except (ApiError, UnreachableError) as error:
            # Upstream names the claim here, which has no name yet.
            raise TryAgainError(f"create ResourceClaim : {error}") from error

    def _check(self, template: JsonObject) -> None:
        if not self._settings.admin_access and asks_admin_access(template):
            raise TryAgainError("admin access is requested, but the feature is disabled")
        if not self._settings.alternatives and offers_alternatives(template):
            raise TryAgainError(
                "template includes a prioritized list of subrequests, but the feature is disabled"
            )


async def write_names(
    client: Client, resource: Resource, about: JsonObject, *, names: Mapping[str, str]
) -> None:
    """Apply the names of made claims, by entry, to the status of a pod or a PodGroup.

    What was written before is written again, or it would go: 1.36.3 forgets that.
    """
    metadata = about["metadata"]
    statuses = {**_written(about), **names}
    await client.patch(
        resource,
        metadata["name"],
        metadata["namespace"],
        patch={
            "apiVersion": resource.api_version,
            "kind": resource.kind,
            "metadata": {"name": metadata["name"], "namespace": metadata["namespace"]},
            "status": {
                "resourceClaimStatuses": [
                    {"name": entry, "resourceClaimName": name}
                    for entry, name in sorted(statuses.items())
                ]
            },
        },
        patch_type="apply",
        subresource="status",
        field_manager=FIELD_MANAGER,
        force=True,
    )


def _written(about: JsonObject) -> dict[str, str]:
    statuses = (about.get("status") or {}).get("resourceClaimStatuses") or ()
    return {
        status["name"]: status["resourceClaimName"]
        for status in statuses
        if status.get("resourceClaimName") is not None
    }
