"""One rule of a role: what it allows, and whether some rules cover others. Pure.

``*`` stands for every verb, group, resource or path; ``*/scale`` for that part of every
resource; a path may end in ``*``. A rule with resource names allows only those.
"""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Sequence

import msgspec

from kubegang.apimachinery.gotext import go_quote
from kubegang.apiserver.authorization.attributes import Attributes

ALL = "*"


class PolicyRule(msgspec.Struct, frozen=True, omit_defaults=True):
    """A rule as roles carry it."""

    verbs: tuple[str, ...] = ()
    api_groups: tuple[str, ...] = msgspec.field(default=(), name="apiGroups")
    resources: tuple[str, ...] = ()
    resource_names: tuple[str, ...] = msgspec.field(default=(), name="resourceNames")
    non_resource_urls: tuple[str, ...] = msgspec.field(default=(), name="nonResourceURLs")

    def allows(self, asked: Attributes) -> bool:
        """Return whether what is asked for falls under this rule."""
        if asked.verb not in self.verbs and ALL not in self.verbs:
            return False
        if asked.path:
            return any(_path_covers(url, asked.path) for url in self.non_resource_urls)
        return (
            (asked.group in self.api_groups or ALL in self.api_groups)
            and self._has_resource(asked)
            and (not self.resource_names or asked.name in self.resource_names)
        )

    def _has_resource(self, asked: Attributes) -> bool:
        resources = self.resources
        if ALL in resources or asked.whole_resource in resources:
            return True
        return bool(asked.subresource) and f"*/{asked.subresource}" in resources

    def covers(self, other: PolicyRule) -> bool:
        """Return whether this rule alone allows all that another one does."""
        return (
            _covers(self.verbs, other.verbs)
            and _covers(self.api_groups, other.api_groups)
            and _resources_cover(self.resources, other.resources)
            and all(
                any(_path_covers(own, url) for own in self.non_resource_urls)
                for url in other.non_resource_urls
            )
            and _names_cover(self.resource_names, other.resource_names)
        )

    def parts(self) -> Iterator[PolicyRule]:
        """Return rules of one verb, group, resource and name each that make up this one."""
        for group in self.api_groups:
            for resource in self.resources:
                for verb in self.verbs:
                    for name in self.resource_names or ("",):
                        names = (name,) if name else ()
                        yield PolicyRule((verb,), (group,), (resource,), names)
        for url in self.non_resource_urls:
            for verb in self.verbs:
                yield PolicyRule((verb,), non_resource_urls=(url,))

    def __str__(self) -> str:
        """Say the rule in Go's compact form, as refusals do."""
        members = (
            ("APIGroups", self.api_groups),
            ("Resources", self.resources),
            ("NonResourceURLs", self.non_resource_urls),
            ("ResourceNames", self.resource_names),
            ("Verbs", self.verbs),
        )
        said = ", ".join(f"{name}:[{_quoted(values)}]" for name, values in members if values)
        return f"{{{said}}}"


EVERYTHING = (
    PolicyRule((ALL,), (ALL,), (ALL,)),
    PolicyRule((ALL,), non_resource_urls=(ALL,)),
)
"""What an administrator of the whole cluster may do."""


def missing_rules(held: Sequence[PolicyRule], wanted: Iterable[PolicyRule]) -> list[PolicyRule]:
    """Return the parts of the wanted rules that none of the held ones covers."""
    return [
        part
        for rule in wanted
        for part in rule.parts()
        if not any(own.covers(part) for own in held)
    ]


def joined(parts: Iterable[PolicyRule]) -> list[PolicyRule]:
    """Join the verbs of parts that are about the same resource and name."""
    found: dict[PolicyRule, list[str]] = {}
    apart: list[PolicyRule] = []
    for part in parts:
        if part.non_resource_urls:
            apart.append(part)
        else:
            found.setdefault(msgspec.structs.replace(part, verbs=()), []).extend(part.verbs)
    together = [msgspec.structs.replace(one, verbs=tuple(of)) for one, of in found.items()]
    return [*together, *apart]


def _covers(held: Sequence[str], wanted: Sequence[str]) -> bool:
    return ALL in held or set(wanted) <= set(held)


def _resources_cover(held: Sequence[str], wanted: Sequence[str]) -> bool:
    if _covers(held, wanted):
        return True
    return all(
        resource in held or ("/" in resource and f"*/{resource.split('/', 1)[1]}" in held)
        for resource in wanted
    )


def _names_cover(held: Sequence[str], wanted: Sequence[str]) -> bool:
    return not held or (bool(wanted) and set(wanted) <= set(held))


def _path_covers(held: str, wanted: str) -> bool:
    return held in (ALL, wanted) or (held.endswith(ALL) and wanted.startswith(held[:-1]))


def _quoted(values: Sequence[str]) -> str:
    return ", ".join(go_quote(value) for value in values)
