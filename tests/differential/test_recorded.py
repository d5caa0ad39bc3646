"""Recorded outcomes of the real schedulers, compared with what ours does in virtual time.

Every scenario was played on real Kubernetes by ``record.py``. What is known to differ stands
in ``known_differences.yaml`` with its reason, and must differ: one that agrees is taken off.
"""

from __future__ import annotations

from pathlib import Path

import pytest
import yaml

from tests.differential.replay import replay
from tests.differential.scenario import Recording, load_recordings

HERE = Path(__file__).resolve().parent
KNOWN: dict[str, str] = yaml.safe_load((HERE / "known_differences.yaml").read_text()) or {}

pytestmark = [pytest.mark.cases]


def recordings() -> list[object]:
    """Return one parameter per recorded scenario."""
    return [
        pytest.param(
            recording,
            id=recording.scenario.name,
            marks=[
                pytest.mark.xfail(reason=KNOWN[recording.scenario.name], strict=True)
                for _ in range(recording.scenario.name in KNOWN)
            ],
        )
        for recording in load_recordings(HERE / "recorded")
    ]


@pytest.mark.parametrize("recording", recordings())
def test_ours_does_what_the_real_scheduler_did(recording: Recording) -> None:
    comparison = replay(recording)

    assert comparison.verdict in {"agrees", "undecided"}, "\n".join(comparison.differences)
