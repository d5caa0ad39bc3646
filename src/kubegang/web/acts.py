"""What the page may change, if whoever started it asked for that; else none of this is there.

/acts/deletion/…  what a deletion would delete, to be shown before
/acts/delete      deletes that
/acts/cordon      cordons or uncordons a node

The guard lets in only what the page itself sends, in a session.
"""

from __future__ import annotations

from collections.abc import Awaitable, Callable, Sequence
from typing import Final, Literal, Protocol

import msgspec
from starlette.exceptions import HTTPException
from starlette.requests import Request
from starlette.responses import Response
from starlette.routing import Route

from kubegang.apimachinery.errors import ApiError
from kubegang.client.interface import UnreachableError

_UNREACHABLE: Final = 502

_Answer = Callable[[Request], Awaitable[Response]]


class Target(msgspec.Struct, frozen=True):
    """An object, and no later one of its name."""

    kind: str
    namespace: str
    name: str
    uid: str


class Deletion(msgspec.Struct, frozen=True, kw_only=True):
    """What the deletion of a gang comes to.

    Attributes:
        deleted: what the page deletes.
        follows: what belongs to that and is collected after it.
        notes: what else is to be known before.
    """

    deleted: tuple[Target, ...]
    follows: tuple[Target, ...] = ()
    notes: tuple[str, ...] = ()


class GangName(msgspec.Struct, frozen=True, forbid_unknown_fields=True):
    """What stands for a gang: the Job that owns it, or its PodGroup."""

    kind: Literal["Job", "PodGroup"]
    namespace: str
    name: str


class AskedDeletion(msgspec.Struct, frozen=True, forbid_unknown_fields=True):
    """The deletion of a gang that consists of just what somebody was shown."""

    gang: GangName
    uids: tuple[str, ...]


class AskedCordon(msgspec.Struct, frozen=True, forbid_unknown_fields=True):
    """Whether a node takes no further pods."""

    node: str
    unschedulable: bool


class Acts(Protocol):
    """Changes of one cluster; every one may raise ``ApiError`` or ``UnreachableError``."""

    async def cordon(self, asked: AskedCordon) -> None:
        """Cordon or uncordon a node."""
        ...

    async def deletion(self, gang: GangName) -> Deletion:
        """Return what would be deleted; nothing is."""
        ...

    async def delete(self, asked: AskedDeletion) -> None:
        """Delete a gang if it is still what was shown."""
        ...


def act_routes(acts: Acts) -> Sequence[Route]:
    """Return where changes are asked for."""

    async def deletion(request: Request) -> Response:
        found = await acts.deletion(msgspec.convert(request.path_params, GangName))
        return Response(msgspec.json.encode(found), media_type="application/json")

    async def delete(request: Request) -> Response:
        await acts.delete(msgspec.json.decode(await request.body(), type=AskedDeletion))
        return Response(status_code=204)

    async def cordon(request: Request) -> Response:
        await acts.cordon(msgspec.json.decode(await request.body(), type=AskedCordon))
        return Response(status_code=204)

    return (
        Route("/acts/deletion/{kind}/{namespace}/{name}", _telling(deletion)),
        Route("/acts/delete", _telling(delete), methods=["POST"]),
        Route("/acts/cordon", _telling(cordon), methods=["POST"]),
    )


def _telling(answer: _Answer) -> _Answer:
    """Answer with the API's code and words if it says no."""

    async def answer_or_tell(request: Request) -> Response:
        try:
            return await answer(request)
        except ApiError as error:
            raise HTTPException(error.code, error.message) from error
        except UnreachableError as error:
            raise HTTPException(_UNREACHABLE, str(error)) from error
        except msgspec.DecodeError as error:
            raise HTTPException(400, str(error)) from error

    return answer_or_tell
