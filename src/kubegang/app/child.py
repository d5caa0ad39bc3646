"""What the main programs of the components' processes have in common (``app.children``).

The supervisor starts them. They read their settings from the first line of standard input, say
``ready`` on standard output, and end when standard input ends or SIGTERM arrives.
"""

from __future__ import annotations

import asyncio
import contextlib
import resource
import signal
import sys
from collections.abc import Callable, Coroutine
from typing import Any, Protocol

import msgspec
import uvloop

from kubegang.app.errors import BadInputError, ClusterUnreachableError
from kubegang.app.options import ChildSettings
from kubegang.app.supervisor import ComponentStates
from kubegang.base.clock import Clock, RealClock
from kubegang.base.logging import configure_logging, logger

Problems = Callable[[], list[str]]
Ready = Callable[[], None]

_log = logger(__name__)


class Run(Protocol):
    """Runs one component until cancelled."""

    async def __call__(
        self, settings: ChildSettings, *, clock: Clock, others: Problems, ready: Ready
    ) -> None:
        """Run.

        Args:
            settings: what and with which flags.
            clock: the time.
            others: what is wrong with the other components, for ``/readyz``.
            ready: to be called once, when the component does its work.

        Raises:
            BadInputError: something that was asked for cannot be had.
        """


class OtherComponents:
    """What the supervisor last said about all components."""

    def __init__(self) -> None:
        self.states: dict[str, str] = {}

    def problems(self) -> list[str]:
        """Return a sentence for each component that is not running."""
        return [f"{name} {state}" for name, state in self.states.items() if state != "running"]


def main(run: Run) -> int:
    """Run a component until told to stop; return the exit status."""
    # Unbuffered: what follows the first line is for the event loop.
    with open(sys.stdin.fileno(), "rb", buffering=0, closefd=False) as raw:
        line = raw.readline()
    if not line:
        # The supervisor has stopped before it was our turn.
        return 0
    settings = msgspec.json.decode(line, type=ChildSettings)
    options = settings.options
    _allow_many_files()
    configure_logging(component=settings.component, json=options.log_json, level=options.log_level)
    try:
        uvloop.run(_run(run, settings))
    except (BadInputError, ClusterUnreachableError) as error:
        print(error, file=sys.stderr)  # noqa: T201 - the supervisor passes it on as the cause
        return 2
    return 0


def _allow_many_files() -> None:
    """Raise the limit of open files as far as this process may, as programs in Go do."""
    _, most = resource.getrlimit(resource.RLIMIT_NOFILE)
    resource.setrlimit(resource.RLIMIT_NOFILE, (most, most))


async def _run(run: Run, settings: ChildSettings) -> None:
    others = OtherComponents()
    stop = asyncio.Event()
    loop = asyncio.get_running_loop()
    loop.add_signal_handler(signal.SIGTERM, stop.set)
    listener = asyncio.create_task(_listen(others, stop))
    try:
        await _until(stop, run(settings, clock=RealClock(), others=others.problems, ready=_ready))
    finally:
        listener.cancel()


async def _until(stop: asyncio.Event, work: Coroutine[Any, Any, None]) -> None:
    """Run ``work`` until it ends by itself or ``stop`` is set; its failure is ours."""
    working = asyncio.create_task(work)
    stopping = asyncio.create_task(stop.wait())
    await asyncio.wait({working, stopping}, return_when=asyncio.FIRST_COMPLETED)
    stopping.cancel()
    if not working.done():
        working.cancel()
    with contextlib.suppress(asyncio.CancelledError):
        await working


def _ready() -> None:
    sys.stdout.write("ready\n")
    sys.stdout.flush()


async def _listen(others: OtherComponents, stop: asyncio.Event) -> None:
    """Take in the supervisor's lines; their end means that it is gone."""
    loop = asyncio.get_running_loop()
    reader = asyncio.StreamReader()
    await loop.connect_read_pipe(lambda: asyncio.StreamReaderProtocol(reader), sys.stdin)
    while line := await reader.readline():
        others.states = dict(msgspec.json.decode(line, type=ComponentStates).components)
    stop.set()
