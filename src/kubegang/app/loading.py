"""Creates the objects of the input files through the API.

An object that was saved from a cluster (``kubectl get -o yaml``) carries what only a server
may set. That is left out, and references to its uid are turned into references to the new
one. Its status is written afterwards, where the API lets a client do so.
"""

from __future__ import annotations

from collections.abc import Iterable, Mapping
from typing import Any

import msgspec

from kubegang.apimachinery.errors import AlreadyExistsError, ApiError
from kubegang.apimachinery.objects import JsonObject
from kubegang.app.controllers.parts import resource_of
from kubegang.app.inputs import InputObject
from kubegang.client.interface import Client
from kubegang.client.resources import NAMESPACES

SET_BY_SERVER = (
    "uid",
    "resourceVersion",
    "creationTimestamp",
    "deletionTimestamp",
    "deletionGracePeriodSeconds",
    "generation",
    "managedFields",
    "selfLink",
)
JOB_LABELS = (
    "controller-uid",
    "batch.kubernetes.io/controller-uid",
    "job-name",
    "batch.kubernetes.io/job-name",
)


class LoadOrder(msgspec.Struct, frozen=True):
    """What is there from the start, and what is submitted then.

    Attributes:
        initial: namespaces, what belongs to the whole cluster, pods that have a node, and
            everything that was saved from a cluster; owners before what they own.
        submitted: the rest, in the order of the files.
    """

    initial: tuple[InputObject, ...]
    submitted: tuple[InputObject, ...]


def load_order(objects: tuple[InputObject, ...]) -> LoadOrder:
    """Divide objects into the start and what is submitted."""
    initial = [found for found in objects if _is_initial(found)]
    submitted = tuple(found for found in objects if not _is_initial(found))
    return LoadOrder(tuple(_owners_first(sorted(initial, key=_rank))), submitted)


class Loader:
    """Creates objects one after the other.

    Attributes:
        problems: what the API refused, with its place.
        warnings: what it did not take as it was written.
    """

    def __init__(self, client: Client) -> None:
        self._client = client
        self._new_uids: dict[str, str] = {}
        self._refused_namespaces: set[str] = set()
        self.problems: list[str] = []
        self.warnings: list[str] = []

    async def make_namespaces(self, objects: tuple[InputObject, ...]) -> None:
        """Create the namespaces that objects are in and that no file describes."""
        described = {
            found.object["metadata"].get("name")
            for found in objects
            if found.row.group_resource == (NAMESPACES.group, NAMESPACES.plural)
        }
        used = dict.fromkeys(found.namespace for found in objects if found.namespace)
        for name in used:
            if name not in described:
                namespace = {"apiVersion": "v1", "kind": "Namespace", "metadata": {"name": name}}
                try:
                    await self._client.create(NAMESPACES, namespace)
                except AlreadyExistsError:
                    continue
                except ApiError as error:
                    first = next(found for found in objects if found.namespace == name)
                    place = first.place("metadata.namespace")
                    self.problems.append(f"{place}: {error.message}")
                    self._refused_namespaces.add(name)

    async def create_all(self, objects: Iterable[InputObject]) -> None:
        """Create objects in their order, as far as their namespace could be made."""
        for found in objects:
            if found.namespace not in self._refused_namespaces:
                await self._create(found)

    async def _create(self, found: InputObject) -> None:
        """Create an object; what is wrong with it is added to ``problems``."""
        obj = self._prepared(found)
        resource = resource_of(found.row)
        try:
            created = await self._client.create(resource, obj, found.namespace)
        except AlreadyExistsError as error:
            if not await self._has_from_birth(found):
                self.problems.append(f"{found.place('metadata.name')}: {error.message}")
            return
        except ApiError as error:
            self.problems += _explained(found, error)
            return
        old_uid = found.object["metadata"].get("uid")
        if old_uid:
            self._new_uids[old_uid] = created["metadata"]["uid"]
        await self._write_status(found, created)

    async def _has_from_birth(self, found: InputObject) -> bool:
        """Return whether an object that exists is one that every cluster has, and no other."""
        metadata = found.object["metadata"]
        if metadata.get("uid"):
            return True
        existing = await self._client.get(resource_of(found.row), metadata["name"], found.namespace)
        others = ("metadata", "status")
        return all(existing.get(k) == v for k, v in found.object.items() if k not in others)

    def _prepared(self, found: InputObject) -> JsonObject:
        obj: JsonObject = _with_uids(found.object, self._new_uids)
        metadata = {k: v for k, v in obj["metadata"].items() if k not in SET_BY_SERVER}
        owners = metadata.get("ownerReferences") or []
        known = [owner for owner in owners if owner.get("uid") in self._new_uids.values()]
        for owner in owners:
            if owner not in known:
                self.warnings.append(
                    f"{found.place('metadata.ownerReferences')}: the owner {owner.get('kind')} "
                    f"{owner.get('name')} is not in the files; the reference is left out"
                )
        if owners:
            metadata["ownerReferences"] = known
        if found.object["metadata"].get("deletionTimestamp"):
            self.warnings.append(
                f"{found.place('metadata.deletionTimestamp')}: {found.row.kind} "
                f"{metadata.get('name')} was being deleted; here it is not"
            )
        obj = {**obj, "metadata": metadata}
        if found.row.kind == "Job" and found.object["metadata"].get("uid"):
            _forget_selector(obj)
        if found.row.kind == "Service" and found.object["metadata"].get("uid"):
            _forget_addresses(obj)
        return obj

    async def _write_status(self, found: InputObject, created: JsonObject) -> None:
        status = found.object.get("status")
        if not status or not found.row.status_subresource or created.get("status") == status:
            return
        try:
            await self._client.update(
                resource_of(found.row), {**created, "status": status}, subresource="status"
            )
        except ApiError as error:
            self.warnings += [
                f"{line}; the status is left out" for line in _explained(found, error)
            ]


