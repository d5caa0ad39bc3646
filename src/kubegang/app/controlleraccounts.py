"""Under which service account each controller works.

As kube-controller-manager with ``--use-service-account-credentials``: a controller holds the
rights of its own bootstrap role and no more; what all of them list and watch, the manager
itself may read.
"""

from __future__ import annotations

from collections.abc import Mapping
from pathlib import Path

from kubegang.app.datadir import controller_kubeconfig
from kubegang.client.api import ApiClient
from kubegang.client.http import HttpTransport
from kubegang.client.interface import Client
from kubegang.client.kubeconfig import load_kubeconfig

NAMESPACE = "kube-system"

# Where the account is not called as the controller (kube-controller-manager's own names).
_ACCOUNTS: Mapping[str, str] = {
    "daemonset-controller": "daemon-set-controller",
    "garbage-collector-controller": "generic-garbage-collector",
    "node-lifecycle-controller": "node-controller",
    "persistentvolume-binder-controller": "persistent-volume-binder",
    "persistentvolume-protection-controller": "pv-protection-controller",
    "persistentvolumeclaim-protection-controller": "pvc-protection-controller",
    "pod-garbage-collector-controller": "pod-garbage-collector",
    "replicationcontroller-controller": "replication-controller",
    "resourceclaim-controller": "resource-claim-controller",
    "root-ca-certificate-publisher-controller": "root-ca-cert-publisher",
    "serviceaccount-controller": "service-account-controller",
    "taint-eviction-controller": "node-controller",
}


# Works as the manager itself, whose role lets it read and write Secrets.
_MANAGERS_OWN = "serviceaccount-token-controller"
_MANAGER: tuple[str, tuple[str, ...]] = ("system:kube-controller-manager", ())


def account_of(controller: str) -> tuple[str, tuple[str, ...]]:
    """Return user and groups as which a controller works."""
    if controller == _MANAGERS_OWN:
        return _MANAGER
    name = _ACCOUNTS.get(controller, controller)
    groups = ("system:serviceaccounts", f"system:serviceaccounts:{NAMESPACE}")
    return f"system:serviceaccount:{NAMESPACE}:{name}", groups


class ControllerAccounts:
    """A client for each controller that has credentials of its own in the data directory."""

    def __init__(self, shared: Client, kubeconfig: Path, *, user_agent: str) -> None:
        """Take the client of those without, and the kubeconfig of their process."""
        self._shared = shared
        self._kubeconfig = kubeconfig
        self._user_agent = user_agent
        self._clients: list[ApiClient] = []

    def client_for(self, controller: str) -> Client:
        """Return the client with which a controller writes."""
        path = controller_kubeconfig(self._kubeconfig, controller)
        if not path.exists():
            # Somebody else's cluster: the given credentials are all there is.
            return self._shared
        client = ApiClient(HttpTransport(load_kubeconfig(path)), user_agent=self._user_agent)
        self._clients.append(client)
        return client

    async def close(self) -> None:
        """Close the connections."""
        for client in self._clients:
            await client.close()
