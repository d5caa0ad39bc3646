"""Plays recorded scenarios with our scheduler, in virtual time, and says what differs.

``python -m tests.differential.replay [--only NAME,…] [--verbose] PATH``
"""

from __future__ import annotations

import argparse
from collections import Counter
from pathlib import Path

from kubegang.base.logging import configure_logging
from tests.differential.compare import CHANCES, Comparison, Judge
from tests.differential.objects import RELEASES
from tests.differential.planes import play_embedded
from tests.differential.player import Pace
from tests.differential.record import say
from tests.differential.scenario import Recording, load_recordings


def replay(recording: Recording) -> Comparison:
    """Play one recorded scenario, guided by each of its outcomes until ours agrees with one."""
    judge = Judge(recording.scenario)
    for model in recording.outcomes:
        for seed in range(CHANCES):
            ours = play_embedded(
                RELEASES[recording.scenario.release],
                recording.scenario,
                model=model,
                pace=Pace(),
                seed=seed,
            )
            if judge.agrees(model, ours):
                return judge.verdict(recording)
    return judge.verdict(recording)


def main() -> None:
    """Read the arguments and replay."""
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--only", default="")
    parser.add_argument("--verbose", action="store_true", help="show the steps of what differs")
    parser.add_argument("path", type=Path)
    arguments = parser.parse_args()
    configure_logging(component="differential", json=False, level="error")
    only = set(filter(None, arguments.only.split(",")))
    verdicts: Counter[str] = Counter()
    for recording in load_recordings(arguments.path):
        if only and recording.scenario.name not in only:
            continue
        comparison = replay(recording)
        verdicts[comparison.verdict] += 1
        if comparison.differences:
            say(f"{comparison.name} {comparison.theme}: {comparison.verdict}")
            if arguments.verbose:
                for step in recording.scenario.steps:
                    say(f"    - {step}")
            for line in comparison.differences:
                say(f"    {line}")
    say(", ".join(f"{count} {verdict}" for verdict, count in sorted(verdicts.items())))


if __name__ == "__main__":
    main()
