"""What a conversion found: what it could not carry over, and why it refuses."""

from __future__ import annotations

from typing import Literal

import msgspec

Level = Literal["refused", "loss", "note"]
Generation = Literal["v1alpha1", "v1alpha2", "v1alpha3", "v1beta1"]


class Finding(msgspec.Struct, frozen=True, kw_only=True):
    """One thing that does not come through as it was.

    Attributes:
        level: ``refused``: there is no right answer; ``loss``: goes on only if losses are
            allowed; ``note``: nothing is lost, but worth knowing.
        where: file, line and column.
        object: ``PodGroup train``.
        field: its path, in the form it was written in.
        message: one sentence.
    """

    level: Level
    where: str
    object: str
    field: str
    message: str


class Conversion(msgspec.Struct, frozen=True, kw_only=True):
    """The answer.

    Attributes:
        to: the version asked for.
        converted: whether there is output: nothing was refused, and losses were allowed.
        findings: in the order of the files.
        output: the manifests, empty if not converted.
    """

    to: Generation
    converted: bool
    findings: tuple[Finding, ...]
    output: str
