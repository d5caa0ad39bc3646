"""A stage that validates itself after each test."""

from __future__ import annotations

from collections.abc import Iterator

import pytest

from tests.unit.scheduler.queue.stage import Stage


@pytest.fixture
def stage() -> Iterator[Stage]:
    built = Stage()
    yield built
    built.validate()
