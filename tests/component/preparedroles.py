"""The roles of a fresh cluster, worked out once per release and process.

There are some 290 of them. Creating each through the API took most of the time of tests that
start hundreds of clusters; here they are written into the store as the API once wrote them.
"""

from __future__ import annotations

import random
from collections.abc import Sequence
from typing import Any, NamedTuple

from kubegang.apiserver.policybootstrap import ensure_policy
from kubegang.app.policy import policy_of
from kubegang.app.profiles.table import profile_named
from kubegang.store.interface import Encode, Item
from tests.component.apiharness import Api


class Prepared(NamedTuple):
    """What bootstrapping left.

    Attributes:
        items: the roles and bindings, as they were written.
        chance: the state of the server's chance, so that no uid comes again.
    """

    items: Sequence[Item]
    chance: tuple[Any, ...]


_PREPARED: dict[str, Prepared] = {}


async def cluster_with_roles(release: str) -> Api:
    """Return a fresh cluster in which roles decide."""
    if release not in _PREPARED:
        _PREPARED[release] = await _prepare(release)
    prepared = _PREPARED[release]
    api = await Api.start(version=release, roles=True)
    for item in prepared.items:
        written = await api.backend.store.create(item.key, _as_it_is(item.value))
        # The value has its revision in it.
        assert written.revision == item.revision
    _chance_of(api).setstate(prepared.chance)
    return api


async def _prepare(release: str) -> Prepared:
    api = await Api.start(version=release, roles=True)
    store = api.backend.store
    before = store.revision
    await ensure_policy(api.backend, policy_of(profile_named(release)))
    added = [item for item in store.list("").items if item.revision > before]
    return Prepared(sorted(added, key=lambda item: item.revision), _chance_of(api).getstate())


def _chance_of(api: Api) -> random.Random:
    chance = api.backend.rng
    assert isinstance(chance, random.Random)
    return chance


def _as_it_is(value: bytes) -> Encode:
    return lambda _: value
