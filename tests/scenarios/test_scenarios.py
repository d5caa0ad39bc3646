"""Golden scenarios: a cluster, a workload, and what ``kubegang run`` prints about them.

``pytest tests/scenarios --accept`` rewrites the want files; read the diff.
"""

from __future__ import annotations

import re
from pathlib import Path

import pytest
from click.testing import CliRunner

from kubegang.cli.main import commands

HERE = Path(__file__).resolve().parent
NAMES = sorted(path.parent.name for path in HERE.glob("*/workload.yaml"))

# Names that chance makes would change with every draw that anybody makes before.
GENERATED = re.compile(r"(?<=-)[bcdfghjklmnpqrstvwxz2456789]{5,10}\b")


@pytest.mark.usefixtures("own_logging")
@pytest.mark.parametrize("name", NAMES)
def test_a_scenario_ends_as_written(name: str, request: pytest.FixtureRequest) -> None:
    folder = HERE / name

    result = CliRunner().invoke(
        commands, ["run", str(folder / "cluster.yaml"), str(folder / "workload.yaml")]
    )

    shown = GENERATED.sub("xxxxx", result.stdout)
    found = f"{shown}exit status {result.exit_code}\n"
    want = folder / "want.txt"
    if request.config.getoption("--accept"):
        want.write_text(found, encoding="utf-8")
    assert found == want.read_text(encoding="utf-8")
