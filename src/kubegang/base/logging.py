"""Structured logs: one line per event, with Kubernetes' names as keys.

Keys are ``pod``, ``podGroup``, ``node`` and ``cycle`` where they apply; values from elsewhere
are cut by whoever logs them.
"""

from __future__ import annotations

import logging
import sys

import structlog


def configure_logging(*, component: str, json: bool, level: str) -> None:
    """Set up logging of this process, to standard error.

    Args:
        component: who is speaking; part of every line.
        json: one JSON object per line, for machines.
        level: ``debug``, ``info``, ``warning`` or ``error``.
    """
    renderer: structlog.typing.Processor = (
        structlog.processors.JSONRenderer()
        if json
        else structlog.dev.ConsoleRenderer(colors=sys.stderr.isatty())
    )
    structlog.configure(
        processors=[
            structlog.contextvars.merge_contextvars,
            structlog.processors.add_log_level,
            structlog.processors.TimeStamper(fmt="iso", utc=True),
            structlog.processors.format_exc_info,
            renderer,
        ],
        wrapper_class=structlog.make_filtering_bound_logger(
            logging.getLevelNamesMapping()[level.upper()]
        ),
        logger_factory=structlog.PrintLoggerFactory(sys.stderr),
    )
    structlog.contextvars.bind_contextvars(component=component)


def logger(name: str) -> structlog.stdlib.BoundLogger:
    """Return the logger of a module; usable before ``configure_logging``."""
    bound: structlog.stdlib.BoundLogger = structlog.get_logger(module=name)
    return bound
