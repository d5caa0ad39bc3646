"""The door: files in, manifests of one generation and what could not be carried over out."""

from __future__ import annotations

from collections import Counter
from collections.abc import Callable, Collection, Sequence

from kubegang.apimachinery.objects import JsonObject
from kubegang.tools.converting.batch import SCHEDULING, Batch, Item
from kubegang.tools.converting.edits import member, members, plain, put
from kubegang.tools.converting.foreign.registry import FOREIGN_KINDS, bring_in
from kubegang.tools.converting.generations import (
    GANG_KINDS,
    RELEASE_OF,
    Release,
    source_release,
)
from kubegang.tools.converting.jobs import convert_jobs
from kubegang.tools.converting.lowering import lower_to_first_alpha, lower_to_second_alpha
from kubegang.tools.converting.priorities import agree_on_priorities
from kubegang.tools.converting.raising import raise_first_alpha, raise_second_alpha
from kubegang.tools.converting.report import Conversion, Finding, Generation

Judge = Callable[[JsonObject], Sequence[tuple[str, str]]]
"""What the API of the target says against an object: field and message."""


def convert(
    files: Sequence[tuple[str, str]],
    target: Generation,
    *,
    source: str,
    judge: Judge,
    known: Collection[tuple[str, str]],
    ignore_unknown: bool,
    allow_loss: bool,
) -> Conversion:
    """Convert the objects of all files together: they refer to each other.

    Args:
        files: name and text of each.
        target: the version asked for.
        source: the version that says which release Jobs are for, or empty to see it from the
            other objects.
        judge: validation of the target's API, for what was changed.
        known: group and kind of all that the target's release serves.
        ignore_unknown: let other kinds through as they are.
        allow_loss: go on when a field has no counterpart.

    Raises:
        ManifestError: a file is no manifest; with line and column.
    """
    batch = Batch(files, target, source=source)
    _look_for_unknown(batch, known, ignore_unknown=ignore_unknown)
    release = source_release(batch)
    bring_in(batch)
    _between_generations(batch, release)
    _point_owners(batch)
    _look_for_twins(batch)
    if not _hinders(batch.findings, allow_loss=allow_loss):
        for item in batch.items:
            _judge(batch, item, judge)
    converted = not _hinders(batch.findings, allow_loss=allow_loss)
    return Conversion(
        to=target,
        converted=converted,
        findings=tuple(batch.findings),
        output=batch.output() if converted else "",
    )


def _between_generations(batch: Batch, source: Release | None) -> None:
    target = batch.target
    if target != "v1alpha1":
        raise_first_alpha(batch)
    if target != "v1alpha2":
        raise_second_alpha(batch)
    convert_jobs(batch, source)
    agree_on_priorities(batch)
    if target == "v1alpha1":
        lower_to_first_alpha(batch)
    elif target == "v1alpha2":
        lower_to_second_alpha(batch)
    else:
        _choose_newest(batch)


def _choose_newest(batch: Batch) -> None:
    """Give Workloads and PodGroups the version asked for; composite groups have only one."""
    for item in batch.of(SCHEDULING, *GANG_KINDS):
        if item.kind != "CompositePodGroup":
            put(item.body, "apiVersion", f"{SCHEDULING}/{batch.target}")
        elif batch.target == "v1beta1":
            message = "stays v1alpha3: v1beta1 has no CompositePodGroup"
            batch.tell("note", item, "apiVersion", message)


def _point_owners(batch: Batch) -> None:
    """Let owner references name the version that the owners have now."""
    for item in batch.items:
        for owner in members(member(item.body, "metadata").get("ownerReferences")):
            group = str(owner.get("apiVersion", "")).rpartition("/")[0]
            if group == SCHEDULING and owner.get("kind") in GANG_KINDS[:2]:
                put(owner, "apiVersion", f"{SCHEDULING}/{batch.target}")


def _look_for_unknown(
    batch: Batch, known: Collection[tuple[str, str]], *, ignore_unknown: bool
) -> None:
    """Refuse kinds nobody knows: a gang could be described inside them."""
    for item in batch.items:
        group_kind = (item.gvk.group, item.kind)
        if group_kind in known or group_kind in FOREIGN_KINDS or item.gvk.group == SCHEDULING:
            continue
        message = f"unknown kind {item.kind} of {item.body['apiVersion']}"
        if ignore_unknown:
            batch.tell("note", item, "kind", f"{message}: left as it is")
        else:
            hint = "leave it as it is with --ignore-unknown"
            batch.tell("refused", item, "kind", f"{message}: {hint}")


def _look_for_twins(batch: Batch) -> None:
    """Refuse two objects of one name, which two sources may have become."""
    kept = [item for item in batch.items if not item.dropped and item.name]
    names = Counter(_identity(item) for item in kept)
    for item in kept:
        if names[_identity(item)] > 1 and item.changed:
            message = f"several objects would be {item.kind} {item.name}"
            batch.tell("refused", item, "metadata.name", message)


def _identity(item: Item) -> tuple[str, str, str, str]:
    return item.gvk.group, item.kind, item.namespace, item.name


def _judge(batch: Batch, item: Item, judge: Judge) -> None:
    if item.dropped or not item.changed:
        return
    if item.document.expanded and not item.new:
        message = "the document is written anew, without its anchors and comments"
        batch.tell("note", item, "", message)
    for field, message in judge(plain(item.body)):
        release = RELEASE_OF[batch.target]
        batch.tell("refused", item, field, f"{release} refuses the result: {message}")


def _hinders(findings: Sequence[Finding], *, allow_loss: bool) -> bool:
    hindering = ("refused",) if allow_loss else ("refused", "loss")
    return any(finding.level in hindering for finding in findings)
