"""``kubegang up``: prepares the data directory, starts the components, says when they are ready.

1. check the flags and the files they name
2. open the data directory: lock, version, step to another one if need be
3. bind the listening socket
4. certificates and kubeconfigs
5. start the API server, then the others
6. run until a signal, then stop in order
"""

from __future__ import annotations

import asyncio
import signal
import socket
import sys
from collections.abc import Callable, Mapping
from importlib.metadata import version
from pathlib import Path

import msgspec
import uvloop

from kubegang.api.profile import VersionProfile
from kubegang.app.certificates import CertificateAuthority, load_or_create_authority, write_private
from kubegang.app.configuration import resolve_profile
from kubegang.app.controlleraccounts import account_of
from kubegang.app.controllers.running import BUILDERS as CONTROLLERS
from kubegang.app.controllers.running import chosen_controllers
from kubegang.app.dashboard import bind_page
from kubegang.app.datadir import DataDirectory, opened
from kubegang.app.entering import enter_release
from kubegang.app.errors import BadInputError
from kubegang.app.flagfiles import check_files
from kubegang.app.gatemixes import warnings
from kubegang.app.kubeconfigs import write_kubeconfig
from kubegang.app.listening import address_of, bind, parse_listen, server_url
from kubegang.app.options import ChildSettings, ComponentName, UpOptions
from kubegang.app.policy import NODES_USER, page_user
from kubegang.app.reaching import check_reachable
from kubegang.app.signingkey import ensure_signing_key
from kubegang.app.singleprocess import run_in_this_process
from kubegang.app.statictokens import write_tokens
from kubegang.app.supervisor import ComponentSpec, Supervisor, python_module
from kubegang.base.clock import Clock, RealClock
from kubegang.client.api import ApiClient
from kubegang.client.http import HttpTransport
from kubegang.client.kubeconfig import KubeConfigError, load_kubeconfig

ADMIN = ("kubernetes-admin", ("system:masters",))
Identity = tuple[str, tuple[str, ...]]
IDENTITIES: Mapping[ComponentName, Identity] = {
    "controllers": ("system:kube-controller-manager", ()),
    "scheduler": ("system:kube-scheduler", ()),
    "nodes": (NODES_USER, ("system:nodes",)),
}
# Names under which the server may be reached besides the address it listens on.
SERVER_NAMES = ("localhost", "127.0.0.1", "::1", "kubernetes", "kubernetes.default.svc")

Say = Callable[[str], None]


class Prepared(msgspec.Struct, frozen=True):
    """Everything that was checked and made before the first component starts.

    Attributes:
        listener: the API server's socket, if it is among the components.
        page: the page's, likewise.
    """

    options: UpOptions
    profile: VersionProfile
    directory: DataDirectory
    listener: socket.socket | None
    page: socket.socket | None
    kubeconfig: Path


def run_up(options: UpOptions, *, say: Say) -> None:
    """Run the embedded control plane until SIGINT or SIGTERM.

    Raises:
        BadInputError: a flag or a file is wrong, or something we need is in use.
        ClusterUnreachableError: without an API server among the components, there is none.
        ComponentFailedError: a component did not start, or cannot be restarted.
    """
    # Until the event loop takes signals, one ends us the same way: everything is cleaned up.
    signal.signal(signal.SIGTERM, lambda _number, _frame: sys.exit(0))
    clock = RealClock()
    profile = resolve_profile(options)
    check_files(options)
    chosen_controllers(options.controllers)
    with opened(options.data_dir) as directory:
        told = uvloop.run(enter_release(directory, profile, clock=clock))
        if told:
            say(told)
        prepared = _prepare(options, profile, directory, clock)
        uvloop.run(_run(prepared, clock, say))


def _prepare(
    options: UpOptions, profile: VersionProfile, directory: DataDirectory, clock: Clock
) -> Prepared:
    if "apiserver" not in options.components:
        if not options.kubeconfig:
            raise BadInputError("--components without apiserver needs --kubeconfig of a cluster")
        page = _page_listener(options)
        return Prepared(options, profile, directory, None, page, Path(options.kubeconfig))
    host, port = parse_listen(options.listen)
    listener = bind(host, port)
    kubeconfig = Path(options.kubeconfig) if options.kubeconfig else directory.kubeconfig
    user = page_user(allow_changes=options.page_allow_changes)
    identities = {**IDENTITIES, "page": (user, ())}
    _write_credentials(
        directory, listener, kubeconfig, identities=identities, host=host, now=clock.now()
    )
    page = _page_listener(options)
    return Prepared(options, profile, directory, listener, page, kubeconfig)


def _page_listener(options: UpOptions) -> socket.socket | None:
    if "page" not in options.components:
        return None
    return bind_page(options.page_listen, flag="--page-listen")


def _write_credentials(
    directory: DataDirectory,
    listener: socket.socket,
    kubeconfig: Path,
    *,
    identities: Mapping[ComponentName, Identity],
    host: str,
    now: float,
) -> None:
    try:
        authority = load_or_create_authority(directory.pki, now=now)
        certificate = authority.server((*SERVER_NAMES, host), now=now)
        write_private(directory.pki / "apiserver.key", certificate.key)
        write_private(directory.pki / "apiserver.crt", certificate.certificate)
        ensure_signing_key(directory.pki)
        server = server_url(*address_of(listener))
        _write_client(kubeconfig, authority, server, identity=ADMIN, now=now)
        for component, identity in identities.items():
            path = directory.component_kubeconfig(component)
            _write_client(path, authority, server, identity=identity, now=now)
        _write_controllers(directory, authority, server)
    except (OSError, ValueError) as error:
        raise BadInputError(f"cannot write certificates and kubeconfigs: {error}") from error


