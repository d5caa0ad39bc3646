"""The API server put together, and served on a socket."""

from __future__ import annotations

import asyncio
import socket
from collections.abc import Callable, Mapping
from pathlib import Path

from starlette.applications import Starlette

from kubegang.api.facts import load_facts
from kubegang.api.profile import VersionProfile
from kubegang.apiserver.admission.chain import UnknownPluginError
from kubegang.apiserver.app import create_app
from kubegang.apiserver.audit import AuditFile
from kubegang.apiserver.authn import Authenticator
from kubegang.apiserver.backend import Backend
from kubegang.apiserver.bootstrap import bootstrap
from kubegang.apiserver.chance import Rng
from kubegang.apiserver.compaction import compact_forever
from kubegang.apiserver.definitions import follow_definitions
from kubegang.apiserver.expiry import expire_events_forever
from kubegang.apiserver.health import Check
from kubegang.app.errors import BadInputError
from kubegang.app.options import UpOptions
from kubegang.app.policy import ensure_roles
from kubegang.app.served import scheme_of
from kubegang.app.signingkey import load_signing_key
from kubegang.app.statictokens import load_tokens
from kubegang.app.tls import serving
from kubegang.base.clock import Clock
from kubegang.store.interface import Store, StoreError, StoreUnavailableError
from kubegang.store.locking import StoreInUseError
from kubegang.store.memory import MemoryStore
from kubegang.store.sqlite import open_sqlite_store

# After a supervisor was killed, its API server needs a moment to notice and to close.
TAKE_OVER_SECONDS = 5.0
TAKE_OVER_STEP_SECONDS = 0.1


def build_api_server(
    options: UpOptions,
    profile: VersionProfile,
    *,
    store: Store,
    clock: Clock,
    rng: Rng,
    ready: Mapping[str, Check],
    pki_dir: str = "",
) -> Starlette:
    """Put the API server together over a store; ``pki_dir`` has its key for tokens.

    Raises:
        BadInputError: an admission plug-in that does not exist is named.
    """
    audit = None
    if options.audit_log_path:
        audit = AuditFile(Path(options.audit_log_path), clock=clock)
    try:
        app = create_app(
            store=store,
            scheme=scheme_of(profile),
            facts=load_facts(profile.name),
            gates=profile.gates["apiserver"],
            clock=clock,
            rng=rng,
            git_version=profile.git_version,
            authenticator=Authenticator(load_tokens(pki_dir)),
            enabled_admission_plugins=_names(options.enable_admission_plugins),
            disabled_admission_plugins=_names(options.disable_admission_plugins),
            ready=ready,
            roles=options.authorization_mode == "RBAC",
            signing_key=load_signing_key(pki_dir),
            identity_rules=profile.identity_rules,
            validation_rules=profile.validation_rules,
            warning_rules=profile.warning_rules,
            table_rules=profile.table_rules,
            audit=audit,
        )
    except UnknownPluginError as error:
        raise BadInputError(str(error)) from error
    app.state.audit = audit
    return app


async def open_store(path: str, *, clock: Clock) -> Store:
    """Open the database, or an empty store in memory without a path.

    Raises:
        BadInputError: the file is none of ours, damaged, or used by another process.
    """
    if not path:
        return MemoryStore()
    waited = 0.0
    while True:
        try:
            return await open_sqlite_store(Path(path))
        except StoreInUseError as error:
            if waited >= TAKE_OVER_SECONDS:
                raise BadInputError(str(error)) from error
            await clock.sleep(TAKE_OVER_STEP_SECONDS)
            waited += TAKE_OVER_STEP_SECONDS
        except StoreUnavailableError as error:
            raise BadInputError(f"{path} cannot be used: {error}") from error
        except StoreError as error:
            raise BadInputError(str(error)) from error


async def keep_up(app: Starlette) -> None:
    """Do the server's own housekeeping until cancelled.

    History and old events are forgotten; custom resources are served as they are defined.
    """
    backend: Backend = app.state.backend
    async with asyncio.TaskGroup() as group:
        if app.state.audit is not None:
            group.create_task(app.state.audit.run())
        group.create_task(compact_forever(backend))
        group.create_task(expire_events_forever(backend))
        group.create_task(follow_definitions(backend))


async def serve(
    app: Starlette,
    profile: VersionProfile,
    *,
    sock: socket.socket,
    pki_dir: str,
    ready: Callable[[], None],
) -> None:
    """Serve the API on a bound socket until cancelled; call ``ready`` once it answers."""
    await bootstrap(app.state.backend, port=sock.getsockname()[1])
    await ensure_roles(app, profile)
    async with serving(app, sock=sock, pki_dir=pki_dir):
        ready()
        await keep_up(app)


def _names(text: str) -> tuple[str, ...]:
    return tuple(name.strip() for name in text.split(",") if name.strip())
