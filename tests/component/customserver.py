"""An API server that follows CustomResourceDefinitions, in this process and in virtual time."""

from __future__ import annotations

import asyncio
import json
from collections.abc import Callable, Coroutine
from typing import Any

from kubegang.apiserver.definitions import follow_definitions
from kubegang.base.clock import run_virtual
from tests.component.apiharness import Api, Reply
from tests.component.customshapes import Json

DEFINITIONS = "/apis/apiextensions.k8s.io/v1/customresourcedefinitions"
TABLE = "application/json;as=Table;v=v1;g=meta.k8s.io"


class CustomApi(Api):
    """The server, and what these tests often ask of it."""

    async def define(self, made: Json) -> None:
        """Create a definition and let the server take it up."""
        await self.create(DEFINITIONS, made)
        await self.settle()

    async def settle(self, seconds: float = 0.1) -> None:
        """Let virtual time pass."""
        await self.backend.clock.sleep(seconds)

    async def conditions(self, name: str) -> dict[str, tuple[str, str]]:
        """Return status and reason of a definition's conditions, by type."""
        found = (await self.get(f"{DEFINITIONS}/{name}")).object["status"]["conditions"]
        return {one["type"]: (one["status"], one["reason"]) for one in found}

    async def table(self, target: str) -> list[list[Any]]:
        """Return the cells of a list as a table."""
        reply = await self.get(target, headers={"accept": TABLE})
        return [row["cells"] for row in reply.object["rows"]]


def place(made: Json, name: str = "", *, version: str = "") -> str:
    """Return where a definition's objects are, or one of them, in the namespace default."""
    parts = made["spec"]
    version = version or parts["versions"][0]["name"]
    kinds = f"/apis/{parts['group']}/{version}/namespaces/default/{parts['names']['plural']}"
    return f"{kinds}/{name}" if name else kinds


def problems(reply: Reply) -> list[tuple[str, str]]:
    """Return field and message of what an answer complains of."""
    causes = reply.object["details"]["causes"]
    return sorted((one["field"], one["message"]) for one in causes)


def copied(value: Json) -> Json:
    """Return a deep copy."""
    result: Json = json.loads(json.dumps(value))
    return result


Scenario = Callable[[CustomApi], Coroutine[Any, Any, None]]


def run_custom(scenario: Scenario, **settings: Any) -> None:
    """Run a scenario against a server that follows definitions."""

    async def main() -> None:
        api = await CustomApi.start(**settings)
        assert isinstance(api, CustomApi)
        follower = asyncio.create_task(follow_definitions(api.backend))
        try:
            await scenario(api)
        finally:
            follower.cancel()

    run_virtual(main())


def custom_test(scenario: Scenario) -> Callable[[], None]:
    """Make a scenario a test."""

    def test() -> None:
        run_custom(scenario)

    test.__name__ = scenario.__name__
    test.__doc__ = scenario.__doc__
    return test
