"""What a dump says beside its objects: the second document of the file. Pure."""

from __future__ import annotations

from collections.abc import Iterable
from typing import Final

import msgspec

from kubegang.apimachinery.objects import GroupVersion, GroupVersionKind
from kubegang.tools.cluster.state import Unseen

API_VERSION: Final = "kubegang.dev/v1alpha1"
KIND: Final = "ClusterDump"

_GANG_GROUP: Final = "scheduling.k8s.io"


class DumpFacts(msgspec.Struct, frozen=True, kw_only=True, rename="camel", omit_defaults=True):
    """What was true when the objects were read.

    Attributes:
        taken: when, RFC 3339.
        kubernetes_version: the server's release, ``1.37``.
        feature_gates: the scheduler's gates as they were given, ``A=true,B=false``.
        anonymized: whether names are made up.
        unseen: resources that could not be read.
    """

    api_version: str = API_VERSION
    kind: str = KIND
    taken: str = ""
    kubernetes_version: str = ""
    feature_gates: str = ""
    anonymized: bool = False
    unseen: tuple[Unseen, ...] = ()


def release_of_version(text: str) -> str:
    """Return ``1.37`` of ``v1.37.2+kubegang``; empty for what is no version."""
    major, _, rest = text.removeprefix("v").partition(".")
    minor = rest.partition(".")[0]
    return f"{major}.{minor}" if major.isdigit() and minor.isdigit() else ""


def release_of_objects(kinds: Iterable[GroupVersionKind]) -> str:
    """Return the release that serves such objects, if the gang objects among them tell.

    v1alpha1 is served by 1.35 only, v1alpha2 by 1.36 only, v1alpha3 and v1beta1 from 1.37 on.
    """
    found = {kind.version for kind in kinds if kind.group == _GANG_GROUP}
    for version, release in (
        ("v1beta1", "1.37"),
        ("v1alpha3", "1.37"),
        ("v1alpha2", "1.36"),
        ("v1alpha1", "1.35"),
    ):
        if version in found:
            return release
    return ""


def is_dump_facts(gvk: GroupVersionKind) -> bool:
    """Return whether a document is that second one."""
    return gvk.kind == KIND and gvk.group_version == GroupVersion.parse(API_VERSION)
