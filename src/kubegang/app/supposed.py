"""What somebody supposes to be otherwise, as flags and the page say it."""

from __future__ import annotations

from typing import NamedTuple

import msgspec

from kubegang.tools.workunits import count_of


class AddedNodes(NamedTuple):
    """``--add-nodes 3=SHAPE``, or ``0..5=SHAPE`` for the least number that is enough."""

    least: int
    most: int
    shape: str


class Suppositions(msgspec.Struct, frozen=True, kw_only=True):
    """The flags of ``what-if`` that suppose something.

    Attributes:
        priorities: ``KIND/NAME=VALUE``, a number or a PriorityClass.
        submit: manifests.
        releases: plans are made by the rules of each; none stands for the cluster's own.
        defrag: running pods may be moved where that lets more start.
    """

    add_nodes: tuple[AddedNodes, ...] = ()
    cordon: tuple[str, ...] = ()
    drain: tuple[str, ...] = ()
    priorities: tuple[str, ...] = ()
    submit: tuple[str, ...] = ()
    releases: tuple[str, ...] = ()
    namespace: str = "default"
    defrag: bool = False


def words_of(supposed: Suppositions) -> list[str]:
    """Return what is supposed, in words."""
    words = [f"add {_range(added)} of {added.shape}" for added in supposed.add_nodes]
    words += [f"cordon {name}" for name in supposed.cordon]
    words += [f"drain {name}" for name in supposed.drain]
    words += [f"set priority {text}" for text in supposed.priorities]
    words += [f"submit {path}" for path in supposed.submit]
    words += ["move running pods"] if supposed.defrag else []
    words += [f"as {release}" for release in supposed.releases]
    return words


def _range(added: AddedNodes) -> str:
    if added.least == added.most:
        return count_of(added.most, "node")
    return f"{added.least} to {added.most} nodes"
