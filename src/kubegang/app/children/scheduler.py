"""The scheduler's process."""

from __future__ import annotations

import random
import sys

from kubegang.app.child import Problems, Ready, main
from kubegang.app.childclient import client_of
from kubegang.app.configuration import resolve_profile, scheduler_configuration
from kubegang.app.gatemixes import scheduler_waits
from kubegang.app.options import ChildSettings
from kubegang.app.scheduler import build_scheduler, profiles_of, run_scheduler
from kubegang.base.clock import Clock


async def run(settings: ChildSettings, *, clock: Clock, others: Problems, ready: Ready) -> None:
    """Schedule until cancelled."""
    client = client_of(settings)
    options = settings.options
    version = resolve_profile(options)
    config = scheduler_configuration(options.config, version)
    profiles = profiles_of(version, config, configured=bool(options.config))
    scheduler = build_scheduler(client, profiles, config, clock=clock, rng=random.Random())
    if "apiserver" in options.components and scheduler_waits(version):
        # It is as ready as it will ever be.
        ready()
    try:
        await run_scheduler(scheduler, ready=ready)
    finally:
        await client.close()


if __name__ == "__main__":
    sys.exit(main(run))
