"""Steps between releases that are interrupted, refused, or asked for what is not there."""

from __future__ import annotations

import asyncio
import json
import os
import signal
import sqlite3
from collections.abc import Iterator, Mapping
from contextlib import contextmanager
from pathlib import Path

import pytest

from kubegang.app.datadir import DataDirectory, opened
from kubegang.app.entering import enter_release
from kubegang.app.errors import BadInputError
from kubegang.app.profiles.table import profile_named
from kubegang.app.upgrading import apply_upgrade, plan_upgrade
from kubegang.base.clock import RealClock
from kubegang.store.offline import offline_store, read_state
from tests.releasewalk.state import directory, state_of_1_36

__all__ = ["directory", "state_of_1_36"]

POINTS = (
    "removed objects kept",
    "history forgotten",
    "objects removed",
    "objects rewritten",
    "release noted",
    "store rewritten",
    "release noted in the directory",
)


def stored(directory: DataDirectory) -> tuple[str, Mapping[str, bytes]]:
    state = read_state(directory.store)
    return state.release, {item.key: item.value for item in state.items}


def killed_at(point: str, directory: DataDirectory) -> int:
    """Run a step to 1.37 in a process that kills itself at a point; return how it ended."""
    child = os.fork()
    if child == 0:
        try:
            asyncio.run(
                apply_upgrade(
                    directory,
                    "1.37",
                    clock=RealClock(),
                    reached=lambda at: (
                        os.kill(os.getpid(), signal.SIGKILL) if at == point else None
                    ),
                )
            )
        finally:
            os._exit(1)
    return os.waitstatus_to_exitcode(os.waitpid(child, 0)[1])


@pytest.mark.parametrize("point", POINTS)
def test_a_step_killed_anywhere_is_done_or_not_begun(directory: DataDirectory, point: str) -> None:
    release, before = stored(directory)
    assert killed_at(point, directory) == -signal.SIGKILL

    done = POINTS.index(point) > POINTS.index("release noted")
    if not done:
        assert stored(directory) == (release, before)
    asyncio.run(apply_upgrade(directory, "1.37", clock=RealClock()))
    now, after = stored(directory)
    assert now == directory.noted_version() == "1.37"
    gone = {key for key in before if key.split("/")[2] in ("workloads", "podgroups")}
    assert set(after) == set(before) - gone
    (kept,) = directory.removed.iterdir()
    items = json.loads(kept.read_text())["items"]
    assert sorted(item["kind"] for item in items) == ["PodGroup", "Workload"]


async def test_a_deleted_object_can_be_made_again_from_what_was_kept(
    directory: DataDirectory,
) -> None:
    await apply_upgrade(directory, "1.35", clock=RealClock())
    (kept,) = directory.removed.iterdir()
    assert [one["kind"] for one in json.loads(kept.read_text())["items"]] == ["Workload"]
    assert kept.stat().st_mode & 0o777 == 0o600


async def test_nothing_is_started_over_what_the_release_cannot_decode(
    directory: DataDirectory,
) -> None:
    before = stored(directory)
    with pytest.raises(BadInputError) as refused:
        await enter_release(directory, profile_named("1.37"), clock=RealClock())
    assert str(refused.value) == (
        f"--data-dir {directory.root} holds 2 objects of Kubernetes 1.36 that 1.37 cannot decode, "
        "so it would never get ready; nothing was started.\n"
        "Delete them first, with the release that can:\n"
        "  podgroups.v1alpha2.scheduling.k8s.io default/a\n"
        "  workloads.v1alpha2.scheduling.k8s.io default/a\n"
        f"kubegang upgrade --data-dir {directory.root} --to 1.37 prints the commands; with "
        "--apply it deletes them itself"
    )
    assert stored(directory) == before


async def test_with_the_gates_off_what_cannot_be_decoded_stays_unseen(
    directory: DataDirectory,
) -> None:
    off = profile_named(
        "1.37",
        feature_gates="GenericWorkload=false,TopologyAwareWorkloadScheduling=false,"
        "DRAWorkloadResourceClaims=false,WorkloadWithJob=false,PodGroupPreemptionPolicy=false,"
        "CompositePodGroup=false",
    )
    told = await enter_release(directory, off, clock=RealClock())
    assert told == (
        "the state steps from Kubernetes 1.36 to 1.37; 1 object has fields that 1.37 does not "
        "show; 2 objects kept unseen"
    )
    # With the gates on again it is in the way again.
    with pytest.raises(BadInputError, match=r"2 objects of Kubernetes 1\.37 that 1\.37 cannot"):
        await enter_release(directory, profile_named("1.37"), clock=RealClock())


async def test_one_minor_version_at_a_time(directory: DataDirectory) -> None:
    await apply_upgrade(directory, "1.35", clock=RealClock())
    with pytest.raises(BadInputError, match=r"start it with --kubernetes-version 1\.36 first"):
        await enter_release(directory, profile_named("1.37"), clock=RealClock())


async def test_a_step_waits_for_nobody_who_keeps_the_store(directory: DataDirectory) -> None:
    clock = ImpatientClock()
    with offline_store(directory.store), pytest.raises(BadInputError, match="is in use by another"):
        await apply_upgrade(directory, "1.37", clock=clock)
    assert clock.slept > 0


async def test_a_locked_directory_is_said_to_be_in_use(directory: DataDirectory) -> None:
    with (
        opened(str(directory.root)),
        pytest.raises(BadInputError, match="is in use by another kubegang"),
        opened(str(directory.root)),
    ):
        pass


@contextmanager
def changed(path: Path, sql: str) -> Iterator[None]:
    connection = sqlite3.connect(path)
    connection.execute(sql)
    connection.commit()
    connection.close()
    yield


async def test_a_newer_store_format_is_left_alone(directory: DataDirectory) -> None:
    with changed(directory.store, "PRAGMA user_version = 9"):
        for attempt in (
            apply_upgrade(directory, "1.37", clock=RealClock()),
            enter_release(directory, profile_named("1.36"), clock=RealClock()),
        ):
            with pytest.raises(BadInputError, match="has store format 9; this version"):
                await attempt


async def test_a_release_that_nobody_knows_is_named(directory: DataDirectory) -> None:
    (directory.root / "kubernetes-version").write_text("1.38\n")
    with changed(directory.store, "UPDATE release SET name = '1.38'"):
        with pytest.raises(BadInputError, match=r"holds state of Kubernetes 1\.38, which this"):
            await enter_release(directory, profile_named("1.37"), clock=RealClock())
        with pytest.raises(BadInputError, match=r"unknown Kubernetes version '1\.38'"):
            plan_upgrade(directory, "1.37")


def test_a_directory_without_state_has_no_plan(tmp_path: Path) -> None:
    with pytest.raises(BadInputError, match="holds no state of kubegang up"):
        plan_upgrade(DataDirectory(tmp_path, persistent=True), "1.37")


async def test_the_store_knows_better_than_the_version_file(directory: DataDirectory) -> None:
    # As after a kill between the two.
    directory.version_file.write_text("1.35\n")
    assert await enter_release(directory, profile_named("1.36"), clock=RealClock()) == ""
    assert directory.noted_version() == "1.36"


class ImpatientClock(RealClock):
    """Sleeps no time at all, and counts."""

    def __init__(self) -> None:
        super().__init__()
        self.slept = 0.0

    async def sleep(self, seconds: float) -> None:
        self.slept += seconds
