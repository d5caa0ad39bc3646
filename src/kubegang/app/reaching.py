"""What a cluster answers to, asked once before anything starts."""

from __future__ import annotations

from typing import Final

import msgspec

from kubegang.api.profile import SchedulerProfile
from kubegang.apimachinery.errors import ApiError, NotFoundError
from kubegang.app.errors import ClusterUnreachableError
from kubegang.base.logging import logger
from kubegang.client.interface import Client, UnreachableError
from kubegang.client.resources import COMPOSITEPODGROUPS, NODES

COMPOSITES: Final = "CompositePodGroup"

_log = logger(__name__)


async def check_reachable(client: Client) -> None:
    """Ask for one node, so that a wrong address or credential is told at once.

    Raises:
        ClusterUnreachableError: no answer, or a refusal.
    """
    try:
        await client.list(NODES, limit=1)
    except (UnreachableError, ApiError) as error:
        raise ClusterUnreachableError(f"cannot use the cluster: {error}") from error


async def without_unserved_composites(
    client: Client, profiles: tuple[SchedulerProfile, ...]
) -> tuple[SchedulerProfile, ...]:
    """Turn the gate CompositePodGroup off in all profiles if the cluster does not serve them.

    It is alpha, and on by default here only. With it a scheduler would ask for the objects for
    ever before it does anything else, as kube-scheduler does.
    """
    if not any(profile.gates.enabled_if_known(COMPOSITES) for profile in profiles):
        return profiles
    try:
        await client.list(COMPOSITEPODGROUPS, limit=1)
    except NotFoundError:
        _log.warning("the cluster does not serve composite pod groups", gate=f"{COMPOSITES}=false")
    except (UnreachableError, ApiError):
        return profiles
    else:
        return profiles
    return tuple(
        msgspec.structs.replace(profile, gates=profile.gates.with_changes({COMPOSITES: False}))
        if COMPOSITES in profile.gates
        else profile
        for profile in profiles
    )
