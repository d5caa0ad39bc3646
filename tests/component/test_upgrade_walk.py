"""State walked through the releases, forwards and back: what stays, what is in the way.

``tests/real/test_release_walk.py`` plays the same story on the real programs.
"""

from __future__ import annotations

from pathlib import Path
from typing import Any

import pytest

from kubegang.app.datadir import DataDirectory
from tests.releasewalk.ours import play
from tests.releasewalk.story import STORY, Played

REFERENCE = {"name": "a", "podGroup": "g"}
SCHEDULING_GROUP = {"podGroupName": "a"}
GANG_JOB: dict[str, Any] = {"schedulingPolicy": {"gang": {}}}

IN_THE_WAY = {2: "1.36", 5: "1.35", 6: "1.37", 11: "1.36"}
"""Stages that start nothing, over objects of another release."""


@pytest.mark.timeout(120)
async def test_what_a_release_does_not_know_is_unseen_until_one_does(tmp_path: Path) -> None:
    directory = DataDirectory(tmp_path, persistent=True)
    played = [await play(directory, stage) for stage in STORY]

    refused = {number for number, one in enumerate(played) if not one.ready}
    assert {number: STORY[number].release for number in refused} == IN_THE_WAY
    assert _field(played, "/pods/p35", 0) == [
        *(REFERENCE, None),  # 1.35, and 1.36 without gates
        *(REFERENCE, None, None),  # 1.35, and 1.36 before and after something was made
        *(REFERENCE, None, None, None, None),
    ]
    # Written by 1.36, so what only 1.35 knows is gone for good.
    assert _field(played, "/pods/touched", 0) == [REFERENCE, None, REFERENCE, *([None] * 7)]
    assert _field(played, "/pods/p36", 1)[4:] == [
        *(SCHEDULING_GROUP, None, SCHEDULING_GROUP),  # unseen in 1.35
        *(SCHEDULING_GROUP, SCHEDULING_GROUP, SCHEDULING_GROUP),
    ]
    assert _field(played, "/jobs/j37", 0) == [GANG_JOB, None, GANG_JOB, None, None]
    assert _field(played, "/jobs/j37", 1) == [2, 2, 2, 3, 3]


def _field(played: list[Played], path: str, number: int) -> list[object]:
    """Return what each look at an object showed, in order."""
    return [
        answer.fields[number]
        for stage, one in zip(STORY, played, strict=True)
        for ask, answer in zip(stage.asks, one.answers, strict=False)
        if ask.method == "GET" and ask.path.endswith(path)
    ]
