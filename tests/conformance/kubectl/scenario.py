"""Scenarios: files, commands, and what each command must print.

A scenario is a YAML file::

    about: One sentence.
    files:
      pod.yaml: {apiVersion: v1, kind: Pod, …}
    steps:
    - run: create -f pod.yaml
      code: 0
      stdout: pod/p created
      stderr: ''

Each runs in a namespace of its own. ``{x}`` in files and commands is a word that no other
run has, for names that all namespaces share; ``{ns}`` is the namespace. What is printed is
compared without ages, times and identifiers; with ``any_order: true`` the lines may come in
any order, and ``keep`` is a pattern of the lines that count. ``record.py`` writes the
expectations.
"""

from __future__ import annotations

import re
import shlex
from pathlib import Path
from typing import Any

import yaml

from tests.conformance.kubectl.running import Kubectl, Result, normalised

GOLDEN = Path(__file__).with_name("golden")


def names() -> list[str]:
    """Return the names of all scenarios."""
    return sorted(path.stem for path in GOLDEN.glob("*.yaml"))


class Scenario:
    """One scenario, and its way back to the file."""

    def __init__(self, name: str) -> None:
        self.path = GOLDEN / f"{name}.yaml"
        self.content: dict[str, Any] = yaml.safe_load(self.path.read_text())
        self.steps: list[dict[str, Any]] = self.content["steps"]

    def write_files(self, kubectl: Kubectl, word: str) -> None:
        """Write the scenario's files into kubectl's directory."""
        for name, content in self.content.get("files", {}).items():
            documents = content if isinstance(content, list) else [content]
            text = yaml.safe_dump_all(documents)
            (kubectl.directory / name).write_text(_filled(text, kubectl, word))

    def run(self, step: dict[str, Any], kubectl: Kubectl, word: str) -> Result:
        """Run one step; its output has placeholders where a run differs from another."""
        arguments = shlex.split(_filled(step["run"], kubectl, word))
        result = kubectl(*arguments, stdin=step.get("stdin", ""))
        stdout, stderr = (
            _chosen(_emptied(text, kubectl, word), step) for text in (result.stdout, result.stderr)
        )
        return Result(result.code, stdout, stderr)

    def save(self) -> None:
        """Write the scenario with the expectations that its steps now have."""
        self.path.write_text(
            yaml.dump(self.content, Dumper=_Dumper, sort_keys=False, width=1000, allow_unicode=True)
        )


def expected(step: dict[str, Any]) -> Result:
    """Return what a step must leave behind."""
    return Result(step["code"], step.get("stdout", ""), step.get("stderr", ""))


def _filled(text: str, kubectl: Kubectl, word: str) -> str:
    return text.replace("{ns}", kubectl.namespace).replace("{x}", word)


def _emptied(text: str, kubectl: Kubectl, word: str) -> str:
    return normalised(text.replace(kubectl.namespace, "{ns}").replace(word, "{x}"))


def _chosen(text: str, step: dict[str, Any]) -> str:
    """Return the lines that count, sorted if their order does not."""
    keep = re.compile(step.get("keep", ""))
    lines = [line for line in text.splitlines() if keep.search(line)]
    return "\n".join(sorted(lines) if step.get("any_order") else lines)


class _Dumper(yaml.SafeDumper):
    """Writes several lines as a block, so that output reads as on a terminal."""


def _represent(dumper: yaml.SafeDumper, text: str) -> yaml.ScalarNode:
    style = "|" if "\n" in text else None
    return dumper.represent_scalar("tag:yaml.org,2002:str", text, style=style)


_Dumper.add_representer(str, _represent)
