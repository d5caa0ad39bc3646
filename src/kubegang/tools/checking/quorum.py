"""Whether the owners of a group's pods create enough of them before any runs. Pure."""

from __future__ import annotations

from collections.abc import Iterator, Mapping

from kubegang.controllers.deployment.strategy import is_rolling, max_surge, max_unavailable
from kubegang.tools.checking.makers import Limit, Makers
from kubegang.tools.checking.model import Found, Group, Kept
from kubegang.tools.workunits import count_of


def unreachable_quorum(group: Group, kept: Mapping[int, Kept], makers: Makers) -> Iterator[Found]:
    """Yield whether fewer pods than the minimum can exist.

    Args:
        group: a gang.
        kept: the objects by their position.
        makers: knows owners.
    """
    if group.info is None or group.info.min_count is None or not group.makers:
        return
    needed, limits = group.info.min_count, _limits(group, kept, makers)
    most = 0
    for limit in limits.values():
        if limit.most is None:
            return
        most += limit.most
    if most >= needed:
        return
    named = [label for label in limits if not label.startswith("Pod ")]
    about = group.written or group.makers[0].written
    field = group.policy if group.written is not None else ""
    if not named:
        message = f"{most} of {needed} members are among the inputs; missing {needed - most}"
        yield Found("quorum-not-here", about, field, f"{group.label}: {message}")
        return
    who = "; ".join(
        f"{label} makes {limits[label].most} at most ({limits[label].why})" for label in named
    )
    advice = f"use min {most}" if most else "no minimum can be met"
    yield Found(
        "quorum-unreachable",
        about,
        field,
        f"{group.label}: {most} of {needed} members can exist; {who}; quorum can never be met; "
        f"{advice}",
    )


def missing_children(group: Group) -> Iterator[Found]:
    """Yield whether fewer groups than the minimum of a composite one are among the inputs."""
    info = group.info
    if info is None or not info.is_composite or group.written is None:
        return
    needed = info.quorum
    if group.children < needed:
        yield Found(
            "quorum-not-here",
            group.written,
            group.policy,
            f"{group.label}: {group.children} of {needed} child groups are among the inputs; "
            f"missing {needed - group.children}",
        )


def stuck_rollouts(group: Group, kept: Mapping[int, Kept]) -> Iterator[Found]:
    """Yield the Deployments of a gang whose roll-outs never have enough new pods."""
    if group.info is None or group.info.min_count is None:
        return
    needed = group.info.min_count
    for maker in group.makers:
        deployment = kept[maker.written.index].object
        if maker.written.gvk.kind != "Deployment" or not is_rolling(deployment):
            continue
        surge, away = max_surge(deployment), max_unavailable(deployment)
        if surge + away < needed:
            yield Found(
                "rollout-below-quorum",
                maker.written,
                "spec.strategy.rollingUpdate.maxSurge",
                _rollout_text(group, needed, surge=surge, away=away),
            )


def _rollout_text(group: Group, needed: int, *, surge: int, away: int) -> str:
    also = f" with {count_of(away, 'pod')} taken away first" if away else ""
    return (
        f"{group.label}: surge of {surge}{also} can never form a gang of {needed}: "
        f"maxSurge ≥ {needed - away}"
    )


def _limits(group: Group, kept: Mapping[int, Kept], makers: Makers) -> dict[str, Limit]:
    """Return how many pods each owner makes; several forms and pods may have one owner."""
    limits: dict[str, Limit] = {}
    for maker in group.makers:
        limits.setdefault(maker.root.label, makers.limit_of(kept[maker.root.index]))
    return limits
