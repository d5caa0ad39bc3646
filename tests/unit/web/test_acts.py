"""Changes from the page: there only if allowed, and only for the page itself in a session."""

from __future__ import annotations

import pytest

from kubegang.apimachinery.errors import ConflictError, ForbiddenError, NotFoundError
from kubegang.client.interface import UnreachableError
from kubegang.web.acts import AskedCordon, AskedDeletion, Deletion, GangName, Target
from tests.unit.web.pagebrowser import PageBrowser

CORDON = b'{"node":"n1","unschedulable":true}'
DELETE = b'{"gang":{"kind":"Job","namespace":"default","name":"train"},"uids":["1"]}'
POSTS = [("/acts/cordon", CORDON), ("/acts/delete", DELETE)]
PLAN = "/acts/deletion/Job/default/train"


class NotedActs:
    """Notes what it is asked to do, or fails at it."""

    def __init__(self, failure: Exception | None = None) -> None:
        self.done: list[AskedCordon | AskedDeletion] = []
        self._failure = failure

    async def cordon(self, asked: AskedCordon) -> None:
        self._do(asked)

    async def deletion(self, gang: GangName) -> Deletion:
        if self._failure is not None:
            raise self._failure
        return Deletion(deleted=(Target(gang.kind, gang.namespace, gang.name, "1"),))

    async def delete(self, asked: AskedDeletion) -> None:
        self._do(asked)

    def _do(self, asked: AskedCordon | AskedDeletion) -> None:
        if self._failure is not None:
            raise self._failure
        self.done.append(asked)


async def logged_in(acts: NotedActs | None) -> PageBrowser:
    browser = PageBrowser(acts=acts)
    await browser.log_in()
    return browser


async def test_without_leave_there_is_nothing_to_ask_for_changes() -> None:
    browser = await logged_in(None)

    answers = [await browser.get(path, method="POST", body=body) for path, body in POSTS]
    answers.append(await browser.get(PLAN))

    assert [answer.status for answer in answers] == [404, 404, 404]
    assert 'id="act"' not in (await browser.get("/")).body


async def test_with_leave_a_session_changes_what_it_asks_for() -> None:
    acts = NotedActs()
    browser = await logged_in(acts)

    statuses = [(await browser.get(path, method="POST", body=body)).status for path, body in POSTS]

    assert statuses == [204, 204]
    assert acts.done == [
        AskedCordon("n1", unschedulable=True),
        AskedDeletion(GangName("Job", "default", "train"), ("1",)),
    ]
    assert '"uid":"1"' in (await browser.get(PLAN)).body
    assert 'id="act"' in (await browser.get("/")).body


@pytest.mark.parametrize(("path", "body"), POSTS)
async def test_without_a_session_nothing_is_changed(path: str, body: bytes) -> None:
    acts = NotedActs()

    answer = await PageBrowser(acts=acts).get(path, method="POST", body=body)

    assert (answer.status, acts.done) == (401, [])


@pytest.mark.parametrize(
    "origin",
    ["", "null", "http://127.0.0.1:1235", "http://localhost:1234", "https://evil.example", "http:"],
)
@pytest.mark.parametrize(("path", "body"), POSTS)
async def test_another_page_changes_nothing_with_the_session_s_cookie(
    path: str, body: bytes, origin: str
) -> None:
    acts = NotedActs()
    browser = await logged_in(acts)

    answer = await browser.get(path, method="POST", body=body, origin=origin)

    assert (answer.status, acts.done) == (403, [])


@pytest.mark.parametrize("path", [path for path, _ in POSTS])
async def test_nothing_is_changed_by_reading(path: str) -> None:
    assert (await (await logged_in(NotedActs())).get(path)).status == 405


@pytest.mark.parametrize("body", [b"", b"{", b"{}", b'{"node":1,"unschedulable":true}', DELETE])
async def test_what_is_no_cordon_is_refused(body: bytes) -> None:
    browser = await logged_in(NotedActs())

    assert (await browser.get("/acts/cordon", method="POST", body=body)).status == 400
    assert (await browser.get("/acts/deletion/Secret/default/s")).status == 400


@pytest.mark.parametrize(
    ("failure", "status"),
    [
        (ForbiddenError("you may not"), 403),
        (NotFoundError("there is none"), 404),
        (ConflictError("it has changed"), 409),
        (UnreachableError("nobody answers"), 502),
    ],
)
async def test_the_cluster_s_refusal_is_told_in_its_words(failure: Exception, status: int) -> None:
    browser = await logged_in(NotedActs(failure))

    for path, body in POSTS:
        answer = await browser.get(path, method="POST", body=body)
        assert (answer.status, answer.body) == (status, str(failure))
    assert (await browser.get(PLAN)).status == status