def _write_controllers(
    directory: DataDirectory, authority: CertificateAuthority, server: str
) -> None:
    accounts = {name: account_of(name) for name in CONTROLLERS}
    tokens = write_tokens(directory.pki, dict.fromkeys(accounts.values()))
    for name, (user, _groups) in accounts.items():
        path = directory.controller_kubeconfig(name)
        write_kubeconfig(
            path, server=server, authority=authority.pem, user=user, client=tokens[user]
        )


def _write_client(
    path: Path,
    authority: CertificateAuthority,
    server: str,
    *,
    identity: Identity,
    now: float,
) -> None:
    user, groups = identity
    client = authority.client(user, groups, now=now)
    write_kubeconfig(path, server=server, authority=authority.pem, user=user, client=client)


async def _run(prepared: Prepared, clock: Clock, say: Say) -> None:
    stop = asyncio.Event()
    loop = asyncio.get_running_loop()
    for number in (signal.SIGINT, signal.SIGTERM):
        loop.add_signal_handler(number, stop.set)
    if prepared.listener is None:
        await _check_cluster(prepared.kubeconfig)
    _introduce(prepared, say)
    settings = [_child_settings(prepared, name) for name in prepared.options.components]
    if prepared.options.single_process:
        await run_in_this_process(
            settings, clock=clock, stop=stop, say=say, ready=lambda: _say_ready(prepared, say)
        )
    else:
        await _supervise(settings, prepared, clock=clock, say=say, stop=stop)


async def _check_cluster(kubeconfig: Path) -> None:
    """Make sure that the cluster for which we are to run components is there."""
    try:
        client = ApiClient(HttpTransport(load_kubeconfig(kubeconfig)), user_agent="kubegang-up")
    except KubeConfigError as error:
        raise BadInputError(str(error)) from error
    try:
        await check_reachable(client)
    finally:
        await client.close()


async def _supervise(
    settings: list[ChildSettings],
    prepared: Prepared,
    *,
    clock: Clock,
    say: Say,
    stop: asyncio.Event,
) -> None:
    specs = [_spec(child, persistent=prepared.directory.persistent) for child in settings]
    supervisor = Supervisor(specs, clock=clock, report=say, log=say)
    stopping = asyncio.create_task(stop.wait())
    try:
        working = asyncio.create_task(_start_and_watch(supervisor, specs, prepared, say))
        await asyncio.wait({working, stopping}, return_when=asyncio.FIRST_COMPLETED)
        if working.done():
            working.result()
        working.cancel()
        await asyncio.gather(working, return_exceptions=True)
    finally:
        stopping.cancel()
        await supervisor.stop()


async def _start_and_watch(
    supervisor: Supervisor, specs: list[ComponentSpec], prepared: Prepared, say: Say
) -> None:
    first, *others = specs
    await supervisor.spawn()
    await supervisor.start(first.name)
    pages = [spec.name for spec in others if spec.name == "page"]
    await asyncio.gather(*(supervisor.start(one.name) for one in others if one.name not in pages))
    _say_ready(prepared, say)
    # The page says its address itself; nobody has to wait for it who wants to use the cluster.
    for page in pages:
        await supervisor.start(page)
    await supervisor.watch()


def _spec(settings: ChildSettings, *, persistent: bool) -> ComponentSpec:
    is_server = settings.component == "apiserver"
    return ComponentSpec(
        name=settings.component,
        arguments=python_module(f"kubegang.app.children.{settings.component}"),
        first_line=msgspec.json.encode(settings),
        # What an in-memory server held is gone with it: going on empty would be a lie.
        restart=persistent or not is_server,
        inherited_files=(settings.socket_descriptor,) if settings.socket_descriptor >= 0 else (),
        counts=settings.component != "page",
    )


def _child_settings(prepared: Prepared, component: ComponentName) -> ChildSettings:
    directory, listener = prepared.directory, prepared.listener
    own = directory.component_kubeconfig(component)
    sock = {"apiserver": listener, "page": prepared.page}.get(component)
    return ChildSettings(
        component=component,
        options=prepared.options,
        kubeconfig=str(own if listener is not None else prepared.kubeconfig),
        pki_dir=str(directory.pki),
        store_path=str(directory.store) if directory.persistent else "",
        socket_descriptor=sock.fileno() if sock is not None else -1,
    )


def _introduce(prepared: Prepared, say: Say) -> None:
    options, profile = prepared.options, prepared.profile
    say(f"kubegang {version('kubegang')}: Kubernetes {profile.name}")
    say(_gates_line(profile))
    for warning in warnings(profile) if "apiserver" in options.components else ():
        say(warning)
    say(f"components: {', '.join(options.components)}")
    say(f"state: {prepared.directory.root if prepared.directory.persistent else 'in memory'}")


def _gates_line(profile: VersionProfile) -> str:
    """Name the gang-scheduling gates that are on, and those that are off somewhere."""
    on, mixed = [], []
    for gate in profile.known_gates:
        if not gate.gang:
            continue
        values = {gates[gate.name] for gates in profile.gates.values()}
        if values == {True}:
            on.append(gate.name)
        elif len(values) == 2:
            mixed.append(gate.name)
    text = f"gates on: {', '.join(on) or 'none'}"
    return f"{text}; on in some components only: {', '.join(mixed)}" if mixed else text


def _say_ready(prepared: Prepared, say: Say) -> None:
    if prepared.listener is None:
        say(f"ready: using {prepared.kubeconfig}")
        return
    say(f"export KUBECONFIG={prepared.kubeconfig}")
    say(f"ready: {server_url(*address_of(prepared.listener))}")
