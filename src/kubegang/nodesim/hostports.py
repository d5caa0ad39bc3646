"""Which ports of each node its pods take, and whether those of one more are free. Pure."""

from __future__ import annotations

from typing import Final, NamedTuple

from kubegang.nodesim.forms import SimulatedPod
from kubegang.nodesim.suiting import Rejection, failed

_ANY_ADDRESS: Final = "0.0.0.0"


class _Port(NamedTuple):
    number: int
    protocol: str
    address: str

    def conflicts(self, other: _Port) -> bool:
        """Return whether both cannot be had at once."""
        if (self.number, self.protocol) != (other.number, other.protocol):
            return False
        return self.address == other.address or _ANY_ADDRESS in (self.address, other.address)


class HostPorts:
    """The ports of the pods that were let in, by node."""

    def __init__(self) -> None:
        self._nodes: dict[str, str] = {}
        self._taken: dict[str, dict[str, tuple[_Port, ...]]] = {}

    def take(self, pod: SimulatedPod) -> None:
        """Note a pod's ports on its node, whether or not they are free."""
        ports = _ports(pod)
        if ports:
            self._nodes[pod.metadata.uid] = pod.spec.node_name
            self._taken.setdefault(pod.spec.node_name, {})[pod.metadata.uid] = ports

    def drop(self, uid: str) -> None:
        """Forget a pod that has ended or is gone."""
        node = self._nodes.pop(uid, None)
        if node is not None:
            del self._taken[node][uid]
            if not self._taken[node]:
                # Nodes come and go, with other names each time.
                del self._taken[node]

    def conflict(self, pod: SimulatedPod) -> Rejection | None:
        """Return that another pod has a port that this one needs."""
        taken = self._taken.get(pod.spec.node_name, {}).values()
        if any(wanted.conflicts(port) for wanted in _ports(pod) for has in taken for port in has):
            return failed("NodePorts", "node(s) didn't have free ports for the requested pod ports")
        return None


def _ports(pod: SimulatedPod) -> tuple[_Port, ...]:
    """Return the host ports of a pod, of containers that run beside the others included."""
    beside = [c for c in pod.spec.init_containers if c.restart_policy == "Always"]
    return tuple(
        _Port(port.host_port, port.protocol or "TCP", port.host_ip or _ANY_ADDRESS)
        for container in (*pod.spec.containers, *beside)
        for port in container.ports
        if port.host_port > 0
    )
