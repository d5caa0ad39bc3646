"""A data directory with live objects of 1.35 and 1.36, for tests of the step."""

from __future__ import annotations

import asyncio
import shutil
from pathlib import Path

import pytest

from kubegang.app.datadir import DataDirectory
from tests.releasewalk.ours import play
from tests.releasewalk.story import STORY

STAGES = (0, 3, 4)
"""Of the story: a pod with a workloadRef; a Workload, a PodGroup and a pod of the group."""


@pytest.fixture(scope="module")
def state_of_1_36(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """Return a directory with the state; not to be changed."""
    root = tmp_path_factory.mktemp("state")
    directory = DataDirectory(root, persistent=True)

    async def make() -> None:
        for stage in STAGES:
            await play(directory, STORY[stage])

    asyncio.run(make())
    return root


@pytest.fixture
def directory(state_of_1_36: Path, tmp_path: Path) -> DataDirectory:
    """Return a copy of the state."""
    root = tmp_path / "data"
    shutil.copytree(state_of_1_36, root)
    return DataDirectory(root, persistent=True)
