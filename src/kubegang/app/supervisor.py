"""Keeps the component processes of ``kubegang up`` alive, and ends them in order.

Each component is a child process. Its standard input carries JSON lines from the supervisor,
the settings first, then the state of the other components; the end of that input means
stop, so no component outlives a supervisor that was killed. Its standard output carries the
line ``ready``; its standard error is its log, passed on and remembered, so that a crash can
be told with its cause.
"""

from __future__ import annotations

import asyncio
import contextlib
import signal
import sys
from collections import deque
from collections.abc import Callable, Mapping, Sequence

import msgspec

from kubegang.app.errors import BadInputError, ComponentFailedError
from kubegang.base.clock import Clock

FIRST_RESTART_SECONDS = 0.5
LONGEST_RESTART_SECONDS = 10.0
# A component that ran this long starts again with the shortest delay.
HEALTHY_SECONDS = 30.0
# Together below the five seconds in which SIGTERM must end everything.
STOP_SECONDS = 2.0
REMEMBERED_LOG_LINES = 20
BAD_INPUT_STATUS = 2
"""With this status a component says that a flag or file is wrong; its last line says which."""


class ComponentSpec(msgspec.Struct, frozen=True, kw_only=True):
    """How to run one component.

    Attributes:
        first_line: what the child reads first, its settings.
        restart: whether a crash is answered by a restart; if not it ends everything.
        inherited_files: file descriptors that the child keeps, such as a bound socket.
        counts: whether the cluster is not ready without it.
    """

    name: str
    arguments: tuple[str, ...]
    first_line: bytes
    restart: bool = True
    inherited_files: tuple[int, ...] = ()
    counts: bool = True


class ComponentStates(msgspec.Struct, frozen=True):
    """What the supervisor tells every component: name to ``running`` or what is wrong.

    Only of components without which the cluster is not ready.
    """

    components: Mapping[str, str]


class Supervisor:
    """Runs components until told to stop; the first one listed stops last."""

    def __init__(
        self,
        specs: Sequence[ComponentSpec],
        *,
        clock: Clock,
        report: Callable[[str], None],
        log: Callable[[str], None],
    ) -> None:
        self._children = [_Child(spec, clock=clock, report=report, log=log) for spec in specs]
        self._clock = clock
        for child in self._children:
            child.changed = self._broadcast

    async def spawn(self) -> None:
        """Start all processes, which load their programs meanwhile; none works before ``start``."""
        for child in self._children:
            await child.spawn()

    async def start(self, name: str) -> None:
        """Have one component work and wait until it says that it is ready.

        Raises:
            BadInputError: it was asked for something that cannot be had.
            ComponentFailedError: it ended instead; the message has its last log lines.
        """
        child = next(child for child in self._children if child.spec.name == name)
        await child.start()
        await child.wait_ready()

    async def watch(self) -> None:
        """Restart what crashes, for ever.

        Raises:
            ComponentFailedError: a component that must not be restarted has ended.
        """
        tasks = [asyncio.create_task(child.keep_running()) for child in self._children]
        try:
            await asyncio.gather(*tasks)
        finally:
            for task in tasks:
                task.cancel()
            await asyncio.gather(*tasks, return_exceptions=True)

    async def stop(self) -> None:
        """End all components: first those that use the API server, then the API server."""
        first, *others = self._children
        await asyncio.gather(*(child.stop() for child in others))
        await first.stop()

    def process_ids(self) -> dict[str, int]:
        """Return the process id of each running component."""
        return {
            child.spec.name: child.process.pid
            for child in self._children
            if child.process is not None and child.process.returncode is None
        }

    def _broadcast(self) -> None:
        states = ComponentStates(
            {child.spec.name: child.state for child in self._children if child.spec.counts}
        )
        line = msgspec.json.encode(states) + b"\n"
        for child in self._children:
            child.send(line)


