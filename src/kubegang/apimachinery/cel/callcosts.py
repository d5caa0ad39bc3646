"""What a call can cost at most, and how large its result can be: one formula per function.

The formulas are those of cel-go's checker and of Kubernetes' libraries (compared with
kube-apiserver 1.37.2). Pure.
"""

from __future__ import annotations

from collections.abc import Sequence
from math import ceil
from typing import Final, NamedTuple

from kubegang.apimachinery.cel.actualcost import REGEX_LENGTH, TRAVERSAL
from kubegang.apimachinery.cel.ranges import MOST, ONE, Range
from kubegang.apimachinery.cel.sizes import Sizes
from kubegang.apimachinery.cel.syntax import Expr

_LONGEST_NAME_REGEX: Final = 128

CallCost = tuple[Range, Range | None]
"""What the call itself costs, and how large its result can be, if that is known."""


class Call(NamedTuple):
    """A call whose meaning is settled.

    Attributes:
        values: the target, if it has one, and the arguments.
        sizes: how large each of them can be.
    """

    name: str
    overload: str
    values: Sequence[Expr]
    sizes: Sequence[Range]


def call_cost(call: Call, known: Sizes) -> CallCost:
    """Return what a call costs, without what its arguments cost."""
    return _library(call, known) or _standard(call.overload, call.sizes)


def _library(call: Call, known: Sizes) -> CallCost | None:
    values, sizes = call.values, call.sizes
    match call.name:
        case "isSorted" | "sum" | "max" | "min" | "indexOf" | "lastIndexOf" | "includes":
            return _whole_list(values[0], sizes[0], known), None
        case "url" | "lowerAscii" | "upperAscii" | "substring" | "trim":
            return sizes[0].scaled(TRAVERSAL), sizes[0]
        case "replace":
            return sizes[0].scaled(2 * TRAVERSAL), _replaced_size(sizes)
        case "split":
            most = sizes[0].most
            if len(values) > 2 and values[2].kind == "const" and isinstance(values[2].value, int):
                most = max(values[2].value, 0)
            return sizes[0].scaled(2 * TRAVERSAL), Range(0, most)
        case "join":
            size = _joined_size(values[0], sizes, known)
            return size.scaled(TRAVERSAL), size
        case "find" | "findAll":
            text = sizes[0].plus(ONE).scaled(TRAVERSAL)
            return text.times(sizes[1].scaled(REGEX_LENGTH)), Range(0, sizes[0].most)
        case "cidr" | "isIP" | "isCIDR" | "quantity" | "isQuantity" | "semver" | "isSemver":
            return sizes[0].scaled(TRAVERSAL), None
        case "ip":
            return (ONE if call.overload == "cidr_ip" else sizes[0].scaled(TRAVERSAL)), None
        case "ip.isCanonical":
            return sizes[0].scaled(2 * TRAVERSAL), None
        case "validate":
            return sizes[1].scaled(TRAVERSAL).scaled(_LONGEST_NAME_REGEX * REGEX_LENGTH), None
        case "containsIP" | "containsCIDR":
            cost = Range(8, 32).scaled(TRAVERSAL)
            if call.name == "containsCIDR":
                cost = cost.plus(Range(4, 16).scaled(TRAVERSAL)).plus(ONE)
            if call.overload.endswith("_string"):
                cost = cost.plus(sizes[1].scaled(TRAVERSAL))
            return cost, None
        case "_==_" if str(known.type_of(values[0])).startswith(("net.", "kubernetes.")):
            return ONE, None
    return None


def _whole_list(expr: Expr, size: Range, known: Sizes) -> Range:
    kind = known.type_of(expr)
    if not kind.params:
        return size.scaled(TRAVERSAL)
    each = ONE
    if kind.params[0].name in ("string", "bytes"):
        each = each.plus(known.item_size(expr).scaled(TRAVERSAL))
    return size.times(each)


def _joined_size(items: Expr, sizes: Sequence[Range], known: Sizes) -> Range:
    size = sizes[0].times(known.item_size(items))
    if len(sizes) > 1:
        between = Range(max(sizes[0].least - 1, 0), max(sizes[0].most - 1, 0))
        size = size.plus(sizes[1].times(between))
    return size


def _standard(overload: str, sizes: Sequence[Range]) -> CallCost:
    match overload:
        case "string_format":
            return sizes[0].scaled(TRAVERSAL), None
        case "string_to_bytes":
            return sizes[0].scaled(TRAVERSAL), Range(sizes[0].least, min(sizes[0].most * 4, MOST))
        case "bytes_to_string":
            return sizes[0].scaled(TRAVERSAL), Range(sizes[0].least // 4, sizes[0].most)
        case "strings_quote":
            size = Range(sizes[0].least + 2, min(sizes[0].most * 2 + 2, MOST))
            return sizes[0].scaled(TRAVERSAL), size
        case "starts_with_string" | "ends_with_string":
            return sizes[1].scaled(TRAVERSAL), None
        case "in_list":
            return sizes[1].scaled(1), None
        case "matches" | "matches_string":
            text = sizes[0].plus(ONE).scaled(TRAVERSAL)
            return text.times(sizes[1].scaled(REGEX_LENGTH)), None
        case "contains_string":
            return sizes[0].scaled(TRAVERSAL).times(sizes[1].scaled(TRAVERSAL)), None
        case "add_string" | "add_bytes" | "add_list":
            size = sizes[0].plus(sizes[1])
            cost = ONE if overload == "add_list" else size.scaled(TRAVERSAL)
            return cost, size
    if overload in ("equals", "not_equals") or _compares_texts(overload):
        most = min(sizes[0].most, sizes[1].most)
        return Range(1 if most else 0, most).scaled(TRAVERSAL), None
    return ONE, None


def _compares_texts(overload: str) -> bool:
    return overload.endswith(("_string", "_bytes")) and overload.startswith(("less", "greater"))


def _replaced_size(sizes: Sequence[Range]) -> Range:
    """Return how long a text can get when all occurrences of one text become another."""
    text, old, new = sizes[:3]
    if not old.least:
        most, kept_most = min(text.most + 1, MOST), text.most
    elif new.most <= old.least:
        most, kept_most = 0, text.most
    else:
        most, kept_most = ceil(text.most / old.least), 0
    if not old.most:
        least, kept_least = min(text.least + 1, MOST), text.least
    elif old.most <= new.least:
        least, kept_least = 0, text.least
    else:
        least, kept_least = ceil(text.least / old.most), 0
    return Range(least, most).times(new).plus(Range(kept_least, kept_most))
