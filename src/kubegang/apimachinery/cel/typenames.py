"""The types that an expression can name, and those of its literals. Pure."""

from __future__ import annotations

from typing import Any, Final

from kubegang.apimachinery.cel import types
from kubegang.apimachinery.cel.runtime import UInt
from kubegang.apimachinery.cel.types import CelType

TYPE_NAMES: Final = {
    "bool": types.BOOL,
    "int": types.INT,
    "uint": types.UINT,
    "double": types.DOUBLE,
    "string": types.STRING,
    "bytes": types.BYTES,
    "list": types.list_of(types.DYN),
    "map": types.map_of(types.DYN, types.DYN),
    "null_type": types.NULL,
    "type": types.TYPE,
    "optional_type": types.optional_of(types.DYN),
    "google.protobuf.Timestamp": types.TIMESTAMP,
    "google.protobuf.Duration": types.DURATION,
    "net.IP": CelType("net.IP"),
    "net.CIDR": CelType("net.CIDR"),
    "kubernetes.Quantity": CelType("kubernetes.Quantity"),
    "kubernetes.Semver": CelType("kubernetes.Semver"),
    "kubernetes.URL": CelType("kubernetes.URL"),
}


def type_of_value(value: Any) -> CelType:
    """Return the type of a literal."""
    for kind, found in (
        (bool, types.BOOL),
        (UInt, types.UINT),
        (int, types.INT),
        (float, types.DOUBLE),
        (str, types.STRING),
        (bytes, types.BYTES),
    ):
        if isinstance(value, kind):
            return found
    return types.NULL
