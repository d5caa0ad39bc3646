"""A data directory's step from one Kubernetes release to another.

1. what must go is written to a file, so that nobody's deletion is final
2. the store changes in one transaction, which also notes the release
3. the directory's ``kubernetes-version`` follows

The store's note counts: a process that ends anywhere in between has either not stepped, or
has, and the next one writes the file again.
"""

from __future__ import annotations

import contextlib
import itertools
from collections.abc import Sequence

import msgspec

from kubegang.app.certificates import write_private
from kubegang.app.datadir import DataDirectory
from kubegang.app.directorystate import (
    alone,
    note_release,
    objects_of,
    rewrite,
    state_of,
    way_between,
)
from kubegang.app.errors import BadInputError
from kubegang.app.releases import known_releases
from kubegang.base.clock import Clock
from kubegang.store.offline import Reached, StoreState
from kubegang.tools.upgradecommands import commands
from kubegang.tools.upgradegates import gates_to_drop
from kubegang.tools.upgradeplan import (
    KnownRelease,
    Outcome,
    StoredObject,
    UpgradePlan,
    plan_step,
)


def plan_upgrade(
    directory: DataDirectory, to_version: str, *, named_gates: Sequence[str] = ()
) -> UpgradePlan:
    """Return the plan for a directory, which a cluster may be using meanwhile.

    Args:
        directory: where the state lies.
        to_version: the release to reach.
        named_gates: the gates that the flags of ``up`` name so far.

    Raises:
        BadInputError: there is no state, it cannot be read, or a release is not known.
    """
    state, start = state_of(directory)
    releases = known_releases()
    outcomes = _outcomes(
        objects_of(state.items), way_between(releases, start, to_version), releases
    )
    steps = tuple(outcome.step for outcome in outcomes)
    gone = {gate for step in steps for gate in step.gates_gone}
    return UpgradePlan(
        data_directory=str(directory.root),
        from_version=start,
        to_version=to_version,
        possible=not any(step.must_be_deleted for step in steps),
        steps=steps,
        named_gates_gone=gates_to_drop(named_gates, gone),
        commands=commands(
            steps, data_directory=str(directory.root), kubeconfig=str(directory.kubeconfig)
        ),
    )


async def apply_upgrade(
    directory: DataDirectory,
    to_version: str,
    *,
    clock: Clock,
    reached: Reached = lambda _point: None,
) -> None:
    """Walk a directory, which nobody else uses, to a release; delete what is in the way.

    Args:
        directory: where the state lies; locked by the caller.
        to_version: the release to reach.
        clock: the time.
        reached: is told how far it has come.

    Raises:
        BadInputError: there is no state, it cannot be changed, or a release is not known.
    """
    _, start = state_of(directory)
    releases = known_releases()
    path = way_between(releases, start, to_version)
    for before, after in itertools.pairwise(path):
        with contextlib.ExitStack() as stack:
            store = await alone(stack, directory.store, clock)
            state, _ = state_of(directory)
            outcome = plan_step(
                objects_of(state.items), before=before, after=after, releases=releases
            )
            _keep_removed(directory, outcome, state)
            reached("removed objects kept")
            rewrite(store, outcome, state, reached=reached)
        reached("store rewritten")
    # Also after nothing was to be done: an earlier attempt may have ended just before this.
    note_release(directory, to_version)
    reached("release noted in the directory")


def _outcomes(
    objects: list[StoredObject], path: Sequence[KnownRelease], releases: Sequence[KnownRelease]
) -> list[Outcome]:
    outcomes = []
    for before, after in itertools.pairwise(path):
        outcome = plan_step(objects, before=before, after=after, releases=releases)
        objects = [one for one, _shown in outcome.shown]
        outcomes.append(outcome)
    return outcomes


def _keep_removed(directory: DataDirectory, outcome: Outcome, state: StoreState) -> None:
    """Write what goes as a List that kubectl can read; a repeated step writes the same file."""
    if not outcome.removed:
        return
    step, last = outcome.step, max(item.revision for item in state.items)
    name = f"{step.from_version}-to-{step.to_version}-at-{last}.json"
    kept = {
        "apiVersion": "v1",
        "kind": "List",
        "items": [removed.object for removed in outcome.removed],
    }
    try:
        write_private(directory.removed / name, msgspec.json.encode(kept))
    except OSError as error:
        raise BadInputError(f"cannot write {directory.removed / name}: {error}") from error
