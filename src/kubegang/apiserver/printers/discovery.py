"""Endpoint slices: the addresses behind a service."""

from __future__ import annotations

from kubegang.apimachinery.objects import JsonObject
from kubegang.apiserver.printers.cells import (
    UNSET,
    age,
    first_with_more,
    member,
    name,
    objects,
    text,
)
from kubegang.apiserver.printers.columns import AGE, NAME, Cell, Column, Printer


def _cells(endpoint_slice: JsonObject, now: float) -> list[Cell]:
    ports = (_port(port) for port in objects(endpoint_slice, "ports"))
    addresses = (
        address
        for endpoint in objects(endpoint_slice, "endpoints")
        for address in member(endpoint, "addresses") or []
    )
    return [
        name(endpoint_slice),
        text(endpoint_slice, "addressType"),
        first_with_more(ports, 3) or UNSET,
        first_with_more(addresses, 3) or UNSET,
        age(endpoint_slice, now),
    ]


def _port(port: JsonObject) -> str:
    """Return a port's number, else its name; neither means every port."""
    number = member(port, "port")
    return str(number) if number is not None else text(port, "name") or "*"


ENDPOINT_SLICE = Printer(
    (
        NAME,
        Column("AddressType", "What kind of addresses it has."),
        Column("Ports", "The ports of the addresses."),
        Column("Endpoints", "The addresses."),
        AGE,
    ),
    _cells,
)
