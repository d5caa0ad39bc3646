"""Who is needed, who is there, and whether the others can ever come. Pure."""

from __future__ import annotations

from kubegang.scheduler.framework.pods import PodGroupKey
from kubegang.tools.explaining.case import Case
from kubegang.tools.explaining.owners import owners_of
from kubegang.tools.explaining.report import OwnerFinding, Quorum
from kubegang.tools.workunits import count_of


def quorum_of(case: Case) -> Quorum | None:
    """Return who is needed and there; ``None`` for a pod that belongs to no group."""
    if not isinstance(case.key, PodGroupKey):
        return None
    needed = case.group.quorum if case.group is not None else 0
    if case.group is not None and case.group.is_composite:
        return _of_composite(case, case.key, needed)
    exist = case.stage.cache.groups.known_members(case.key)
    missing = max(needed - exist, 0)
    owners = owners_of(case.stage.state, case.pods)
    reachable = _reachable(owners, needed) if needed else None
    return Quorum(
        needed=needed,
        exist=exist,
        scheduled=len(case.placed),
        missing=missing,
        reachable=reachable,
        owners=owners,
        message=_sentence(case, needed, exist, owners=owners, reachable=reachable),
    )


def _of_composite(case: Case, key: PodGroupKey, needed: int) -> Quorum:
    waiting = case.outcome.waiting
    exist = len(case.stage.cache.groups.child_groups(key)) if waiting is None else waiting.known
    return Quorum(
        needed=needed,
        exist=exist,
        scheduled=len(case.placed),
        missing=max(needed - exist, 0),
        message=f"{exist} of {needed} child groups are complete",
    )


def _reachable(owners: tuple[OwnerFinding, ...], needed: int) -> bool | None:
    """Return whether the owners make enough pods; one that is not known may make any number."""
    limits = [owner.can_create for owner in owners]
    if not limits or any(limit is None for limit in limits):
        return None
    return sum(limit or 0 for limit in limits) >= needed


def _sentence(
    case: Case,
    needed: int,
    exist: int,
    *,
    owners: tuple[OwnerFinding, ...],
    reachable: bool | None,
) -> str:
    if case.group is None:
        return f"{count_of(exist, 'member')} exist, but not the group's object"
    sentence = f"{exist} of {needed} members exist"
    if exist < needed:
        sentence = f"{sentence}; missing {needed - exist}"
    said = [_about(owner) for owner in owners if exist < needed or reachable is False]
    if reachable is False:
        most = sum(owner.can_create or 0 for owner in owners)
        said.append(f"quorum can never be met; use min {most}" if most else "quorum cannot be met")
    return "; ".join([sentence, *said])


def _about(owner: OwnerFinding) -> str:
    text = f"{owner.kind} {owner.name}"
    if owner.can_create is not None:
        text = f"{text} makes {owner.can_create} at most ({owner.why})"
    if owner.problem:
        text = f"{text}, last error: {owner.problem}"
    return text
