"""Which objects belong to an owner: those that it controls and that its selector selects.

One whose labels were changed so that the selector leaves it out is let go; one without a
controller that the selector takes in is adopted.
"""

from __future__ import annotations

from collections.abc import Callable

from kubegang.apimachinery.errors import ConflictError, InvalidError, NotFoundError
from kubegang.apimachinery.labels import Selector, label_selector_of
from kubegang.apimachinery.objects import JsonObject
from kubegang.client.informer import Informer
from kubegang.client.interface import Client, Resource
from kubegang.controllers.owners import controller_of, controller_reference
from kubegang.controllers.workloads.availability import is_going
from kubegang.controllers.workloads.objects import Key, labels_of, uid_of

BY_CONTROLLER = "controller"
"""Index of objects by their controller's uid, and of those without one by namespace."""


def index_by_controller(obj: JsonObject) -> list[str]:
    """Return the index key of an object."""
    controller = controller_of(obj)
    if controller is not None:
        return [str(controller["uid"])]
    return [stray_key(obj["metadata"]["namespace"])]


def stray_key(namespace: str) -> str:
    """Return the index key of a namespace's objects that nobody controls."""
    return f"none/{namespace}"


def selector_of(owner: JsonObject) -> Selector:
    """Return an owner's selector; a ReplicationController's is a plain map of labels."""
    selector = owner["spec"].get("selector") or {}
    if owner["kind"] == "ReplicationController":
        selector = {"matchLabels": selector}
    return label_selector_of(selector)


class Claims:
    """Finds what belongs to owners of one kind, and brings ownership in line."""

    def __init__(
        self,
        client: Client,
        *,
        owner: Resource,
        owners: Informer[JsonObject],
        owned: Resource,
        objects: Informer[JsonObject],
    ) -> None:
        self._client = client
        self._owner = owner
        self._owners = owners
        self._owned = owned
        self._objects = objects
        objects.index(BY_CONTROLLER, index_by_controller)

    def controlled(self, owner: JsonObject) -> list[JsonObject]:
        """Return the objects that an owner controls, whatever its selector says."""
        return self._objects.by_index(BY_CONTROLLER, uid_of(owner))

    def owners_of(self, obj: JsonObject) -> list[Key]:
        """Return the owners that a change of an object may concern."""
        namespace = obj["metadata"]["namespace"]
        controller = controller_of(obj)
        if controller is not None:
            if controller["kind"] != self._owner.kind:
                return []
            found = self._owners.get(namespace, controller["name"])
            is_known = found is not None and uid_of(found) == controller["uid"]
            return [(namespace, controller["name"])] if is_known else []
        if not labels_of(obj):
            return []
        return [
            (namespace, owner["metadata"]["name"])
            for owner in self._owners.items()
            if owner["metadata"]["namespace"] == namespace
            and selector_of(owner).matches(labels_of(obj))
        ]

    async def claim(
        self, owner: JsonObject, *, wanted: Callable[[JsonObject], bool] = lambda _: True
    ) -> list[JsonObject]:
        """Return the objects of an owner; let go and adopt where labels have changed.

        Args:
            owner: the owner.
            wanted: which objects are looked at at all.
        """
        selector = selector_of(owner)
        claimed = []
        for obj in filter(wanted, self.controlled(owner)):
            if selector.matches(labels_of(obj)):
                claimed.append(obj)
            elif not is_going(owner):
                await self._let_go(owner, obj)
        if is_going(owner):
            return claimed
        strays = self._objects.by_index(BY_CONTROLLER, stray_key(owner["metadata"]["namespace"]))
        fitting = [
            obj
            for obj in filter(wanted, strays)
            if selector.matches(labels_of(obj)) and not is_going(obj)
        ]
        if fitting and await self._may_adopt(owner):
            claimed += [obj for obj in fitting if await self._adopt(owner, obj)]
        return claimed

    async def _may_adopt(self, owner: JsonObject) -> bool:
        """Ask the API, since an owner that is gone must not take objects along."""
        metadata = owner["metadata"]
        try:
            live = await self._client.get(self._owner, metadata["name"], metadata["namespace"])
        except NotFoundError:
            return False
        return uid_of(live) == uid_of(owner) and not is_going(live)

    async def _adopt(self, owner: JsonObject, obj: JsonObject) -> bool:
        return await self._patch(obj, {"ownerReferences": [controller_reference(owner)]})

    async def _let_go(self, owner: JsonObject, obj: JsonObject) -> None:
        reference = {"$patch": "delete", "uid": uid_of(owner)}
        await self._patch(obj, {"ownerReferences": [reference]})

    async def _patch(self, obj: JsonObject, change: JsonObject) -> bool:
        """Change an object's metadata; return whether it is still there, and free."""
        try:
            await self._client.patch(
                self._owned,
                obj["metadata"]["name"],
                obj["metadata"]["namespace"],
                patch={"metadata": {"uid": uid_of(obj), **change}},
                patch_type="strategic",
            )
        except (NotFoundError, ConflictError, InvalidError):
            # Gone, another one of that name, or somebody else was faster to adopt it.
            return False
        return True
