"""The page about the rules of check is what its generator writes, with a section for each."""

from __future__ import annotations

import subprocess
import sys
from pathlib import Path

from kubegang.tools.checking.rules import RULES

ROOT = Path(__file__).resolve().parents[2]


def test_the_page_is_up_to_date() -> None:
    done = subprocess.run(
        [sys.executable, "scripts/generate_check_reference.py", "--check"],
        cwd=ROOT,
        capture_output=True,
        text=True,
        check=False,
    )
    assert (done.returncode, done.stdout, done.stderr) == (0, "", "")


def test_every_rule_has_an_anchor() -> None:
    page = (ROOT / "docs" / "reference" / "checks.md").read_text(encoding="utf-8")
    assert [name for name in RULES if f"\n## {name}\n" not in page] == []
