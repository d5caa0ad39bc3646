"""What the rules of ``check`` look at: objects as one API server would keep them. Pure."""

from __future__ import annotations

from typing import NamedTuple

import msgspec

from kubegang.api.facts import Facts
from kubegang.api.profile import VersionProfile
from kubegang.api.scheme import Scheme
from kubegang.apimachinery.objects import GroupVersionKind, JsonObject
from kubegang.scheduler.framework.pods import PodGroupInfo, PodGroupKey, PodInfo

DEFAULT_NAMESPACE = "default"
_BY_ROLE = "spec.mpiReplicaSpecs."


class Written(msgspec.Struct, frozen=True, kw_only=True):
    """An object as somebody wrote it.

    Attributes:
        index: its position among all objects; whoever read it knows the place.
    """

    gvk: GroupVersionKind
    object: JsonObject
    index: int

    @property
    def label(self) -> str:
        """``Job train``, or ``Job research/train``."""
        metadata = self.object.get("metadata") or {}
        name = metadata.get("name") or metadata.get("generateName") or ""
        return label_of(self.gvk.kind, metadata.get("namespace") or "", name)


def label_of(kind: str, namespace: str, name: str) -> str:
    """Return what people call an object; the default namespace goes without saying."""
    return (
        f"{kind} {name}" if namespace in ("", DEFAULT_NAMESPACE) else f"{kind} {namespace}/{name}"
    )


class Found(NamedTuple):
    """A rule that applies, in the version that is looked at.

    Attributes:
        field: the path of the field that decides, as texts have it.
    """

    rule: str
    written: Written
    field: str
    message: str


class Release(msgspec.Struct, frozen=True, kw_only=True):
    """A Kubernetes version with its gates."""

    profile: VersionProfile
    scheme: Scheme
    facts: Facts

    @property
    def name(self) -> str:
        """``1.37``."""
        return self.profile.name


class Kept(NamedTuple):
    """An object as the API server of the version would keep it."""

    written: Written
    object: JsonObject


class Maker(msgspec.Struct, frozen=True, kw_only=True):
    """Pods of one form, and who makes them.

    Attributes:
        path: where the pod stands in the object: empty, or ``spec.template``.
        pod: one of them, as the scheduler sees it.
        root: the object on top of its owners, as far as they are here; itself without any.
    """

    written: Written
    path: str
    pod: PodInfo
    root: Written

    @property
    def label(self) -> str:
        """Return whose pods they are; of a kind with several forms, the role too."""
        name = self.written.label
        role = self.path.removesuffix(".template").rpartition(".")[2]
        return f"{name} ({role})" if self.path.startswith(_BY_ROLE) else name

    def at(self, field: str) -> str:
        """Return the path of a field of the pod."""
        return f"{self.path}.{field}" if self.path else field


class Group(msgspec.Struct, frozen=True, kw_only=True):
    """A pod group and all pods that name it.

    Attributes:
        written: the object that says what the group is like; ``None`` if it is not here.
        label: ``PodGroup train``, or ``Job train``.
        policy: the path of the field with the minimum, or of the policy.
        info: as the scheduler sees it.
        children: how many groups name it as their parent.
        outer_keys: the topology keys of the groups above it, innermost first.
    """

    key: PodGroupKey
    label: str
    written: Written | None
    policy: str
    info: PodGroupInfo | None
    makers: tuple[Maker, ...]
    children: int = 0
    outer_keys: tuple[str, ...] = ()
