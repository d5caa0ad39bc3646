"""The recorded answers of 1.36 and 1.35, replayed as test_corpus does.

An entry that fails must be one that docs/reference/api-differences.md lists.
"""

from __future__ import annotations

import re
import subprocess
import sys
from collections.abc import Iterator, Mapping
from functools import cache
from pathlib import Path
from typing import Any, NamedTuple

import pytest
import yaml

from tests.system.upprocess import up

HERE = Path(__file__).resolve().parent
CORPUS = HERE / "corpus"
DIFFERENCES = HERE.parents[1] / "docs" / "reference" / "api-differences.md"
_ON_REQUEST = "old-history"
"""What some entries need that are played only if one asks for it."""

pytestmark = [pytest.mark.cases, pytest.mark.timeout(600)]


class Server(NamedTuple):
    """How a server is started, and for which entries."""

    release: str
    gates: str
    off: tuple[str, ...] = ()


_BESIDES = {
    "1.35": ("GangScheduling",),
    "1.36": (
        "GangScheduling",
        "WorkloadAwarePreemption",
        "TopologyAwareWorkloadScheduling",
        "DRAWorkloadResourceClaims",
        "WorkloadWithJob",
    ),
}

PASSED: Mapping[Server, int] = {
    Server("1.36", "on"): 805,
    Server("1.36", "generic", _BESIDES["1.36"]): 4,
    Server("1.36", "off", ("GenericWorkload", *_BESIDES["1.36"])): 3,
    Server("1.35", "on"): 778,
    Server("1.35", "off", ("GenericWorkload", *_BESIDES["1.35"])): 2,
}
"""How many entries pass; the rest is listed as different."""


@cache
def _entries(release: str) -> tuple[tuple[str, dict[str, Any]], ...]:
    """Return file and entry of everything that a release answered."""
    loader = getattr(yaml, "CSafeLoader", yaml.SafeLoader)
    return tuple(
        (path.stem, entry)
        for path in sorted((CORPUS / "public").glob("*.yaml"))
        for entry in yaml.load(path.read_text(), loader) or ()
        if release in entry["versions"] and _ON_REQUEST not in entry.get("needs", ())
    )


def _known_differences() -> Iterator[str]:
    """Yield the entries that the reference lists, as ``file:id``."""
    for line in DIFFERENCES.read_text().splitlines():
        if match := re.fullmatch(r"\| `([a-z0-9-]+:[^`]+)` \| .+ \|", line):
            yield match[1]


@pytest.mark.parametrize("server", PASSED, ids=lambda one: f"{one.release}-{one.gates}")
def test_an_older_server_answers_as_recorded(server: Server, tmp_path: Path) -> None:
    gates = ",".join(f"{gate}=false" for gate in server.off)
    arguments = [f"--kubernetes-version={server.release}", f"--feature-gates={gates}"]
    with up(tmp_path, "--in-memory", "--components=apiserver", *arguments) as running:
        played = subprocess.run(
            [
                sys.executable,
                str(CORPUS / "replay.py"),
                f"--kubeconfig={running.kubeconfig}",
                f"--version={server.release}",
                f"--gates={server.gates}",
                str(CORPUS / "public"),
            ],
            capture_output=True,
            text=True,
            check=False,
        )
    entries = _entries(server.release)
    names = [
        f"{file}:{entry['id']}"
        for file, entry in entries
        if entry.get("gates", "on") == server.gates
    ]
    failed = {
        match.replace(".yaml", "", 1)
        for match in re.findall(r"^FAIL (\S+)$", played.stdout, re.MULTILINE)
    }
    assert failed == set(names) & set(_known_differences()), played.stdout
    assert len(names) - len(failed) == PASSED[server], played.stdout


@pytest.mark.parametrize("release", ["1.35", "1.36"])
def test_every_set_of_gates_of_a_release_is_played(release: str) -> None:
    recorded = {entry.get("gates", "on") for _, entry in _entries(release)}
    assert recorded == {one.gates for one in PASSED if one.release == release}
