"""Writes ControllerRevisions through the API."""

from __future__ import annotations

from kubegang.apimachinery.errors import ConflictError, NotFoundError
from kubegang.apimachinery.objects import JsonObject
from kubegang.client.interface import Client
from kubegang.client.resources import CONTROLLERREVISIONS
from kubegang.controllers.revisions.data import number_of
from kubegang.controllers.workloads.objects import name_of


class RevisionWriter:
    """Creates, renumbers and deletes revisions."""

    def __init__(self, client: Client) -> None:
        self._client = client

    async def create(self, revision: JsonObject) -> JsonObject:
        """Create a revision.

        Raises:
            AlreadyExistsError: the name is taken.
        """
        namespace = revision["metadata"]["namespace"]
        return await self._client.create(CONTROLLERREVISIONS, revision, namespace)

    async def get(self, like: JsonObject) -> JsonObject:
        """Return the revision that has another one's name now."""
        namespace = like["metadata"]["namespace"]
        return await self._client.get(CONTROLLERREVISIONS, name_of(like), namespace)

    async def renumber(self, revision: JsonObject, number: int) -> JsonObject:
        """Give a revision another number: its template is in use again.

        Raises:
            ConflictError: it has changed, or is gone.
        """
        if number_of(revision) == number:
            return revision
        try:
            return await self._client.update(CONTROLLERREVISIONS, {**revision, "revision": number})
        except NotFoundError as error:
            raise ConflictError(error.message) from error

    async def delete(self, revision: JsonObject) -> None:
        """Delete a revision."""
        try:
            await self._client.delete(
                CONTROLLERREVISIONS, name_of(revision), revision["metadata"]["namespace"]
            )
        except NotFoundError:
            return
