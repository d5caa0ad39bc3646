"""A cluster with its page, and headless Chromium looking at it."""

from __future__ import annotations

from collections.abc import Iterator
from typing import Any

import pytest

from tests.browser.pageprocess import Cluster, chromium
from tests.system.upprocess import up


@pytest.fixture(scope="module")
def cluster(tmp_path_factory: pytest.TempPathFactory) -> Iterator[Cluster]:
    """A cluster without nodes; each test has gangs of its own in it."""
    with up(tmp_path_factory.mktemp("cluster"), "--in-memory") as started:
        yield Cluster(started)


@pytest.fixture(scope="module")
def browser() -> Iterator[Any]:
    with chromium() as started:
        yield started


@pytest.fixture
def page(cluster: Cluster, browser: Any) -> Iterator[Any]:
    """The page, logged in; the test fails if the browser complains about anything."""
    context = browser.new_context()
    opened = context.new_page()
    complaints: list[str] = []
    opened.on("console", lambda message: complaints.append(message.text))
    opened.on("pageerror", lambda error: complaints.append(str(error)))
    opened.goto(cluster.next_address())
    yield opened
    context.close()
    assert complaints == []
