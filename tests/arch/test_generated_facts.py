"""The facts tables in the repository are what their generator writes."""

from __future__ import annotations

import subprocess
import sys
from pathlib import Path

ROOT = Path(__file__).resolve().parents[2]


def test_the_facts_tables_are_up_to_date() -> None:
    done = subprocess.run(
        [sys.executable, "scripts/generate_facts.py", "--check"],
        cwd=ROOT,
        capture_output=True,
        text=True,
        check=False,
    )
    assert (done.returncode, done.stderr) == (0, "")
