"""The main program of one component's process, started by the supervisor.

Reads its settings from the first line of standard input, says ``ready`` on standard output,
and ends when standard input ends or SIGTERM arrives.
"""

from __future__ import annotations

import asyncio
import contextlib
import signal
import sys
from collections.abc import Coroutine
from typing import Any

import msgspec
import uvloop

from kubegang.app.components import run_component
from kubegang.app.errors import BadInputError, ClusterUnreachableError
from kubegang.app.options import ChildSettings
from kubegang.app.supervisor import ComponentStates
from kubegang.base.clock import RealClock
from kubegang.base.logging import configure_logging, logger

_log = logger(__name__)


class OtherComponents:
    """What the supervisor last said about all components."""

    def __init__(self) -> None:
        self.states: dict[str, str] = {}

    def problems(self) -> list[str]:
        """Return a sentence for each component that is not running."""
        return [f"{name} {state}" for name, state in self.states.items() if state != "running"]


def main() -> int:
    """Run the component until told to stop; return the exit status."""
    # Unbuffered: what follows the first line is for the event loop.
    with open(sys.stdin.fileno(), "rb", buffering=0, closefd=False) as raw:
        settings = msgspec.json.decode(raw.readline(), type=ChildSettings)
    options = settings.options
    configure_logging(component=settings.component, json=options.log_json, level=options.log_level)
    try:
        uvloop.run(_run(settings))
    except (BadInputError, ClusterUnreachableError) as error:
        print(error, file=sys.stderr)  # noqa: T201 - the supervisor passes it on as the cause
        return 2
    return 0


async def _run(settings: ChildSettings) -> None:
    others = OtherComponents()
    stop = asyncio.Event()
    loop = asyncio.get_running_loop()
    loop.add_signal_handler(signal.SIGTERM, stop.set)
    listener = asyncio.create_task(_listen(others, stop))
    try:
        await _until(
            stop, run_component(settings, clock=RealClock(), others=others.problems, ready=_ready)
        )
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


if __name__ == "__main__":
    sys.exit(main())
