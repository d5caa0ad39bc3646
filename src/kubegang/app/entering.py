"""``kubegang up`` on a directory that may hold the state of another Kubernetes release.

A real kube-apiserver never gets ready over objects that it cannot decode, so nothing is
started over them here.
"""

from __future__ import annotations

import contextlib
from collections.abc import Sequence

from kubegang.api.profile import VersionProfile
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
from kubegang.app.releases import known_release, known_releases, prefixes_of_several_forms
from kubegang.base.clock import Clock
from kubegang.tools.upgradeplan import (
    KnownRelease,
    ObjectReference,
    Outcome,
    left_over,
    plan_step,
)
from kubegang.tools.workunits import count_of

NAMED_OBJECTS = 10
"""So many of the objects in the way are named in an error; the plan names all."""


async def enter_release(directory: DataDirectory, profile: VersionProfile, *, clock: Clock) -> str:
    """Make a directory ready for a release; return what to say about it.

    Raises:
        BadInputError: it holds what the release cannot start with, or is too far from it.
    """
    if not directory.persistent:
        return ""
    if not directory.version_file.exists() and not directory.store.exists():
        note_release(directory, profile.name)
        return ""
    state, found = state_of(directory, prefixes=prefixes_of_several_forms(), unmarked=profile.name)
    release, releases = known_release(profile), known_releases()
    _check_neighbours(directory, found, profile.name, releases)
    in_the_way = left_over(objects_of(state.items), release, releases)
    if in_the_way:
        raise BadInputError(_refusal(directory, found, profile.name, in_the_way))
    told = ""
    if found != profile.name:
        told = await _step(directory, found, release, releases, clock=clock)
    note_release(directory, profile.name)
    return told


async def _step(
    directory: DataDirectory,
    found: str,
    release: KnownRelease,
    releases: Sequence[KnownRelease],
    *,
    clock: Clock,
) -> str:
    before = next(one for one in releases if one.name == found)
    with contextlib.ExitStack() as stack:
        store = await alone(stack, directory.store, clock)
        state, _ = state_of(directory, unmarked=found)
        outcome = plan_step(
            objects_of(state.items), before=before, after=release, releases=releases
        )
        if outcome.removed:
            # Deleting is for ``upgrade --apply`` alone.
            in_the_way = outcome.step.must_be_deleted
            raise BadInputError(_refusal(directory, found, release.name, in_the_way))
        rewrite(store, outcome, state, reached=lambda _point: None)
    return _told(outcome)


def _check_neighbours(
    directory: DataDirectory, found: str, wanted: str, releases: Sequence[KnownRelease]
) -> None:
    names = [release.name for release in releases]
    if found not in names:
        raise BadInputError(
            f"--data-dir {directory.root} holds state of Kubernetes {found}, which this kubegang "
            f"does not know; known are: {', '.join(names)}"
        )
    path = way_between(releases, found, wanted)
    if len(path) > 2:
        raise BadInputError(
            f"--data-dir {directory.root} holds state of Kubernetes {found}, asked for {wanted}: "
            f"one minor version at a time, so start it with --kubernetes-version {path[1].name} "
            f"first; kubegang upgrade --data-dir {directory.root} --to {wanted} plans the way"
        )


def _refusal(
    directory: DataDirectory, found: str, wanted: str, in_the_way: Sequence[ObjectReference]
) -> str:
    named = "".join(
        f"\n  {one.resource} {'/'.join(filter(None, (one.namespace, one.name)))}"
        for one in in_the_way[:NAMED_OBJECTS]
    )
    more = len(in_the_way) - NAMED_OBJECTS
    return (
        f"--data-dir {directory.root} holds {count_of(len(in_the_way), 'object')} of Kubernetes "
        f"{found} that {wanted} cannot decode, so it would never get ready; nothing was started.\n"
        f"Delete them first, with the release that can:{named}"
        f"{f'{chr(10)}  and {more} more' if more > 0 else ''}\n"
        f"kubegang upgrade --data-dir {directory.root} --to {wanted} prints the commands; with "
        "--apply it deletes them itself"
    )


def _told(outcome: Outcome) -> str:
    step = outcome.step
    hidden, unseen = len(step.hidden_fields), len(step.stay_unseen)
    parts = [f"the state steps from Kubernetes {step.from_version} to {step.to_version}"]
    if hidden:
        parts.append(
            f"{count_of(hidden, 'object')} {'has' if hidden == 1 else 'have'} fields "
            f"that {step.to_version} does not show"
        )
    if unseen:
        parts.append(f"{count_of(unseen, 'object')} kept unseen")
    return "; ".join(parts)
