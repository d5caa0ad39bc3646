"""A transport to a server that keeps one Lease, with the server's optimistic locking."""

from __future__ import annotations

from collections.abc import AsyncGenerator

import msgspec

from kubegang.apimachinery.errors import ApiError, ConflictError, already_exists, not_found
from kubegang.apimachinery.objects import GroupResource, JsonObject
from kubegang.client.interface import Request, Response, UnreachableError

LEASES = GroupResource("coordination.k8s.io", "leases")


class LeaseServer:
    """Answers get, create and update; ``away`` makes it unreachable."""

    def __init__(self) -> None:
        self.lease: JsonObject | None = None
        self.away = False
        self.writes: list[JsonObject] = []
        self._revision = 0

    @property
    def spec(self) -> JsonObject:
        assert self.lease is not None
        spec: JsonObject = self.lease["spec"]
        return spec

    async def send(self, request: Request) -> Response:
        """Answer a request."""
        if self.away:
            raise UnreachableError("connection refused")
        try:
            return Response(200, {}, msgspec.json.encode(self._answer(request)))
        except ApiError as error:
            return Response(error.code, {}, msgspec.json.encode(error.to_status()))

    def stream(self, request: Request) -> AsyncGenerator[bytes, None]:
        """Leases are not watched here."""
        raise NotImplementedError(request.path)

    async def close(self) -> None:
        """Do nothing."""

    def _answer(self, request: Request) -> JsonObject:
        name = "kube-scheduler"
        if request.method == "GET":
            if self.lease is None:
                raise not_found(LEASES, name)
            return self.lease
        sent: JsonObject = msgspec.json.decode(request.body)
        if request.method == "POST":
            if self.lease is not None:
                raise already_exists(LEASES, name)
        elif self.lease is None:
            raise not_found(LEASES, name)
        elif sent["metadata"]["resourceVersion"] != self.lease["metadata"]["resourceVersion"]:
            raise ConflictError("the object has been modified")
        self._revision += 1
        sent["metadata"]["resourceVersion"] = str(self._revision)
        self.lease = sent
        self.writes.append(sent["spec"])
        return sent
