"""The documents about explain and what-if show what the commands print."""

from __future__ import annotations

import re
import shlex
from pathlib import Path

import pytest
from click.testing import CliRunner

from kubegang.cli.main import commands

ROOT = Path(__file__).resolve().parent.parent.parent
SNIPPET = re.compile(
    r"^```sh\nkubegang (?P<line>[^\n]*)\n```\n\n```\n(?P<said>.*?)```$", re.M | re.S
)

pytestmark = pytest.mark.usefixtures("own_logging")


@pytest.mark.parametrize("name", ["explain", "what-if"])
def test_a_page_shows_what_its_commands_print(name: str, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.chdir(ROOT)
    text = (ROOT / "docs" / "reference" / f"{name}.md").read_text(encoding="utf-8")
    snippets = list(SNIPPET.finditer(text))

    assert snippets
    for snippet in snippets:
        result = CliRunner().invoke(commands, shlex.split(snippet["line"]))
        assert result.stdout == snippet["said"], snippet["line"]
