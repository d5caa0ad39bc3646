"""The way of a data directory from one Kubernetes release to another, step by step. Pure.

Upstream's rules (measured on kube-apiserver 1.35.4, 1.36.3 and 1.37.2, one on the data of the
other): one minor version at a time. A server that finds an object of a resource that it serves
in a version that it cannot decode never gets ready, and lists, reads and deletes of that
resource fail, so such objects must be deleted while the old release still runs. Objects of a
resource that it does not serve stay where they are, unseen. Fields that a release does not
know are not shown; they come back with a release that knows them, unless the object was
written in between.
"""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Mapping, Sequence

import msgspec

from kubegang.api.facts import Facts
from kubegang.api.profile import Component, VersionProfile
from kubegang.apimachinery.objects import GroupVersion, GroupVersionKind, JsonObject
from kubegang.apimachinery.unknownfields import prune, unknown_fields
from kubegang.tools.upgradegates import ComponentGates, gate_changes, gates_gone

ENDED = frozenset({"Succeeded", "Failed"})


class NoWayError(ValueError):
    """A release that cannot be reached."""


class KnownRelease(msgspec.Struct, frozen=True):
    """What a release serves and knows.

    Attributes:
        prefixes: where the objects of the resources that it serves lie in the store.
    """

    profile: VersionProfile
    facts: Facts
    prefixes: frozenset[str]

    @property
    def name(self) -> str:
        """``1.37``."""
        return self.profile.name


class ObjectReference(msgspec.Struct, frozen=True, rename="camel"):
    """An object, as kubectl would be told about it.

    Attributes:
        resource: ``podgroups.v1alpha2.scheduling.k8s.io``.
        held_by: pods that keep a PodGroup from going until they end.
    """

    api_version: str
    kind: str
    namespace: str
    name: str
    resource: str
    held_by: tuple[str, ...] = ()


class HiddenFields(msgspec.Struct, frozen=True, rename="camel"):
    """Fields of an object that the release does not show."""

    kind: str
    namespace: str
    name: str
    fields: tuple[str, ...]


class UpgradeStep(msgspec.Struct, frozen=True, rename="camel", kw_only=True):
    """From one release to the next or the one before.

    Attributes:
        must_be_deleted: objects that the new release would serve, but cannot decode.
        go_with_them: what they own, which goes with them.
        stay_unseen: objects of resources that the new release does not serve.
        hidden_fields: what of the others the new release does not show.
        gates: what to drop from and add to the gate flags of each component.
        gates_gone: every gate that flags may not name any more.
        served_dropped, served_added: API versions for ``--runtime-config``.
    """

    from_version: str
    to_version: str
    must_be_deleted: tuple[ObjectReference, ...]
    go_with_them: tuple[ObjectReference, ...]
    stay_unseen: tuple[ObjectReference, ...]
    hidden_fields: tuple[HiddenFields, ...]
    gates: Mapping[Component, ComponentGates]
    gates_gone: tuple[str, ...]
    served_dropped: tuple[str, ...]
    served_added: tuple[str, ...]


class StoredObject(msgspec.Struct, frozen=True):
    """An object as it was last written, and its key in the store."""

    key: str
    object: JsonObject


class UpgradePlan(msgspec.Struct, frozen=True, rename="camel", kw_only=True):
    """What ``kubegang upgrade`` prints.

    Attributes:
        possible: nothing must be deleted first.
        named_gates_gone: gates of the flags that were passed along, and that a release on the
            way does not know.
        commands: what to run, in order.
    """

    data_directory: str
    from_version: str
    to_version: str
    possible: bool
    steps: tuple[UpgradeStep, ...]
    named_gates_gone: tuple[str, ...]
    commands: tuple[str, ...]


class Outcome(msgspec.Struct, frozen=True):
    """What a step makes of the stored objects.

    Attributes:
        removed: those that must be deleted, and what goes with them.
        shown: the others as the new release shows them.
    """

    step: UpgradeStep
    removed: tuple[StoredObject, ...]
    shown: tuple[tuple[StoredObject, JsonObject], ...]


def way(releases: Sequence[KnownRelease], start: str, end: str) -> list[KnownRelease]:
    """Return the releases from one to another, one minor version at a time, both included.

    Raises:
        NoWayError: one of them is not known.
    """
    names = [release.name for release in releases]
    for name in (start, end):
        if name not in names:
            raise NoWayError(f"unknown Kubernetes version {name!r}; known are: {', '.join(names)}")
    first, last = names.index(start), names.index(end)
    if first <= last:
        return list(releases[first : last + 1])
    return list(reversed(releases[last : first + 1]))