def _is_initial(found: InputObject) -> bool:
    obj = found.object
    is_bound = found.row.kind == "Pod" and bool((obj.get("spec") or {}).get("nodeName"))
    return not found.row.namespaced or is_bound or bool(obj["metadata"].get("uid"))


def _rank(found: InputObject) -> int:
    if found.row.kind == "Namespace":
        return 0
    return 2 if found.row.namespaced else 1


def _owners_first(objects: list[InputObject]) -> list[InputObject]:
    by_uid = {found.object["metadata"].get("uid"): found for found in objects}
    ordered: list[InputObject] = []
    visited: set[int] = set()

    def visit(found: InputObject) -> None:
        # Marked before its owners are visited, so that owners in a circle come to an end.
        if id(found) in visited:
            return
        visited.add(id(found))
        for owner in found.object["metadata"].get("ownerReferences") or ():
            if owner.get("uid") in by_uid:
                visit(by_uid[owner["uid"]])
        ordered.append(found)

    for found in objects:
        visit(found)
    return ordered


def _with_uids(value: Any, uids: Mapping[str, str]) -> Any:
    """Return a copy in which old uids are replaced wherever they stand."""
    if isinstance(value, dict):
        return {key: _with_uids(item, uids) for key, item in value.items()}
    if isinstance(value, list):
        return [_with_uids(item, uids) for item in value]
    return uids.get(value, value) if isinstance(value, str) else value


def _forget_addresses(obj: JsonObject) -> None:
    """Take out the addresses that another server allocated; this one gives its own."""
    spec = obj.get("spec") or {}
    if spec.get("clusterIP") == "None":
        return
    ports = [
        {name: value for name, value in port.items() if name != "nodePort"}
        for port in spec.get("ports") or []
    ]
    kept = {k: v for k, v in spec.items() if k not in ("clusterIP", "clusterIPs")}
    obj["spec"] = {**kept, "ports": ports}


def _forget_selector(job: JsonObject) -> None:
    """Leave out the selector and labels that the server made from the Job's old uid."""
    spec = job["spec"] = dict(job.get("spec") or {})
    if spec.get("manualSelector"):
        return
    spec.pop("selector", None)
    template = spec["template"] = dict(spec.get("template") or {})
    metadata = template["metadata"] = dict(template.get("metadata") or {})
    labels = metadata.get("labels") or {}
    metadata["labels"] = {k: v for k, v in labels.items() if k not in JOB_LABELS}


def _explained(found: InputObject, error: ApiError) -> list[str]:
    """Return one line for each thing that the API says is wrong."""
    causes = error.details.causes if error.details is not None else ()
    if not causes:
        return [f"{found.place()}: {error.message}"]
    name = found.object["metadata"].get("name") or ""
    subject = f"{found.row.kind} {name}".rstrip()
    return [
        f"{found.place(cause.field)}: {subject}: {cause.field}: {cause.message}" for cause in causes
    ]
