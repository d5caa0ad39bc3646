"""Structured logs: one line per event, with the API's names as keys.

Loggers take keywords (``pod``, ``podGroup``, ``node``, ``cycle`` …). A process calls
``configure_logging`` once. Lines of other packages, which use the standard library's logging,
come out in the same form.
"""

from __future__ import annotations

import logging
import sys
from typing import Any, TextIO

import msgspec
import structlog
from structlog.typing import EventDict, Processor, WrappedLogger

MAX_TEXT = 2048
"""Texts from elsewhere are cut to this many characters before they reach a log."""

# Loggers of other packages that say at info what our own lines say better.
_QUIET = ("uvicorn.access", "uvicorn.error", "aiohttp.access", "asyncio")


def logger(name: str) -> structlog.stdlib.BoundLogger:
    """Return the logger of a module, which passes ``__name__``; usable before configuration."""
    bound: structlog.stdlib.BoundLogger = structlog.get_logger(module=name)
    return bound


def configure_logging(*, component: str, json: bool, level: str) -> None:
    """Send this process's logs to standard error.

    Args:
        component: the part of the program, written in each line.
        json: one JSON object per line, for machines; otherwise text for people.
        level: ``debug``, ``info``, ``warning`` or ``error``.

    Raises:
        ValueError: the level is unknown.
    """
    number = logging.getLevelNamesMapping().get(level.upper())
    if number is None:
        raise ValueError(f"unknown log level {level!r}")
    common: list[Processor] = [
        structlog.processors.add_log_level,
        structlog.processors.TimeStamper(fmt="iso", utc=True, key="ts"),
        _ComponentName(component),
        _cut_long_texts,
    ]
    rendering = _rendering(json=json, stream=sys.stderr)
    structlog.configure(
        processors=[*common, *rendering],
        wrapper_class=structlog.make_filtering_bound_logger(number),
        logger_factory=structlog.WriteLoggerFactory(sys.stderr),
    )
    _configure_other_packages(common, rendering, number)


def _rendering(*, json: bool, stream: TextIO) -> list[Processor]:
    if json:
        return [
            structlog.processors.format_exc_info,
            structlog.processors.EventRenamer("msg"),
            structlog.processors.JSONRenderer(serializer=_encoded),
        ]
    # Plain tracebacks: the richer kind prints local variables, keys and tokens among them.
    console = structlog.dev.ConsoleRenderer(
        colors=stream.isatty(),
        timestamp_key="ts",
        exception_formatter=structlog.dev.plain_traceback,
    )
    return [console]


def _encoded(event: EventDict, **_options: Any) -> str:
    return msgspec.json.encode(event, enc_hook=repr).decode()


def _configure_other_packages(
    common: list[Processor], rendering: list[Processor], level: int
) -> None:
    handler = logging.StreamHandler(sys.stderr)
    handler.setFormatter(
        structlog.stdlib.ProcessorFormatter(
            foreign_pre_chain=[_module_name, *common],
            processors=[structlog.stdlib.ProcessorFormatter.remove_processors_meta, *rendering],
        )
    )
    root = logging.getLogger()
    root.handlers[:] = [handler]
    root.setLevel(level)
    for name in _QUIET:
        logging.getLogger(name).setLevel(max(level, logging.WARNING))


class _ComponentName:
    """Writes which part of the program speaks; a thread has no context to take it from."""

    def __init__(self, component: str) -> None:
        self._component = component

    def __call__(self, _logger: WrappedLogger, _method: str, event: EventDict) -> EventDict:
        event["component"] = self._component
        return event


def _module_name(_logger: WrappedLogger, _method: str, event: EventDict) -> EventDict:
    record: logging.LogRecord | None = event.get("_record")
    if record is not None:
        event["module"] = record.name
    return event


def _cut_long_texts(_logger: WrappedLogger, _method: str, event: EventDict) -> EventDict:
    for key, value in event.items():
        if isinstance(value, str) and len(value) > MAX_TEXT:
            event[key] = f"{value[:MAX_TEXT]}… ({len(value)} characters)"
    return event
