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
any order, and ``keep`` is a pattern of the lines that count. A step with ``patient: true`` is
run again and again until it succeeds, for what a real server takes its time over, such as
publishing a schema. ``record.py`` writes the expectations.
"""

from __future__ import annotations

import re
import shlex
from pathlib import Path
from typing import Any

import yaml
from ruamel.yaml import YAML
from ruamel.yaml.scalarstring import LiteralScalarString, SingleQuotedScalarString

from tests.conformance.kubectl.running import Kubectl, Result, normalised

GOLDEN = Path(__file__).with_name("golden")
PATIENCE = 200
"""How often a patient step is tried: a kubectl takes about a tenth of a second."""


def names(directory: Path = GOLDEN) -> list[str]:
    """Return the names of all scenarios."""
    return sorted(path.stem for path in directory.glob("*.yaml"))


class Scenario:
    """One scenario, and its way back to the file."""

    def __init__(self, name: str, directory: Path = GOLDEN) -> None:
        self.path = directory / f"{name}.yaml"
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
        for _ in range(PATIENCE if step.get("patient") else 1):
            result = kubectl(*arguments, stdin=step.get("stdin", ""))
            if result.code == 0:
                break
        stdout, stderr = (
            _chosen(_emptied(text, kubectl, word), step) for text in (result.stdout, result.stderr)
        )
        return Result(result.code, stdout, stderr)

    def save(self) -> None:
        """Write the scenario with the expectations that its steps now have, the rest as it is."""
        editor = YAML()
        editor.preserve_quotes = True
        editor.width = 1000
        content = editor.load(self.path.read_text())
        for written, step in zip(content["steps"], self.steps, strict=True):
            for key in ("code", "stdout", "stderr"):
                written.pop(key, None)
                if key in step:
                    written[key] = _as_on_a_terminal(step[key])
        editor.dump(content, self.path)


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


def _as_on_a_terminal(value: Any) -> Any:
    """Return several lines as a block, and quoted what would be read as something else."""
    if not isinstance(value, str):
        return value
    if "\n" in value:
        return LiteralScalarString(value)
    return value if _is_plain(value) else SingleQuotedScalarString(value)


def _is_plain(value: str) -> bool:
    try:
        return bool(yaml.safe_load(value) == value)
    except yaml.YAMLError:
        return False
