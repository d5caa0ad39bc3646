"""What a data directory holds, and writing what a step between releases makes of it."""

from __future__ import annotations

import contextlib
from collections.abc import Sequence
from pathlib import Path

import msgspec

from kubegang.apiserver import codec
from kubegang.app.apiserver import TAKE_OVER_SECONDS, TAKE_OVER_STEP_SECONDS
from kubegang.app.certificates import write_private
from kubegang.app.datadir import DataDirectory
from kubegang.app.errors import BadInputError
from kubegang.base.clock import Clock
from kubegang.store.interface import StoreError
from kubegang.store.locking import StoreInUseError
from kubegang.store.offline import (
    EVERYTHING,
    OfflineStore,
    Reached,
    Rewriting,
    StoredItem,
    StoreState,
    offline_store,
    read_state,
)
from kubegang.tools.upgradeplan import KnownRelease, NoWayError, Outcome, StoredObject, way


def state_of(
    directory: DataDirectory, *, prefixes: Sequence[str] = EVERYTHING, unmarked: str = ""
) -> tuple[StoreState, str]:
    """Return what a directory holds, and the release whose state that is.

    Args:
        directory: where the state lies.
        prefixes: read only keys that begin so.
        unmarked: whose it is taken for if nothing says it.

    Raises:
        BadInputError: there is no state, or it cannot be read.
    """
    noted = directory.noted_version() or unmarked
    if not noted:
        raise BadInputError(f"--data-dir {directory.root} holds no state of kubegang up")
    if not directory.store.exists() or directory.store.stat().st_size == 0:
        raise BadInputError(
            f"--data-dir {directory.root} was in use, but its database {directory.store.name} is "
            f"gone or empty: restore it, or remove {directory.version_file} to start empty"
        )
    try:
        state = read_state(directory.store, prefixes)
    except StoreError as error:
        raise BadInputError(str(error)) from error
    return state, state.release or noted


def way_between(releases: Sequence[KnownRelease], start: str, end: str) -> list[KnownRelease]:
    """Return the releases from one to another.

    Raises:
        BadInputError: one of them is not known.
    """
    try:
        return way(releases, start, end)
    except NoWayError as error:
        raise BadInputError(str(error)) from error


def objects_of(items: Sequence[StoredItem]) -> list[StoredObject]:
    """Return items as the objects that were last written."""
    return [StoredObject(item.key, codec.decode(item.written)) for item in items]


async def alone(stack: contextlib.ExitStack, path: Path, clock: Clock) -> OfflineStore:
    """Open a store that nobody else has open, once the last user has let go of it.

    Raises:
        BadInputError: somebody keeps it, or it is none of ours.
    """
    waited = 0.0
    while True:
        try:
            return stack.enter_context(offline_store(path))
        except StoreInUseError as error:
            if waited >= TAKE_OVER_SECONDS:
                raise BadInputError(str(error)) from error
            await clock.sleep(TAKE_OVER_STEP_SECONDS)
            waited += TAKE_OVER_STEP_SECONDS
        except StoreError as error:
            raise BadInputError(str(error)) from error


def rewrite(store: OfflineStore, outcome: Outcome, state: StoreState, *, reached: Reached) -> None:
    """Write the outcome of a step durably, or nothing of it.

    Raises:
        BadInputError: it cannot be written.
    """
    items = {item.key: item for item in state.items}
    changed, restored = [], []
    for one, shown in outcome.shown:
        item = items[one.key]
        if shown is not one.object:
            value = codec.encode_as_is(shown)
            changed.append(msgspec.structs.replace(item, value=value))
        elif item.value != item.written:
            restored.append(msgspec.structs.replace(item, value=item.written))
    rewriting = Rewriting(
        outcome.step.to_version,
        items=changed,
        restored=restored,
        removed=[one.key for one in outcome.removed],
    )
    try:
        store.rewrite(rewriting, reached=reached)
    except StoreError as error:
        raise BadInputError(str(error)) from error


def note_release(directory: DataDirectory, name: str) -> None:
    """Write the directory's ``kubernetes-version``, whole or not at all."""
    try:
        write_private(directory.version_file, f"{name}\n".encode())
    except OSError as error:
        raise BadInputError(f"cannot write {directory.version_file}: {error}") from error
