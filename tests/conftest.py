"""Options and fixtures of the whole test run."""

from __future__ import annotations

from collections.abc import Iterator

import pytest
import structlog


def pytest_addoption(parser: pytest.Parser) -> None:
    parser.addoption(
        "--accept", action="store_true", help="rewrite the want files of golden scenarios"
    )


@pytest.fixture
def own_logging() -> Iterator[None]:
    """Undo what a command that ran in this process set up for its own logs."""
    yield
    structlog.reset_defaults()
    structlog.contextvars.clear_contextvars()
