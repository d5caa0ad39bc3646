"""What a path means: which resource, in which namespace, which object, which part of it.

Pure: text in, a value out; whether such a resource is served is decided later.
"""

from __future__ import annotations

import msgspec

from kubegang.apimachinery.objects import GroupResource

_NAMESPACE_SUBRESOURCES = ("status", "finalize")


class Target(msgspec.Struct, frozen=True, gc=False):
    """The parts of a resource path.

    Attributes:
        resource: the plural, ``pods``.
        subresource: ``status``, ``binding`` …, or empty.
        too_deep: the path goes on below the subresource.
        watch: the old form ``/api/v1/watch/…``, which always watches.
    """

    group: str
    version: str
    resource: str
    namespace: str = ""
    name: str = ""
    subresource: str = ""
    too_deep: bool = False
    watch: bool = False

    @property
    def group_resource(self) -> GroupResource:
        """The resource as error texts name it."""
        return GroupResource(self.group, self.resource)


def parse_target(path: str) -> Target | None:
    """Return what ``path`` asks for, or ``None`` if it is not below a version.

    ``/api/v1/…`` is the core group, ``/apis/GROUP/VERSION/…`` any other; a trailing slash
    does not matter.
    """
    parts = [part for part in path.split("/") if part]
    if len(parts) > 2 and parts[0] == "api":
        return _parse_rest("", parts[1], parts[2:])
    if len(parts) > 3 and parts[0] == "apis":
        return _parse_rest(parts[1], parts[2], parts[3:])
    return None


def _parse_rest(group: str, version: str, rest: list[str]) -> Target:
    watch = rest[0] == "watch" and len(rest) > 1
    if watch:
        rest = rest[1:]
    namespace = ""
    if rest[0] == "namespaces" and len(rest) > 2:
        namespace = rest[1]
        # ``status`` and ``finalize`` belong to the namespace itself, anything else is in it.
        rest = rest if rest[2] in _NAMESPACE_SUBRESOURCES else rest[2:]
    elif rest[0] == "namespaces" and len(rest) > 1:
        namespace = rest[1]
    return Target(
        group=group,
        version=version,
        resource=rest[0],
        namespace=namespace,
        name=rest[1] if len(rest) > 1 else "",
        subresource=rest[2] if len(rest) > 2 else "",
        too_deep=len(rest) > 3,
        watch=watch,
    )
