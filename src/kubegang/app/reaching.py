"""Whether a cluster answers and lets us in, asked once before anything starts."""

from __future__ import annotations

from kubegang.apimachinery.errors import ApiError
from kubegang.app.errors import ClusterUnreachableError
from kubegang.client.interface import Client, UnreachableError
from kubegang.client.resources import NODES


async def check_reachable(client: Client) -> None:
    """Ask for one node, so that a wrong address or credential is told at once.

    Raises:
        ClusterUnreachableError: no answer, or a refusal.
    """
    try:
        await client.list(NODES, limit=1)
    except (UnreachableError, ApiError) as error:
        raise ClusterUnreachableError(f"cannot use the cluster: {error}") from error
