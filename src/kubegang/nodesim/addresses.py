"""IP addresses for simulated pods and nodes, each used once. Pure."""

from __future__ import annotations

import ipaddress
from collections.abc import Iterable

POD_NETWORK = "10.0.0.0/8"
NODE_NETWORK = "172.16.0.0/12"


class Addresses:
    """Hands out the addresses of a network one after the other, then from the start again."""

    def __init__(self, network: str) -> None:
        whole = ipaddress.ip_network(network)
        self._first = int(whole.network_address)
        self._count = whole.num_addresses - 2
        self._used = 0

    def skip(self, addresses: Iterable[str]) -> None:
        """Go on after addresses that are in use since an earlier run."""
        for text in addresses:
            number = int(ipaddress.ip_address(text)) - self._first
            if 0 < number <= self._count:
                self._used = max(self._used, number)

    def next(self) -> str:
        """Return the next address."""
        self._used = self._used % self._count + 1
        return str(ipaddress.ip_address(self._first + self._used))