def plan_step(
    objects: Sequence[StoredObject],
    *,
    before: KnownRelease,
    after: KnownRelease,
    releases: Sequence[KnownRelease],
) -> Outcome:
    """Return what the step between two neighbouring releases does to the stored objects."""
    foreign = [one for one in objects if _is_foreign(one.object, after, releases)]
    blocking = [one for one in foreign if prefix_of(one.key) in after.prefixes]
    unseen = [one for one in foreign if prefix_of(one.key) not in after.prefixes]
    followers = list(_followers(objects, blocking))
    gone = {one.key for one in (*blocking, *followers)}
    shown = tuple((one, _shown(one.object, after)) for one in objects if one.key not in gone)
    step = UpgradeStep(
        from_version=before.name,
        to_version=after.name,
        must_be_deleted=tuple(_referred(one, objects) for one in blocking),
        go_with_them=tuple(_referred(one, ()) for one in followers),
        stay_unseen=tuple(_referred(one, ()) for one in unseen),
        hidden_fields=tuple(
            _hidden(one.object, after) for one, seen in shown if seen is not one.object
        ),
        gates=gate_changes(before.profile, after.profile),
        gates_gone=gates_gone(before.profile, after.profile),
        served_dropped=_missing(before.profile.served, after.profile.served),
        served_added=_missing(after.profile.served, before.profile.served),
    )
    return Outcome(step, removed=(*blocking, *followers), shown=shown)


def prefix_of(key: str) -> str:
    """Return the part of a key that all objects of its resource have in common."""
    return "/".join(key.split("/", 3)[:3]) + "/"


def left_over(
    objects: Sequence[StoredObject], release: KnownRelease, releases: Sequence[KnownRelease]
) -> tuple[ObjectReference, ...]:
    """Return the objects with which a release would not start: it serves them, in no form."""
    return tuple(
        _referred(one, objects)
        for one in objects
        if prefix_of(one.key) in release.prefixes and _is_foreign(one.object, release, releases)
    )


def _is_foreign(obj: JsonObject, release: KnownRelease, releases: Sequence[KnownRelease]) -> bool:
    """Return whether only other releases can decode an object."""
    kind = kind_of(obj)
    # What no release knows is a custom resource, and none of a release's business.
    return not _knows(release, kind) and any(_knows(other, kind) for other in releases)


def kind_of(obj: JsonObject) -> GroupVersionKind:
    """Return the kind in which an object is stored."""
    group, version = GroupVersion.parse(obj["apiVersion"])
    return GroupVersionKind(group, version, obj["kind"])


def _knows(release: KnownRelease, kind: GroupVersionKind) -> bool:
    try:
        release.facts.kind(kind)
    except KeyError:
        return False
    return True


def _shown(obj: JsonObject, release: KnownRelease) -> JsonObject:
    """Return the object without fields that the release does not know; itself if it has none."""
    kind = kind_of(obj)
    if not _knows(release, kind):
        return obj
    schema = release.facts.kind(kind)
    return prune(obj, schema) if unknown_fields(obj, schema) else obj


def _hidden(obj: JsonObject, release: KnownRelease) -> HiddenFields:
    metadata = obj["metadata"]
    return HiddenFields(
        kind=obj["kind"],
        namespace=metadata.get("namespace", ""),
        name=metadata["name"],
        fields=tuple(unknown_fields(obj, release.facts.kind(kind_of(obj)))),
    )


def _followers(
    objects: Sequence[StoredObject], removed: Iterable[StoredObject]
) -> Iterator[StoredObject]:
    """Yield what has owners, all of which go: the garbage collector would take it along."""
    gone = {one.object["metadata"].get("uid") for one in removed}
    left = [one for one in objects if one.object["metadata"].get("uid") not in gone]
    while True:
        following = [one for one in left if _has_lost_all_owners(one.object, gone)]
        if not following:
            return
        yield from following
        gone |= {one.object["metadata"].get("uid") for one in following}
        left = [one for one in left if one.object["metadata"].get("uid") not in gone]


def _has_lost_all_owners(obj: JsonObject, gone: set[str | None]) -> bool:
    owners = obj["metadata"].get("ownerReferences") or ()
    return bool(owners) and all(owner.get("uid") in gone for owner in owners)


def _referred(one: StoredObject, objects: Sequence[StoredObject]) -> ObjectReference:
    obj, kind = one.object, kind_of(one.object)
    namespace, name = obj["metadata"].get("namespace", ""), obj["metadata"]["name"]
    plural = one.key.split("/")[2]
    return ObjectReference(
        api_version=obj["apiVersion"],
        kind=obj["kind"],
        namespace=namespace,
        name=name,
        resource=".".join(filter(None, (plural, kind.version if kind.group else "", kind.group))),
        held_by=tuple(_holders(objects, namespace, name)) if obj["kind"] == "PodGroup" else (),
    )


def _holders(objects: Iterable[StoredObject], namespace: str, group: str) -> Iterator[str]:
    """Yield the pods of a group that have not ended; its finalizer waits for them."""
    for one in objects:
        obj = one.object
        if obj["kind"] != "Pod" or obj["metadata"].get("namespace") != namespace:
            continue
        wanted = (obj["spec"].get("schedulingGroup") or {}).get("podGroupName")
        if wanted == group and (obj.get("status") or {}).get("phase") not in ENDED:
            yield obj["metadata"]["name"]


def _missing(these: Sequence[GroupVersion], those: Sequence[GroupVersion]) -> tuple[str, ...]:
    return tuple(str(one) for one in these if one not in those)
