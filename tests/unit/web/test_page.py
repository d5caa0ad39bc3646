"""The page as an application: who sees it, what browsers are told, and when to look again."""

from __future__ import annotations

import re
from pathlib import Path

import pytest

from kubegang import web
from kubegang.web.sessions import MOST_SESSIONS
from tests.unit.web.pagebrowser import COOKIE, PageBrowser

STATIC = Path(web.__path__[0]) / "static"
DATA = ("/overview", "/explain/Pod/default/p", "/what-if", "/changes")


@pytest.mark.parametrize("path", ["/", *DATA])
async def test_without_a_session_nothing_is_shown(path: str) -> None:
    browser = PageBrowser()

    answer = await browser.get(path)

    assert answer.status == 401
    assert "version" not in answer.body


async def test_an_address_is_good_for_one_login_and_the_next_is_printed() -> None:
    browser = PageBrowser()
    first = browser.printed[-1]

    entered = await browser.log_in()
    shown = await browser.get("/overview")
    again = await browser.get(f"/login?secret={first}")

    assert (entered.status, entered.headers["location"]) == (303, "/")
    assert (shown.status, shown.body) == (200, '{"text":"version 0"}')
    assert again.status == 401
    assert "set-cookie" not in again.headers
    assert len(set(browser.printed)) == 2


async def test_the_cookie_is_out_of_reach_for_scripts_and_other_sites() -> None:
    entered = await PageBrowser().log_in()

    words = entered.headers["set-cookie"].lower().split("; ")
    assert words[0].startswith(f"{COOKIE}=")
    assert {"httponly", "samesite=lax", "path=/"} <= set(words)


@pytest.mark.parametrize("secret", ["", "wrong", "secret-1"])
async def test_a_guess_does_not_log_in(secret: str) -> None:
    browser = PageBrowser()

    assert (await browser.get(f"/login?secret={secret}")).status == 401
    browser.cookie = f"{COOKIE}={secret}"
    assert (await browser.get("/overview")).status == 401


async def test_a_cookie_that_is_no_cookie_is_none() -> None:
    browser = PageBrowser()
    browser.cookie = "\x00=;;,=\x7f"

    assert (await browser.get("/overview")).status == 401


async def test_the_first_browser_is_logged_out_when_there_are_too_many() -> None:
    browser = PageBrowser()
    await browser.log_in()
    first = browser.cookie
    for _ in range(MOST_SESSIONS):
        await browser.log_in()

    assert (await browser.get("/overview")).status == 200
    browser.cookie = first
    assert (await browser.get("/overview")).status == 401


@pytest.mark.parametrize("host", ["evil.example:1234", "127.0.0.1.evil.example", "10.0.0.1", ""])
async def test_a_page_of_another_name_is_refused_even_with_a_session(host: str) -> None:
    browser = PageBrowser()
    await browser.log_in()

    assert (await browser.get("/overview", host=host)).status == 403


@pytest.mark.parametrize("host", ["127.0.0.1:1234", "localhost:8080", "localhost", "[::1]:1234"])
async def test_tunnels_may_have_another_port(host: str) -> None:
    browser = PageBrowser()
    await browser.log_in()

    assert (await browser.get("/overview", host=host)).status == 200


@pytest.mark.parametrize("path", ["/", "/login", "/assets/page.js", "/overview", "/nowhere"])
async def test_every_answer_forbids_what_the_page_does_not_need(path: str) -> None:
    headers = (await PageBrowser().get(path)).headers

    policy = dict(
        part.strip().split(" ", 1) for part in headers["content-security-policy"].split(";")
    )
    assert policy["default-src"] == "'none'"
    assert policy["frame-ancestors"] == "'none'"
    assert {policy[name] for name in ("script-src", "style-src", "connect-src")} == {"'self'"}
    assert headers["x-content-type-options"] == "nosniff"
    assert headers["referrer-policy"] == "no-referrer"
    assert headers["cache-control"] == "no-store"


@pytest.mark.parametrize("method", ["POST", "PUT", "PATCH", "DELETE"])
@pytest.mark.parametrize("path", ["/", "/login", "/overview", "/explain/Pod/default/p", "/changes"])
async def test_the_page_only_reads(path: str, method: str) -> None:
    browser = PageBrowser()
    await browser.log_in()

    assert (await browser.get(path, method=method)).status == 405


async def test_an_explanation_is_asked_for_by_kind_namespace_and_name() -> None:
    browser = PageBrowser()
    await browser.log_in()

    there = await browser.get("/explain/PodGroup/default/train")
    missing = await browser.get("/explain/PodGroup/default/missing")

    assert there.body == '{"text":"PodGroup default/train"}'
    assert (missing.status, missing.body) == (404, "there is no PodGroup default/missing")


async def test_suppositions_are_in_the_query() -> None:
    browser = PageBrowser()
    await browser.log_in()

    assert (await browser.get("/what-if?add=2&like=n1")).body == '{"text":"add 2 like n1"}'


@pytest.mark.parametrize("query", ["add=-1", "add=1001", "add=many", "file=/etc/passwd"])
async def test_a_supposition_that_is_none_is_refused(query: str) -> None:
    browser = PageBrowser()
    await browser.log_in()

    assert (await browser.get(f"/what-if?{query}")).status == 400


async def test_only_files_of_the_page_are_assets() -> None:
    browser = PageBrowser()

    assert (await browser.get("/assets/page.css")).status == 200
    assert (await browser.get("/assets/..%2fpage.py")).status == 404
    assert (await browser.get("/assets/page.py")).status == 404


async def test_a_stream_tells_the_version_there_is_and_each_new_one_and_ends_when_all_does() -> (
    None
):
    browser = PageBrowser()
    await browser.log_in()

    async with browser.stream("/changes") as pieces:
        first = await pieces.get()
        browser.views.change()
        second = await pieces.get()

    assert (first, second) == ("data: 0\n\n", "data: 1\n\n")


def test_the_page_asks_nobody_else_for_anything() -> None:
    for file in STATIC.iterdir():
        text = file.read_text(encoding="utf-8").replace("http://www.w3.org/2000/svg", "")
        assert re.findall(r"https?://|//[a-z]+\.", text) == [], file.name


@pytest.mark.parametrize("file", ["page.html", "acts.html", "login.html"])
def test_documents_have_no_scripts_or_styles_of_their_own(file: str) -> None:
    text = (STATIC / file).read_text(encoding="utf-8")

    assert re.findall(r"<script(?![^>]*src=)|<style| style=| on\w+=", text) == []
