"""The README's tour, run as it is written."""

from __future__ import annotations

import os
import re
import subprocess
import sys
from pathlib import Path

import pytest

ROOT = Path(__file__).resolve().parent.parent.parent
# The environment exists already, and the tests are what runs right now.
NOT_REPEATED = ("make demo", "make test", "make setup")


def tour() -> str:
    """Return the shell lines of the README, in order."""
    text = (ROOT / "README.md").read_text(encoding="utf-8")
    blocks = re.findall(r"^```sh\n(.*?)^```", text, re.MULTILINE | re.DOTALL)
    lines = "".join(blocks).splitlines()
    return "\n".join(line for line in lines if not line.startswith(NOT_REPEATED))


@pytest.mark.timeout(240)
def test_the_tour_works_line_by_line(tmp_path: Path) -> None:
    # The same lines, in a place of their own: other checkouts may run the tour as well.
    script = tour().replace("/tmp/kubegang", str(tmp_path / "data"))
    script = script.replace("up.log", str(tmp_path / "up.log"))
    environment = {
        **os.environ,
        "HOME": str(tmp_path),
        "PATH": f"{Path(sys.executable).parent}:{os.environ['PATH']}",
    }

    done = subprocess.run(
        ["bash", "-eu", "-o", "pipefail", "-c", f"set -m\n{script}\nwait"],
        cwd=ROOT,
        env=environment,
        capture_output=True,
        text=True,
        check=False,
    )

    assert done.returncode == 0, done.stdout + done.stderr
    said = re.sub(r" +", " ", done.stdout)
    assert "minCount (4) cannot be satisfied: 2 scheduled" in said
    assert re.search(r"train-large Complete 6/6", said)
    assert re.search(r"train-next Complete 4/4", said)
    assert "needs 9 pods at once in the cluster; 8 find room" in said
