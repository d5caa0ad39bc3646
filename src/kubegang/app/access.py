"""Who may ask a scheduler what: decided by the API server, as kube-scheduler delegates it.

Some paths are open to everybody. For others the caller's token is reviewed, and then whether
its user may do this to this path; both with the scheduler's own credentials, and remembered
for a short while. Client certificates are not looked at.
"""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any, Final

from starlette.types import Scope

from kubegang.apimachinery.errors import ApiError, ForbiddenError, UnauthorizedError
from kubegang.apimachinery.objects import JsonObject
from kubegang.base.clock import Clock
from kubegang.base.logging import logger
from kubegang.client.interface import Client, Resource, UnreachableError

OPEN_PATHS: Final = ("/healthz", "/readyz", "/livez")
"""Open to everybody unless told otherwise (upstream's)."""

REMEMBERED_SECONDS: Final = 10.0
MOST_REMEMBERED: Final = 1000

_TOKENS: Final = Resource(
    "authentication.k8s.io", "v1", "tokenreviews", "TokenReview", namespaced=False
)
_ACCESS: Final = Resource(
    "authorization.k8s.io", "v1", "subjectaccessreviews", "SubjectAccessReview", namespaced=False
)
_ANONYMOUS: Final[JsonObject] = {
    "username": "system:anonymous",
    "groups": ["system:unauthenticated"],
}

_log = logger(__name__)


class Access:
    """Decides about requests."""

    def __init__(
        self, client: Client, *, clock: Clock, open_paths: Sequence[str] = OPEN_PATHS
    ) -> None:
        """Prepare to ask the API server.

        Args:
            client: with the scheduler's credentials.
            clock: how long answers are remembered.
            open_paths: what everybody may ask; one that ends in ``/*`` stands for all below.
        """
        self._client = client
        self._clock = clock
        self._open = frozenset(path for path in open_paths if not path.endswith("*"))
        self._open_below = tuple(path[:-1] for path in open_paths if path.endswith("*"))
        self._remembered: dict[tuple[str, ...], tuple[float, Any]] = {}

    async def check(self, path: str, method: str, *, token: str) -> None:
        """Let a request pass.

        Raises:
            UnauthorizedError: the token is nobody's.
            ForbiddenError: the user may not do this.
        """
        if path in self._open or path.startswith(self._open_below):
            return
        user = await self._user(token) if token else _ANONYMOUS
        verb = method.lower()
        if not await self._allowed(user, path, verb):
            raise ForbiddenError(
                f'forbidden: User "{user["username"]}" cannot {verb} path "{path}"'
            )

    async def _user(self, token: str) -> JsonObject:
        review = {"spec": {"token": token}}
        status = await self._asked(("token", token), _TOKENS, review)
        if not status.get("authenticated"):
            raise UnauthorizedError("Unauthorized")
        user: JsonObject = status["user"]
        return user

    async def _allowed(self, user: JsonObject, path: str, verb: str) -> bool:
        spec: JsonObject = {"nonResourceAttributes": {"path": path, "verb": verb}}
        spec |= {"user": user["username"], "groups": user.get("groups") or []}
        key = ("access", user["username"], ",".join(spec["groups"]), path, verb)
        status = await self._asked(key, _ACCESS, {"spec": spec})
        return bool(status.get("allowed"))

    async def _asked(self, key: tuple[str, ...], resource: Resource, review: JsonObject) -> Any:
        """Return a review's status; an empty one if the API server cannot be asked."""
        now = self._clock.steady()
        known = self._remembered.get(key)
        if known is not None and now < known[0]:
            return known[1]
        form = {"apiVersion": resource.api_version, "kind": resource.kind, **review}
        try:
            status = (await self._client.create(resource, form)).get("status") or {}
        except (ApiError, UnreachableError) as error:
            _log.warning("cannot ask who may see this", review=resource.kind, error=str(error))
            return {}
        if len(self._remembered) >= MOST_REMEMBERED:
            self._remembered.clear()
        self._remembered[key] = (now + REMEMBERED_SECONDS, status)
        return status


def bearer_token(scope: Scope) -> str:
    """Return the token that a request carries, or empty."""
    for name, value in scope["headers"]:
        if name == b"authorization":
            kind, _, token = value.decode("latin-1").partition(" ")
            return token.strip() if kind.lower() == "bearer" else ""
    return ""
