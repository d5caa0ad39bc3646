"""The controllers' process."""

from __future__ import annotations

import random
import sys
from pathlib import Path

from kubegang.app.child import Problems, Ready, main
from kubegang.app.childclient import agent_of, client_of
from kubegang.app.clusterkeys import load_cluster_keys
from kubegang.app.configuration import resolve_profile
from kubegang.app.controlleraccounts import ControllerAccounts
from kubegang.app.controllers.running import Controllers, chosen_controllers
from kubegang.app.options import ChildSettings
from kubegang.base.clock import Clock


async def run(settings: ChildSettings, *, clock: Clock, others: Problems, ready: Ready) -> None:
    """Run the controllers until cancelled."""
    client = client_of(settings)
    accounts = ControllerAccounts(client, Path(settings.kubeconfig), user_agent=agent_of(settings))
    controllers = Controllers(
        client,
        resolve_profile(settings.options),
        chosen=chosen_controllers(
            settings.options.controllers,
            simulated_nodes="nodes" in settings.options.components,
        ),
        clock=clock,
        rng=random.Random(),
        client_for=accounts.client_for,
        keys=load_cluster_keys(settings.pki_dir),
    )
    try:
        await controllers.run(ready=ready)
    finally:
        await accounts.close()
        await client.close()


if __name__ == "__main__":
    sys.exit(main(run))
