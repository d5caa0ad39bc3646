"""The two control planes whose controllers are compared: the real programs', and ours."""

from __future__ import annotations

import contextlib
import os
from collections.abc import Iterator
from pathlib import Path

import msgspec

from kubegang.app.profiles import v1_35, v1_36, v1_37
from kubegang.app.profiles.table import profile_named
from kubegang.client.api import ApiClient
from kubegang.client.http import HttpTransport
from kubegang.client.kubeconfig import load_kubeconfig
from tests.real.peer_plane import real_plane
from tests.system.upprocess import up

RUNNING_PEER = "KUBEGANG_PEER_KUBECONFIG"
"""In the environment: the way to a real control plane that runs already."""

Planes = tuple[Path, Path]
"""The kubeconfigs of the real plane and of ours."""


_GANGS = "scheduling.k8s.io"
_GATES = {"1.35": v1_35.GANG_GATES, "1.36": v1_36.GANG_GATES, "1.37": v1_37.GANG_GATES}


class Setup(msgspec.Struct, frozen=True, kw_only=True):
    """A release, and the gates that its components have; all for gangs are on, but for these.

    Attributes:
        release: such as 1.37.
        off_in_apiserver, off_in_controllers: gates that are off.
        unserved: API versions that are not served though a gate of theirs is on.
        further_gates: gates that are on besides those for gangs, in every component.
        further_versions: API versions that are served though they usually are not.
    """

    release: str = "1.37"
    off_in_apiserver: tuple[str, ...] = ()
    off_in_controllers: tuple[str, ...] = ()
    unserved: tuple[str, ...] = ()
    further_gates: tuple[str, ...] = ()
    further_versions: tuple[str, ...] = ()

    def gates(self, off: tuple[str, ...]) -> str:
        """Return every gate for gangs, as a flag has it."""
        known = (*_GATES[self.release], *self.further_gates)
        states = ((gate, str(gate not in off).lower()) for gate in known)
        return ",".join(f"{gate}={state}" for gate, state in states)

    def runtime_config(self) -> str:
        """Return what is served otherwise than usual, as a flag has it."""
        states = dict.fromkeys(self.further_versions, "true")
        if states:
            # The real one is told all that it serves besides what is in every cluster.
            gang = (str(v) for v in profile_named(self.release).served if v.group == _GANGS)
            states |= dict.fromkeys(gang, "true")
        states |= dict.fromkeys(self.unserved, "false")
        return ",".join(f"{version}={state}" for version, state in states.items())


DEFAULT = Setup()


@contextlib.contextmanager
def both_planes(directory: Path, setup: Setup = DEFAULT) -> Iterator[Planes]:
    """Run both inside the block, API server and controllers, without any scheduler."""
    with _real(directory / "real", setup) as real, _own(directory / "own", setup) as own:
        yield real, own


@contextlib.contextmanager
def _real(directory: Path, setup: Setup) -> Iterator[Path]:
    if RUNNING_PEER in os.environ:
        yield Path(os.environ[RUNNING_PEER])
        return
    environment = {"NO_SCHED": "1", "ETCD_NOFSYNC": "true"}
    if setup.off_in_apiserver or setup.further_gates:
        environment["FG_API_SET"] = setup.gates(setup.off_in_apiserver)
    if setup.off_in_controllers or setup.further_gates:
        environment["FG_KCM_SET"] = setup.gates(setup.off_in_controllers)
    if setup.runtime_config():
        environment["RC_SET"] = setup.runtime_config()
    with real_plane(directory, setup.release.removeprefix("1."), **environment) as kubeconfig:
        yield kubeconfig


@contextlib.contextmanager
def _own(directory: Path, setup: Setup) -> Iterator[Path]:
    directory.mkdir(exist_ok=True)
    flags = ["--in-memory", "--components=apiserver,controllers"]
    flags.append(f"--kubernetes-version={setup.release}")
    if setup.off_in_apiserver or setup.further_gates:
        flags.append(f"--apiserver-feature-gates={setup.gates(setup.off_in_apiserver)}")
    if setup.off_in_controllers or setup.further_gates:
        flags.append(f"--controllers-feature-gates={setup.gates(setup.off_in_controllers)}")
    if setup.runtime_config():
        flags.append(f"--runtime-config={setup.runtime_config()}")
    with up(directory, *flags) as started:
        yield started.kubeconfig


def client_of(kubeconfig: Path) -> ApiClient:
    """Return the API as its administrator."""
    return ApiClient(HttpTransport(load_kubeconfig(kubeconfig)), user_agent="kubectl")
