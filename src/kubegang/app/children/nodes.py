"""The simulated nodes' process."""

from __future__ import annotations

import random
import sys

from kubegang.app.child import Problems, Ready, main
from kubegang.app.childclient import client_of
from kubegang.app.configuration import initial_nodes, resolve_profile
from kubegang.app.nodes import SimulatedNodes
from kubegang.app.options import ChildSettings
from kubegang.base.clock import Clock


async def run(settings: ChildSettings, *, clock: Clock, others: Problems, ready: Ready) -> None:
    """Simulate nodes until cancelled."""
    client = client_of(settings)
    nodes = SimulatedNodes(
        client,
        resolve_profile(settings.options),
        initial_nodes=initial_nodes(settings.options.nodes),
        clock=clock,
        rng=random.Random(),
        heartbeats=True,
    )
    try:
        await nodes.run(ready=ready)
    finally:
        await client.close()


if __name__ == "__main__":
    sys.exit(main(run))
