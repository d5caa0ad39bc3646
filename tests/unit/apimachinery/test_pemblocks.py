"""PEM as encoding/pem of Go 1.26 reads it."""

from __future__ import annotations

import pytest

from kubegang.apimachinery.pemblocks import Block, pem_blocks

BEGIN, END = b"-----BEGIN A-----\n", b"-----END A-----\n"


@pytest.mark.parametrize(
    ("text", "want"),
    [
        pytest.param(BEGIN + b"eHg=\n" + END, [Block("A", b"xx")], id="plain"),
        pytest.param(b"a\n" + BEGIN + b"eH\r\ng =\n" + END, [Block("A", b"xx")], id="blanks"),
        pytest.param(BEGIN + END, [Block("A", b"")], id="empty"),
        pytest.param(
            BEGIN + b"k: v\n\neHg=\n" + END, [Block("A", b"xx", has_headers=True)], id="headers"
        ),
        pytest.param(BEGIN + b"eHg=\nk: v\n" + END, [], id="colon-in-the-middle"),
        pytest.param(BEGIN + b"!\n" + END, [], id="no-base64"),
        pytest.param(BEGIN + b"eHg=\n", [], id="no-end"),
        pytest.param(BEGIN + b"eHg=\n-----END B-----\n", [], id="another-end"),
        pytest.param(BEGIN + b"eHg=\n-----END A----- x\n", [], id="more-after-the-end"),
        pytest.param(
            BEGIN + b"YWE=\n" + BEGIN + b"eHg=\n" + END + END, [Block("A", b"xx")], id="last-begins"
        ),
    ],
)
def test_blocks_are_those_that_go_finds(text: bytes, want: list[Block]) -> None:
    assert list(pem_blocks(text)) == want


@pytest.mark.timeout(20)
def test_many_beginnings_without_an_end_cost_one_pass() -> None:
    assert list(pem_blocks(BEGIN * 100_000)) == []
