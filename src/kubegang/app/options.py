"""What ``kubegang up`` was asked for, as plain values that cross to the component processes."""

from __future__ import annotations

from typing import Literal

import msgspec

ComponentName = Literal["apiserver", "controllers", "scheduler", "nodes", "page"]
COMPONENTS: tuple[ComponentName, ...] = ("apiserver", "controllers", "scheduler", "nodes", "page")
DEFAULT_VERSION = "1.37"
DEFAULT_LISTEN = "127.0.0.1:6443"
DEFAULT_PAGE_LISTEN = "127.0.0.1:0"


class GateFlags(msgspec.Struct, frozen=True, kw_only=True):
    """Feature gate flags as given: ``A=true,B=false``.

    Attributes:
        all: edits the gate in every component that knows it.
        apiserver, controllers, scheduler, kubelet: edit one component, strictly, and win.
    """

    all: str = ""
    apiserver: str = ""
    controllers: str = ""
    scheduler: str = ""
    kubelet: str = ""


class UpOptions(msgspec.Struct, frozen=True, kw_only=True):
    """The flags of ``up``, checked for form only.

    Attributes:
        runtime_config: API versions to serve or not, ``scheduling.k8s.io/v1alpha3=false``.
        nodes: a number of plain nodes, or the path of a node file.
        data_dir: where state is kept; empty for ``--in-memory``.
        page_listen: where browsers find the page, on loopback.
        page_allow_changes: whether nodes can be cordoned and gangs deleted from it.
        kubeconfig: written for people, or read when there is no API server among the
            components; empty for the one in the data directory.
        config: path of a KubeSchedulerConfiguration, or empty.
        authorization_mode: ``RBAC`` or ``AlwaysAllow``.
        audit_log_path: the file for audit events, or empty for none.
        controllers: which controllers run, ``*,-garbage-collector-controller``.
    """

    kubernetes_version: str = DEFAULT_VERSION
    gates: GateFlags = GateFlags()
    runtime_config: str = ""
    components: tuple[ComponentName, ...] = COMPONENTS
    nodes: str = "0"
    data_dir: str = ""
    listen: str = DEFAULT_LISTEN
    page_listen: str = DEFAULT_PAGE_LISTEN
    page_allow_changes: bool = False
    kubeconfig: str = ""
    config: str = ""
    controllers: str = "*"
    authorization_mode: str = "RBAC"
    audit_log_path: str = ""
    enable_admission_plugins: str = ""
    disable_admission_plugins: str = ""
    single_process: bool = False
    log_level: str = "warning"
    log_json: bool = False


class ChildSettings(msgspec.Struct, frozen=True, kw_only=True):
    """What one component process needs.

    Attributes:
        kubeconfig: the component's own credentials; unused by the API server.
        pki_dir: where the authority and the server's certificate lie.
        store_path: the database, or empty to keep state in memory.
        socket_descriptor: the bound listening socket that the API server or the page inherits;
            -1 for the others.
    """

    component: ComponentName
    options: UpOptions
    kubeconfig: str
    pki_dir: str
    store_path: str
    socket_descriptor: int
