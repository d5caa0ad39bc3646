"""The recorded corpus of requests, replayed against our API server over the wire.

Each set of feature gates has a server of its own, in memory and without controllers. An
entry that fails must be one that docs/reference/api-differences.md lists, with its reason;
one that is listed and passes is taken off the list.
"""

from __future__ import annotations

import re
import subprocess
import sys
from collections import Counter
from collections.abc import Iterator, Mapping
from functools import cache
from pathlib import Path
from typing import Any

import pytest
import yaml

from tests.system.upprocess import up

HERE = Path(__file__).resolve().parent
CORPUS = HERE / "corpus"
REPLAY = CORPUS / "replay.py"
DIFFERENCES = HERE.parents[1] / "docs" / "reference" / "api-differences.md"
VERSION = "1.37"

pytestmark = [pytest.mark.cases, pytest.mark.timeout(600)]

_GATES = (
    "GenericWorkload",
    "TopologyAwareWorkloadScheduling",
    "DRAWorkloadResourceClaims",
    "WorkloadWithJob",
    "PodGroupPreemptionPolicy",
    "CompositePodGroup",
)
_SERVED = "scheduling.k8s.io/v1beta1=true,scheduling.k8s.io/v1alpha3=true"


def _off(*kept: str) -> str:
    return "--feature-gates=" + ",".join(f"{gate}=false" for gate in _GATES if gate not in kept)


_FLAGS: Mapping[str, tuple[str, ...]] = {
    "on": (),
    "off": (_off(),),
    "generic": (_off("GenericWorkload"), f"--runtime-config={_SERVED}"),
    "on-CompositePodGroup": ("--feature-gates=CompositePodGroup=false",),
    "on-PodGroupPreemptionPolicy": ("--feature-gates=PodGroupPreemptionPolicy=false",),
}
"""How a server is started for each set of gates of the corpus."""

_PASSED: Mapping[str, Mapping[str, int]] = {
    "on": {
        "binding-eviction": 30,
        "compositepodgroup": 31,
        "defaulting": 62,
        "deletion": 46,
        "jobs": 79,
        "lists-selectors": 73,
        "patch": 41,
        "pod-scheduling-group": 10,
        "podgroup": 101,
        "priority": 40,
        "protobuf-bodies": 14,
        "protocol": 116,
        "scheduling-v1alpha2": 1,
        "server-side-apply": 48,
        "tables": 51,
        "updates": 73,
        "validation": 104,
        "watch": 32,
        "workload": 71,
    },
    "off": {
        "feature-gates": 14,
        "podgroup": 1,
        "workload": 1,
    },
    "generic": {
        "feature-gates": 14,
    },
    "on-CompositePodGroup": {
        "compositepodgroup": 2,
    },
    "on-PodGroupPreemptionPolicy": {
        "priority": 3,
    },
}
"""How many entries of each file pass; the rest of a file is listed as different."""

Entry = dict[str, Any]


@cache
def _entries() -> tuple[tuple[str, Entry], ...]:
    """Return file and entry of everything that 1.37 answered, without special needs."""
    loader = getattr(yaml, "CSafeLoader", yaml.SafeLoader)
    found = [
        (path.stem, entry)
        for path in sorted((CORPUS / "public").glob("*.yaml"))
        for entry in yaml.load(path.read_text(), loader) or ()
    ]
    return tuple(
        (file, entry)
        for file, entry in found
        if VERSION in entry["versions"] and "old-history" not in (entry.get("needs") or ())
    )


def _known_differences() -> Iterator[str]:
    """Yield the entries that the reference lists, as ``file:id``."""
    for line in DIFFERENCES.read_text().splitlines():
        if match := re.fullmatch(r"\| `([a-z0-9-]+:[^`]+)` \| .+ \|", line):
            yield match[1]


@pytest.mark.parametrize("gates", sorted(_FLAGS))
def test_our_server_answers_as_recorded(gates: str, tmp_path: Path) -> None:
    arguments = ("--in-memory", "--components=apiserver", *_FLAGS[gates])
    with up(tmp_path, *arguments) as running:
        played = subprocess.run(
            [
                sys.executable,
                str(REPLAY),
                f"--kubeconfig={running.kubeconfig}",
                f"--version={VERSION}",
                f"--gates={gates}",
                str(CORPUS / "public"),
            ],
            capture_output=True,
            text=True,
            check=False,
        )
    entries = [(file, entry) for file, entry in _entries() if entry.get("gates", "on") == gates]
    failed = {
        match.replace(".yaml", "", 1)
        for match in re.findall(r"^FAIL (\S+)$", played.stdout, re.MULTILINE)
    }
    names = {f"{file}:{entry['id']}" for file, entry in entries}
    assert failed == names & set(_known_differences()), played.stdout + played.stderr
    passed = Counter(file for file, entry in entries if f"{file}:{entry['id']}" not in failed)
    assert dict(passed) == _PASSED[gates], played.stdout
    assert f"{passed.total()} passed, {len(failed)} failed" in played.stdout


def test_every_listed_difference_is_about_an_entry() -> None:
    names = {f"{file}:{entry['id']}" for file, entry in _entries()}
    assert set(_known_differences()) <= names


def test_every_set_of_gates_is_played() -> None:
    assert {entry.get("gates", "on") for _, entry in _entries()} == set(_FLAGS)
