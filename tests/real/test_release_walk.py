"""The real servers on each other's state, and ours on ours: the same is there, or in the way."""

from __future__ import annotations

from pathlib import Path

import pytest

from kubegang.app.datadir import DataDirectory
from tests.releasewalk.ours import play
from tests.releasewalk.real import RealWalk
from tests.releasewalk.story import STORY

pytestmark = [pytest.mark.real, pytest.mark.timeout(1200)]


async def test_both_walks_meet_the_same(tmp_path: Path) -> None:
    real = RealWalk(tmp_path / "real")
    (tmp_path / "own").mkdir()
    own = DataDirectory(tmp_path / "own", persistent=True)

    for number, stage in enumerate(STORY):
        ours = await play(own, stage)
        theirs = await real.play(stage)
        assert ours == theirs, f"stage {number}, {stage.release}"
