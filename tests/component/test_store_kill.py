"""Killing the process that writes, and letting its disk fill up.

The number of rounds can be raised with ``KUBEGANG_KILL_ROUNDS``.
"""

from __future__ import annotations

import os
import random
import signal
import subprocess
import sys
from pathlib import Path

from kubegang.store.sqlite import open_sqlite_store
from tests.component.store_burst import value_of

ROUNDS = int(os.environ.get("KUBEGANG_KILL_ROUNDS", "4"))


class Ledger:
    """What the writing processes said, over all rounds."""

    def __init__(self) -> None:
        self.newest_drawn = 0
        self.acknowledged: dict[str, int | None] = {}
        self.lines = 0

    def take(self, line: str) -> None:
        """Note one line; a revision below an earlier process's is a failure."""
        word, number, *key = line.split()
        self.lines += 1
        if word == "drawn":
            assert int(number) > self.newest_drawn, "a revision was drawn again"
            self.newest_drawn = int(number)
        elif word == "ok":
            self.acknowledged[key[0]] = int(number)
        elif word == "gone":
            self.acknowledged[key[0]] = None


def start(path: Path, *limit: str) -> subprocess.Popen[str]:
    return subprocess.Popen(
        [sys.executable, "-m", "tests.component.store_burst", str(path), *limit],
        stdout=subprocess.PIPE,
        text=True,
    )


def kill_after(lines: int, path: Path, ledger: Ledger) -> None:
    """Run the writer until it has said so many lines, kill it, and take all it said."""
    with start(path) as process:
        assert process.stdout is not None
        for _ in range(lines):
            ledger.take(process.stdout.readline())
        process.send_signal(signal.SIGKILL)
        for line in process.stdout:
            ledger.take(line)
    assert process.returncode == -signal.SIGKILL


async def check(path: Path, ledger: Ledger) -> None:
    """Open the store as a restarted server would, and look for every acknowledged write."""
    store = await open_sqlite_store(path)
    try:
        for key, revision in list(ledger.acknowledged.items()):
            item = store.get(key)
            if revision is None:
                assert item is None, f"{key} was deleted, and is there again"
                continue
            # A later write may have become durable without having been acknowledged.
            if item is not None:
                assert item.revision >= revision, f"{key} went back in time"
                assert item.value == value_of(key, item.revision)
            else:
                changes = await store.watch(key, after=store.compacted).next_batch()
                assert changes[-1].type == "deleted", f"{key} is lost"
                assert changes[-1].revision > revision
                ledger.acknowledged[key] = None
        assert store.revision <= ledger.newest_drawn
    finally:
        await store.close()


async def test_a_killed_writer_loses_nothing_that_it_acknowledged(tmp_path: Path) -> None:
    path = tmp_path / "store.db"
    rng = random.Random(20)
    ledger = Ledger()
    for _ in range(ROUNDS):
        kill_after(rng.randrange(1, 2_000), path, ledger)
        await check(path, ledger)
    assert len(ledger.acknowledged) > ROUNDS


async def test_a_full_disk_refuses_writes_for_a_while_and_loses_nothing(tmp_path: Path) -> None:
    path = tmp_path / "store.db"
    ledger = Ledger()
    said: dict[str, str] = {}
    # A limit on the size of files stands for a full disk.
    with start(path, str(1_500_000)) as process:
        assert process.stdout is not None
        for line in process.stdout:
            word = line.split()[0]
            if word in {"drawn", "ok", "gone"}:
                ledger.take(line)
            else:
                said[word] = line
    assert process.returncode == 0
    assert said["refused"].startswith("refused cannot ")
    assert int(said["readable"].split()[1]) > 0
    assert "closed" in said

    await check(path, ledger)
    assert any(key.endswith("/afterwards") for key in ledger.acknowledged)
