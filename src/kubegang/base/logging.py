"""Structured logs: one line per event, with the API's names as keys.

Loggers take keywords (``pod``, ``podGroup``, ``node``, ``cycle`` …) and hand on to the
standard library, so that other packages' lines go the same way. A process calls
``configure_logging`` once; until then only warnings are seen.
"""

from __future__ import annotations

import logging
import sys
from typing import Any, TextIO, cast

import structlog
from structlog.typing import EventDict, Processor, WrappedLogger

MAX_TEXT = 2048
"""Texts from elsewhere are cut to this many characters before they reach a log."""

_TIMESTAMP = structlog.processors.TimeStamper(fmt="iso", utc=True, key="ts")

_COMMON: tuple[Processor, ...] = (
    structlog.stdlib.add_logger_name,
    structlog.stdlib.add_log_level,
    _TIMESTAMP,
)

# Loggers of other packages that say at info what our own lines say better.
_QUIET = ("uvicorn.access", "uvicorn.error", "aiohttp.access", "asyncio")


def logger(name: str) -> structlog.stdlib.BoundLogger:
    """Return the logger of a module; modules pass ``__name__``."""
    wrapped = structlog.wrap_logger(
        logging.getLogger(name),
        processors=[
            structlog.stdlib.filter_by_level,
            *_COMMON,
            structlog.processors.StackInfoRenderer(),
            structlog.stdlib.ProcessorFormatter.wrap_for_formatter,
        ],
        wrapper_class=structlog.stdlib.BoundLogger,
    )
    return cast(structlog.stdlib.BoundLogger, wrapped)


def configure_logging(*, component: str, json: bool, level: str) -> None:
    """Send this process's logs to standard error.

    Args:
        component: the program's part, written in each line.
        json: one JSON object per line, for machines; otherwise text for people.
        level: ``debug``, ``info``, ``warning`` or ``error``.

    Raises:
        ValueError: the level is unknown.
    """
    number = logging.getLevelNamesMapping().get(level.upper())
    if number is None:
        raise ValueError(f"unknown log level {level!r}")
    handler = logging.StreamHandler(sys.stderr)
    handler.setFormatter(_formatter(component, json=json, stream=sys.stderr))
    root = logging.getLogger()
    root.handlers[:] = [handler]
    root.setLevel(number)
    for name in _QUIET:
        logging.getLogger(name).setLevel(max(number, logging.WARNING))


def _formatter(
    component: str, *, json: bool, stream: TextIO
) -> structlog.stdlib.ProcessorFormatter:
    renderer: list[Processor]
    if json:
        renderer = [
            structlog.processors.format_exc_info,
            structlog.processors.EventRenamer("msg"),
            structlog.processors.JSONRenderer(),
        ]
    else:
        renderer = [structlog.dev.ConsoleRenderer(colors=stream.isatty(), timestamp_key="ts")]
    return structlog.stdlib.ProcessorFormatter(
        foreign_pre_chain=_COMMON,
        processors=[
            _ComponentName(component),
            _cut_long_texts,
            structlog.stdlib.ProcessorFormatter.remove_processors_meta,
            *renderer,
        ],
    )


class _ComponentName:
    """Writes which part of the program speaks."""

    def __init__(self, component: str) -> None:
        self._component = component

    def __call__(self, _logger: WrappedLogger, _method: str, event: EventDict) -> EventDict:
        event["component"] = self._component
        return event


def _cut_long_texts(_logger: WrappedLogger, _method: str, event: EventDict) -> EventDict:
    for key, value in event.items():
        if isinstance(value, str) and len(value) > MAX_TEXT:
            event[key] = _cut(value)
    return event


def _cut(text: str) -> Any:
    return f"{text[:MAX_TEXT]}… ({len(text)} characters)"
