"""Serves the API server alone, in memory, for the corpus: ``serve.py PORT KUBECONFIG``.

No controllers, no scheduler, no nodes, as when the corpus was recorded; plain HTTP with a
token, which is all that ``replay.py`` needs.
"""

from __future__ import annotations

import asyncio
import random
import sys
from pathlib import Path

import uvicorn
import uvloop
from starlette.applications import Starlette

from kubegang.api.facts import load_facts
from kubegang.api.resources import ROWS
from kubegang.api.scheme import Scheme
from kubegang.apiserver.app import create_app
from kubegang.apiserver.authn import Authenticator, Identity
from kubegang.apiserver.bootstrap import bootstrap
from kubegang.apiserver.protocol import CertificateProtocol
from kubegang.app.profiles.table import profile_named
from kubegang.base.clock import RealClock
from kubegang.base.logging import configure_logging
from kubegang.store.memory import MemoryStore

TOKEN = "corpus"

_KUBECONFIG = """\
apiVersion: v1
kind: Config
clusters: [{{name: c, cluster: {{server: "http://127.0.0.1:{port}"}}}}]
users: [{{name: u, user: {{token: {token}}}}}]
contexts: [{{name: x, context: {{cluster: c, user: u, namespace: default}}}}]
current-context: x
"""


def make_app() -> Starlette:
    """Return a 1.37 API server with every gang-scheduling gate on, over an empty store."""
    profile = profile_named("1.37")
    gates = profile.gates["apiserver"]
    return create_app(
        store=MemoryStore(),
        scheme=Scheme.for_profile(ROWS, profile.served, gates),
        facts=load_facts(profile.name),
        gates=gates,
        clock=RealClock(),
        rng=random.SystemRandom(),
        git_version=profile.git_version,
        authenticator=Authenticator({TOKEN: Identity("admin", ("system:masters",))}),
    )


async def serve(port: int) -> None:
    """Serve until interrupted."""
    app = make_app()
    await bootstrap(app.state.backend)
    config = uvicorn.Config(
        app,
        port=port,
        http=CertificateProtocol,
        ws="none",
        lifespan="off",
        log_config=None,
        access_log=False,
    )
    await uvicorn.Server(config).serve()


if __name__ == "__main__":
    configure_logging(component="apiserver", json=False, level="info")
    chosen = int(sys.argv[1])
    Path(sys.argv[2]).write_text(_KUBECONFIG.format(port=chosen, token=TOKEN))
    with asyncio.Runner(loop_factory=uvloop.new_event_loop) as runner:
        runner.run(serve(chosen))