class _Child:
    """One component's process, over its restarts."""

    def __init__(
        self,
        spec: ComponentSpec,
        *,
        clock: Clock,
        report: Callable[[str], None],
        log: Callable[[str], None],
    ) -> None:
        self.spec = spec
        self.state = "not started"
        self.process: asyncio.subprocess.Process | None = None
        self.changed: Callable[[], None] = lambda: None
        self._clock = clock
        self._report = report
        self._log = log
        self._last_lines: deque[str] = deque(maxlen=REMEMBERED_LOG_LINES)
        self._ready = asyncio.Event()
        self._readers: list[asyncio.Task[None]] = []
        self._started_at = 0.0
        self._told = False

    async def start(self) -> None:
        """Hand the process its settings; one that has ended or never was is started first."""
        if self.process is None or self.process.returncode is not None:
            await self.spawn()
        self._started_at = self._clock.steady()
        self._told = True
        self.send(self.spec.first_line + b"\n")
        self._enter("starting")

    async def spawn(self) -> None:
        """Start the process, which then waits for its settings."""
        self._told = False
        self._ready.clear()
        self._last_lines.clear()
        self.process = await asyncio.create_subprocess_exec(
            *self.spec.arguments,
            stdin=asyncio.subprocess.PIPE,
            stdout=asyncio.subprocess.PIPE,
            stderr=asyncio.subprocess.PIPE,
            pass_fds=self.spec.inherited_files,
            # Ctrl-C in a terminal is for the supervisor, which then stops us in order.
            start_new_session=True,
        )
        self._readers = [
            asyncio.create_task(self._read_output(self.process)),
            asyncio.create_task(self._read_log(self.process)),
        ]

    async def wait_ready(self) -> None:
        """Wait for the line ``ready``, or raise when the process ends before it."""
        process = self._running()
        ready = asyncio.create_task(self._ready.wait())
        ended = asyncio.create_task(process.wait())
        await asyncio.wait({ready, ended}, return_when=asyncio.FIRST_COMPLETED)
        ready.cancel()
        if not self._ready.is_set():
            if await ended == BAD_INPUT_STATUS:
                await asyncio.gather(*self._readers)
                raise BadInputError(self._last_lines[-1] if self._last_lines else "bad input")
            raise ComponentFailedError(await self._cause())
        ended.cancel()

    async def keep_running(self) -> None:
        """Restart the process whenever it ends, with a growing delay."""
        delay = FIRST_RESTART_SECONDS
        while True:
            await self._running().wait()
            cause = await self._cause()
            self._enter(f"crashed: {cause.splitlines()[0]}")
            if not self.spec.restart:
                raise ComponentFailedError(cause)
            if self._clock.steady() - self._started_at > HEALTHY_SECONDS:
                delay = FIRST_RESTART_SECONDS
            self._report(f"{cause}\nrestarting {self.spec.name} in {delay:g} s")
            await self._clock.sleep(delay)
            delay = min(delay * 2, LONGEST_RESTART_SECONDS)
            await self.start()

    async def stop(self) -> None:
        """Ask the process to end, and kill it if it takes too long."""
        process = self.process
        if process is None or process.returncode is not None:
            return
        self._close_input()
        with contextlib.suppress(ProcessLookupError):
            process.send_signal(signal.SIGTERM)
        try:
            await asyncio.wait_for(process.wait(), STOP_SECONDS)
        except TimeoutError:
            self._report(f"{self.spec.name} did not stop in {STOP_SECONDS:g} s and was killed")
            process.kill()
            await process.wait()
        await asyncio.gather(*self._readers)

    def send(self, line: bytes) -> None:
        """Write a line to the process's standard input, if it has its settings and listens."""
        process = self.process
        if process is None or process.stdin is None or process.returncode is not None:
            return
        if not self._told:
            return
        if not process.stdin.is_closing():
            process.stdin.write(line)

    def _close_input(self) -> None:
        if self.process is not None and self.process.stdin is not None:
            self.process.stdin.close()

    def _running(self) -> asyncio.subprocess.Process:
        if self.process is None:
            raise RuntimeError(f"{self.spec.name} was not started")
        return self.process

    def _enter(self, state: str) -> None:
        self.state = state
        self.changed()

    async def _read_output(self, process: asyncio.subprocess.Process) -> None:
        if process.stdout is None:
            return
        async for line in process.stdout:
            if line.strip() == b"ready" and not self._ready.is_set():
                self._ready.set()
                self._enter("running")

    async def _read_log(self, process: asyncio.subprocess.Process) -> None:
        if process.stderr is None:
            return
        async for line in process.stderr:
            text = line.decode(errors="replace").rstrip("\n")
            self._last_lines.append(text)
            self._log(text)

    async def _cause(self) -> str:
        """Say how the process ended, with its last log lines."""
        await asyncio.gather(*self._readers)
        code = self._running().returncode or 0
        how = f"was killed by {signal.Signals(-code).name}" if code < 0 else f"exited with {code}"
        lines = "".join(f"\n  {line}" for line in self._last_lines)
        return f"{self.spec.name} {how}{lines}"


def python_module(module: str, *arguments: str) -> tuple[str, ...]:
    """Return the command line that runs a module of this installation."""
    return (sys.executable, "-m", module, *arguments)
