"""Health: ``/healthz``, ``/livez`` and ``/readyz``, whole or check by check.

``?verbose`` lists the checks, ``?exclude=NAME`` leaves one out, ``/readyz/NAME`` is one alone.
Unlike upstream, a failed check says why: the reader is the person at the keyboard.
"""

from __future__ import annotations

from collections.abc import Callable, Mapping

from starlette.routing import Route
from starlette.types import Receive, Scope, Send

from kubegang.apiserver.healthslis import HealthSlis, slis_route
from kubegang.apiserver.requests import parse_query
from kubegang.apiserver.responses import TEXT, Answer, page_not_found
from kubegang.store.interface import Store, StoreError

Check = Callable[[], str]
"""Returns why something is not well, or an empty text."""


def health_routes(store: Store, ready: Mapping[str, Check]) -> list[Route]:
    """Return the routes of the three endpoints, and of what was found there.

    Args:
        store: what everything rests on.
        ready: further checks for ``/readyz``, by name, in the order in which they are listed.
    """
    alive: dict[str, Check] = {"ping": lambda: "", "storage": lambda: _storage_problem(store)}
    slis = HealthSlis()
    routes: list[Route] = [slis_route(slis)]
    for name, checks in (("healthz", alive), ("livez", alive), ("readyz", {**alive, **ready})):
        routes.append(Route(f"/{name}", HealthEndpoint(name, checks, slis)))
        routes.append(Route(f"/{name}/{{check}}", HealthEndpoint(name, checks, slis)))
    return routes


class HealthEndpoint:
    """One of the endpoints, and its checks one by one below it."""

    def __init__(self, name: str, checks: Mapping[str, Check], slis: HealthSlis) -> None:
        self._name = name
        self._checks = checks
        self._slis = slis

    async def __call__(self, scope: Scope, receive: Receive, send: Send) -> None:
        """Run the checks and answer 200 or 500."""
        query = parse_query(scope)
        wanted = scope.get("path_params", {}).get("check", "")
        if wanted:
            answer = self._one(wanted)
        else:
            answer = self._all(query.get("exclude", []), verbose="verbose" in query)
        await answer(scope, receive, send)

    def _one(self, name: str) -> Answer:
        check = self._checks.get(name)
        if check is None:
            return page_not_found()
        problem = check()
        if problem:
            return _answer(f"internal server error: {problem}\n", 500)
        return _answer("ok", 200)

    def _all(self, excluded: list[str], *, verbose: bool) -> Answer:
        lines: list[str] = []
        failed = False
        for name, check in self._checks.items():
            if name in excluded:
                lines.append(f"[+]{name} excluded: ok")
                continue
            problem = check()
            self._slis.note(self._name, name, well=not problem)
            failed = failed or bool(problem)
            lines.append(f"[-]{name} failed: {problem}" if problem else f"[+]{name} ok")
        unknown = [name for name in excluded if name not in self._checks]
        if unknown:
            names = ",".join(f'"{name}"' for name in unknown)
            lines.append(f"warn: some health checks cannot be excluded: no matches for {names}")
        verdict = "failed" if failed else "passed"
        text = "\n".join([*lines, f"{self._name} check {verdict}"]) + "\n"
        if failed:
            return _answer(text, 500)
        return _answer(text if verbose else "ok", 200)


def _answer(text: str, status: int) -> Answer:
    return Answer(
        text.encode(), status, content_type=TEXT, headers=(("x-content-type-options", "nosniff"),)
    )


def _storage_problem(store: Store) -> str:
    try:
        store.get("/health")
    except StoreError as error:
        return str(error)
    return store.problem
