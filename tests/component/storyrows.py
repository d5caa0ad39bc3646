"""A row of the table of stories: what users do, which controllers run, what is compared."""

from __future__ import annotations

import contextlib
from collections.abc import Awaitable, Callable
from typing import NamedTuple

from kubegang.apimachinery.errors import NotFoundError
from kubegang.client.interface import Resource
from tests.component.controllersharness import ControlledCluster
from tests.component.faultyplay import SETTLE_SECONDS, Objects, end_state
from tests.component.jobobjects import Users

Act = Callable[[Users], Awaitable[None]]


class Row(NamedTuple):
    """A story and what it is about.

    Attributes:
        act: what users do; the cluster comes to rest afterwards.
        controllers: those that run.
        compared: the resources whose objects must be the same in the end.
        again: writes that change nothing and are made anew after each restart, as by the real
            controller.
    """

    act: Act
    controllers: tuple[str, ...]
    compared: tuple[Resource, ...]
    again: tuple[str, ...] = ()

    async def play(self, cluster: ControlledCluster) -> Objects:
        """Act, wait, and return what is there."""
        # Whoever finds that an object was deleted under them as well, stops.
        with contextlib.suppress(NotFoundError):
            await self.act(Users(cluster))
        await cluster.wait(SETTLE_SECONDS)
        return await end_state(cluster.user, *self.compared)
