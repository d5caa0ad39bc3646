"""Log lines as they reach standard error."""

from __future__ import annotations

import json
import logging
from collections.abc import Iterator
from typing import Any

import pytest
import structlog

from kubegang.base.logging import MAX_TEXT, configure_logging, logger


@pytest.fixture(autouse=True)
def _restored_logging() -> Iterator[None]:
    root = logging.getLogger()
    handlers, level = root.handlers[:], root.level
    before = structlog.get_config()
    yield
    root.handlers[:] = handlers
    root.setLevel(level)
    structlog.configure(**before)


def _lines(capsys: pytest.CaptureFixture[str]) -> list[dict[str, Any]]:
    return [json.loads(line) for line in capsys.readouterr().err.splitlines()]


def test_a_line_is_one_json_object(capsys: pytest.CaptureFixture[str]) -> None:
    configure_logging(component="scheduler", json=True, level="info")
    logger("kubegang.scheduler.cycle").info("pod bound", pod="default/a", node="n1", cycle=7)
    (line,) = _lines(capsys)
    assert line.pop("ts").endswith("Z")
    assert line == {
        "level": "info",
        "msg": "pod bound",
        "component": "scheduler",
        "module": "kubegang.scheduler.cycle",
        "pod": "default/a",
        "node": "n1",
        "cycle": 7,
    }


def test_values_that_json_does_not_know_are_written_as_python_does(
    capsys: pytest.CaptureFixture[str],
) -> None:
    configure_logging(component="x", json=True, level="info")
    logger("x").info("odd", what=range(3))
    assert _lines(capsys)[0]["what"] == "range(0, 3)"


def test_lines_below_the_level_are_left_out(capsys: pytest.CaptureFixture[str]) -> None:
    configure_logging(component="x", json=True, level="warning")
    log = logger("x")
    log.info("left out")
    log.warning("written")
    assert [line["msg"] for line in _lines(capsys)] == ["written"]


def test_an_unknown_level_is_refused() -> None:
    with pytest.raises(ValueError, match="unknown log level 'loud'"):
        configure_logging(component="x", json=True, level="loud")


def test_a_logger_made_before_the_configuration_obeys_it(
    capsys: pytest.CaptureFixture[str],
) -> None:
    early = logger("x")
    configure_logging(component="late", json=True, level="info")
    early.info("hello")
    assert _lines(capsys)[0]["component"] == "late"


def test_long_texts_are_cut(capsys: pytest.CaptureFixture[str]) -> None:
    configure_logging(component="x", json=True, level="info")
    logger("x").info("said", text="a" * (MAX_TEXT + 1))
    text = _lines(capsys)[0]["text"]
    assert text == "a" * MAX_TEXT + f"… ({MAX_TEXT + 1} characters)"


def test_a_newline_in_a_text_begins_no_line(capsys: pytest.CaptureFixture[str]) -> None:
    configure_logging(component="x", json=True, level="info")
    logger("x").info("said", text='a\n{"msg":"forged"}')
    assert [line["msg"] for line in _lines(capsys)] == ["said"]


def test_other_packages_lines_have_the_same_form(capsys: pytest.CaptureFixture[str]) -> None:
    configure_logging(component="x", json=True, level="info")
    logging.getLogger("some.library").warning("%s is late", "a thing")
    (line,) = _lines(capsys)
    del line["ts"]
    assert line == {
        "level": "warning",
        "msg": "a thing is late",
        "component": "x",
        "module": "some.library",
    }


@pytest.mark.parametrize("as_json", [True, False])
def test_a_traceback_shows_no_variables(
    capsys: pytest.CaptureFixture[str], *, as_json: bool
) -> None:
    configure_logging(component="x", json=as_json, level="info")
    token = "".join(["s3cr", "et"])
    try:
        len(token) / 0
    except ZeroDivisionError:
        logger("x").exception("failed")
    written = capsys.readouterr().err
    assert "ZeroDivisionError" in written
    assert "s3cret" not in written


def test_text_for_people(capsys: pytest.CaptureFixture[str]) -> None:
    configure_logging(component="x", json=False, level="info")
    logger("x").info("pod bound", node="n1")
    written = capsys.readouterr().err
    assert "pod bound" in written
    assert "node=n1" in written


def test_a_second_configuration_replaces_the_first(capsys: pytest.CaptureFixture[str]) -> None:
    configure_logging(component="first", json=True, level="info")
    configure_logging(component="second", json=True, level="info")
    logging.getLogger("some.library").warning("once")
    assert [line["component"] for line in _lines(capsys)] == ["second"]
