"""Which pod moves next, and addresses that are used once."""

from __future__ import annotations

from kubegang.nodesim.addresses import Addresses
from kubegang.nodesim.timers import Timers


def test_the_earliest_time_counts_until_it_is_dropped() -> None:
    timers = Timers()
    assert timers.earliest() is None

    timers.set("a", 5)
    timers.set("b", 3)
    assert timers.earliest() == 3

    timers.drop("b")
    assert timers.earliest() == 5
    timers.drop("a")
    assert timers.earliest() is None


def test_a_time_may_move() -> None:
    timers = Timers()
    timers.set("a", 3)
    timers.set("a", 7)

    assert timers.earliest() == 7


def test_addresses_are_handed_out_in_order_and_begin_again_at_the_end() -> None:
    addresses = Addresses("10.0.0.0/30")

    assert [addresses.next() for _ in range(3)] == ["10.0.0.1", "10.0.0.2", "10.0.0.1"]


def test_addresses_in_use_are_skipped() -> None:
    addresses = Addresses("10.0.0.0/8")
    addresses.skip(["10.0.1.7", "10.0.0.3", "192.168.0.1"])

    assert addresses.next() == "10.0.1.8"
