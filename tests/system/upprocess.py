"""``kubegang up`` as users run it: a process of its own, on a port that the system chose."""

from __future__ import annotations

import contextlib
import io
import os
import queue
import re
import signal
import subprocess
import sys
import threading
from collections.abc import Iterator
from pathlib import Path

from kubegang.client.api import ApiClient
from kubegang.client.http import HttpTransport
from kubegang.client.kubeconfig import load_kubeconfig

PROGRAM = (sys.executable, "-m", "kubegang.cli.main")
STOP_SECONDS = 30


class Up:
    """A running ``kubegang up``; every process of it is in one process group.

    What it prints is always taken from it: with nobody at the other end of a full pipe a
    process that has much to say would stop.
    """

    def __init__(self, *arguments: str, kubeconfig: Path) -> None:
        self.kubeconfig = kubeconfig
        self.lines: list[str] = []
        self.process = subprocess.Popen(
            [*PROGRAM, "up", f"--kubeconfig={kubeconfig}", *arguments],
            stdout=subprocess.PIPE,
            stderr=subprocess.STDOUT,
            text=True,
        )
        self._printed: queue.SimpleQueue[str | None] = queue.SimpleQueue()
        threading.Thread(target=self._take, daemon=True).start()

    def wait_ready(self) -> None:
        """Read what is printed until the line with the word ready."""
        self.read_until_matching("ready: .*")

    def read_until_matching(self, pattern: str) -> str:
        """Return the next line that matches a pattern from start to end."""
        while (line := self._printed.get()) is not None:
            self.lines.append(line)
            if re.fullmatch(pattern, line):
                return line
        raise RuntimeError(f"ended before {pattern!r}:\n" + "\n".join(self.lines))

    def rest(self) -> list[str]:
        """Return what is printed from here to the end."""
        lines = []
        while (line := self._printed.get()) is not None:
            lines.append(line)
        return lines

    def _take(self) -> None:
        """Take over lines until the last process that may print is gone; ``None`` is the end."""
        with contextlib.closing(self.process.stdout or io.StringIO()) as printed:
            for line in printed:
                self._printed.put(line.rstrip())
        self._printed.put(None)

    def children(self) -> list[int]:
        """Return the process ids of the components, in the order of their start."""
        listed = subprocess.run(
            ["ps", "-o", "pid=", "--ppid", str(self.process.pid)],
            capture_output=True,
            text=True,
            check=False,
        )
        return sorted(int(word) for word in listed.stdout.split())

    def component(self, name: str) -> int:
        """Return the process id of a component."""
        program = f"kubegang.app.children.{name}".encode()
        (found,) = (
            pid
            for pid in self.children()
            if program in Path(f"/proc/{pid}/cmdline").read_bytes().split(b"\0")
        )
        return found

    def kill_everything(self) -> None:
        """End all processes as a power cut would."""
        for pid in [self.process.pid, *self.children()]:
            with contextlib.suppress(ProcessLookupError):
                os.kill(pid, signal.SIGKILL)
        self.process.wait()

    def client(self) -> ApiClient:
        """Return the API as the administrator."""
        return ApiClient(HttpTransport(load_kubeconfig(self.kubeconfig)), user_agent="tests")


@contextlib.contextmanager
def up(tmp_path: Path, *arguments: str) -> Iterator[Up]:
    """Run ``kubegang up`` on a free port inside the block, ready."""
    started = Up("--listen=127.0.0.1:0", *arguments, kubeconfig=tmp_path / "kubeconfig")
    try:
        started.wait_ready()
        yield started
    finally:
        if started.process.poll() is None:
            started.process.send_signal(signal.SIGTERM)
            try:
                started.process.wait(timeout=STOP_SECONDS)
            except subprocess.TimeoutExpired:
                started.kill_everything()
