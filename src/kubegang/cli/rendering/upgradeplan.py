"""The plan of ``kubegang upgrade`` for people."""

from __future__ import annotations

from collections.abc import Iterator, Sequence

from rich.console import Group, RenderableType
from rich.text import Text

from kubegang.cli.rendering.tables import table
from kubegang.tools.upgradeplan import HiddenFields, ObjectReference, UpgradePlan, UpgradeStep
from kubegang.tools.workunits import count_of

NAMED = 20
"""So many objects of a list are named; ``wide`` names all."""


def upgrade_parts(plan: UpgradePlan, *, wide: bool) -> list[RenderableType]:
    """Return the parts of the plan: each step, the commands, the sum.

    Args:
        plan: what to show.
        wide: name every object.
    """
    parts = [part for step in plan.steps for part in _step(step, None if wide else NAMED)]
    if plan.named_gates_gone:
        gone = ", ".join(plan.named_gates_gone)
        parts.append(_titled("Gates to drop from your flags", Text(gone, style="yellow")))
    if plan.commands:
        parts.append(_titled("Commands", Text("\n".join(plan.commands))))
    parts.append(_sum(plan))
    return parts


def _titled(title: str, body: RenderableType) -> RenderableType:
    return Group(Text(title, style="bold"), body)


def _step(step: UpgradeStep, most: int | None) -> Iterator[RenderableType]:
    way = f"{step.from_version} to {step.to_version}"
    if step.must_be_deleted:
        yield _references(f"{way}: must be deleted first", step.must_be_deleted, most)
    if step.go_with_them:
        yield _references(f"{way}: goes with them", step.go_with_them, most)
    if step.stay_unseen:
        yield _references(f"{way}: stays, unseen", step.stay_unseen, most)
    if step.hidden_fields:
        yield _fields(f"{way}: fields not shown", step.hidden_fields, most)
    yield _titled(f"{way}: gang-scheduling gates", _gates(step))
    for title, names in (
        ("gates unknown from then on", step.gates_gone),
        ("API versions no longer served", step.served_dropped),
        ("API versions served in exchange", step.served_added),
    ):
        if names:
            yield _titled(f"{way}: {title}", Text(", ".join(names)))


def _references(
    title: str, references: Sequence[ObjectReference], most: int | None
) -> RenderableType:
    rows = [
        (one.resource, one.namespace, one.name, ", ".join(one.held_by)) for one in references[:most]
    ]
    columns = ("RESOURCE", "NAMESPACE", "NAME", "HELD BY PODS")
    return _titled(title, _with_rest(columns, rows, len(references)))


def _fields(title: str, hidden: Sequence[HiddenFields], most: int | None) -> RenderableType:
    rows = [(one.kind, one.namespace, one.name, ", ".join(one.fields)) for one in hidden[:most]]
    return _titled(title, _with_rest(("KIND", "NAMESPACE", "NAME", "FIELDS"), rows, len(hidden)))


def _with_rest(columns: Sequence[str], rows: Sequence[Sequence[str]], total: int) -> RenderableType:
    shown = table(columns, rows)
    left = total - len(rows)
    return Group(shown, Text(f"and {left} more; -o wide names all")) if left else shown


def _gates(step: UpgradeStep) -> RenderableType:
    rows = [
        (component, ", ".join(gates.drop) or "-", ", ".join(gates.add) or "-")
        for component, gates in step.gates.items()
    ]
    return table(("COMPONENT", "DROP", "ADD"), rows)


def _sum(plan: UpgradePlan) -> Text:
    if not plan.steps:
        return Text(f"{plan.data_directory} holds state of {plan.to_version} already")
    blocking = sum(len(step.must_be_deleted) for step in plan.steps)
    if not blocking:
        return Text(f"{plan.to_version}: nothing is in the way", style="green")
    return Text(
        f"{plan.to_version}: {count_of(blocking, 'object')} must be deleted first", style="red"
    )
