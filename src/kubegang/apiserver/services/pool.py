"""Addresses and node ports: which are taken, and which is next.

A number is taken if a stored service has it, or a write that is still under way. Taken ones
are looked up when one is asked for: services are few, and nothing has to be kept in step.
"""

from __future__ import annotations

import ipaddress
from collections.abc import Callable, Collection, Iterator

from kubegang.apimachinery.objects import JsonObject
from kubegang.apiserver import codec
from kubegang.apiserver.chance import Rng
from kubegang.store.interface import Store

NETWORK = ipaddress.IPv4Network("10.0.0.0/24")
NODE_PORTS = range(30000, 32768)

# The first addresses and ports are given out last, so that people can pick from them
# (KEP-3070, KEP-3668).
_PICKED_ADDRESSES = 16
_PICKED_PORTS = 86

_PREFIX = "/core/services/"

_HEALTH = "healthCheckNodePort"


class PoolExhaustedError(Exception):
    """Every number is taken."""


class Reservation:
    """What one write has taken, until it is stored or given up."""

    __slots__ = ("addresses", "ports")

    def __init__(self) -> None:
        self.addresses: set[str] = set()
        self.ports: set[int] = set()


class ServicePool:
    """The addresses and node ports of one cluster.

    Attributes:
        any_form: addresses may be written as old clients write them, with leading zeros.
    """

    def __init__(self, store: Store, rng: Rng, *, any_form: bool = False) -> None:
        self.any_form = any_form
        self._store = store
        self._rng = rng
        self._open: set[Reservation] = set()

    def hold(self, reservation: Reservation) -> None:
        """Keep others from what a write takes."""
        self._open.add(reservation)

    def release(self, reservation: Reservation) -> None:
        """End a write: what it took is in the store by now, or free again."""
        self._open.discard(reservation)

    def has_address(self, address: str) -> bool:
        """Return whether an address is taken; another form of it is not (as on 1.35.4)."""
        return address in self._addresses()

    def has_port(self, port: int) -> bool:
        """Return whether a node port is taken."""
        return port in self._ports()

    def next_address(self) -> str:
        """Return a free address.

        Raises:
            PoolExhaustedError: there is none.
        """
        hosts = range(1, NETWORK.num_addresses - 1)
        taken = self._addresses()
        number = self._pick(
            hosts[_PICKED_ADDRESSES:],
            hosts[:_PICKED_ADDRESSES],
            lambda host: str(NETWORK[host]) in taken,
        )
        return str(NETWORK[number])

    def next_port(self) -> int:
        """Return a free node port.

        Raises:
            PoolExhaustedError: there is none.
        """
        taken = self._ports()
        return self._pick(
            NODE_PORTS[_PICKED_PORTS:], NODE_PORTS[:_PICKED_PORTS], lambda port: port in taken
        )

    def _pick(self, first: range, last: range, is_taken: Callable[[int], bool]) -> int:
        for numbers in (first, last):
            start = int(self._rng.random() * len(numbers))
            for offset in range(len(numbers)):
                number = numbers[(start + offset) % len(numbers)]
                if not is_taken(number):
                    return number
        raise PoolExhaustedError

    def _addresses(self) -> Collection[str]:
        taken = {address for one in self._open for address in one.addresses}
        for spec in self._specs():
            taken.update(spec.get("clusterIPs") or ())
        return taken

    def _ports(self) -> Collection[int]:
        taken = {port for one in self._open for port in one.ports}
        for spec in self._specs():
            taken.update(port.get("nodePort") or 0 for port in spec.get("ports") or ())
            taken.add(spec.get(_HEALTH) or 0)
        return taken

    def _specs(self) -> Iterator[JsonObject]:
        for item in self._store.list(_PREFIX).items:
            yield codec.decode(item.value).get("spec") or {}
