"""The options of reads and writes, parsed from the query and checked by upstream's rules."""

from __future__ import annotations

import re
from typing import Literal

import msgspec

from kubegang.apimachinery.errors import BadRequestError
from kubegang.apimachinery.field import (
    FieldError,
    Path,
    forbidden_field,
    invalid_object,
    not_supported,
    required,
    too_long,
)
from kubegang.apimachinery.gotext import go_quote
from kubegang.apiserver.errors import bad_revision, unparsable_number, unsigned_problem
from kubegang.apiserver.requests import ApiRequest

_META = "meta.k8s.io"
_LONGEST_MANAGER = 128
_DURATION = re.compile(r"[-+]?(?:0|(?:(?:[0-9]+\.?[0-9]*|\.[0-9]+)(?:ns|us|µs|μs|ms|s|m|h))+)")
_NUMBER = re.compile(r"[+-]?[0-9]{1,18}")

FieldValidation = Literal["Strict", "Warn", "Ignore"]
_FIELD_VALIDATIONS = ("", "Ignore", "Strict", "Warn")


class ListOptions(msgspec.Struct, frozen=True, kw_only=True):
    """What a list or a watch asks for.

    Attributes:
        resource_version: as the client wrote it; empty is "the latest".
        match: how ``resource_version`` is meant: ``Exact``, ``NotOlderThan`` or unsaid.
        send_initial_events: ``None`` when the client did not say.
    """

    label_selector: str
    field_selector: str
    resource_version: str
    match: str
    limit: int
    continue_token: str
    watch: bool
    allow_bookmarks: bool
    timeout_seconds: int
    send_initial_events: bool | None


class WriteOptions(msgspec.Struct, frozen=True, kw_only=True):
    """What a create, an update or a patch asks for.

    Attributes:
        manager: who owns the fields that change.
        force: an apply takes fields over from other managers.
    """

    dry_run: bool
    manager: str
    field_validation: FieldValidation
    force: bool = False


def list_options(request: ApiRequest) -> ListOptions:
    """Read the options of a list or a watch.

    Raises:
        BadRequestError: a number is none.
        InvalidError: options that exclude each other.
    """
    initial = request.query.get("sendInitialEvents")
    options = ListOptions(
        label_selector=request.option("labelSelector"),
        field_selector=request.option("fieldSelector"),
        resource_version=request.option("resourceVersion"),
        match=request.option("resourceVersionMatch"),
        limit=_number(request, "limit"),
        continue_token=request.option("continue"),
        watch=request.target.watch or request.flag("watch"),
        allow_bookmarks=request.flag("allowWatchBookmarks"),
        timeout_seconds=_number(request, "timeoutSeconds"),
        send_initial_events=request.flag("sendInitialEvents") if initial else None,
    )
    errors = _watch_rules(options) if options.watch else _list_rules(options)
    if errors:
        raise invalid_object(_META, "ListOptions", "", errors)
    return options


def write_options(request: ApiRequest, kind: str, *, apply: bool | None = None) -> WriteOptions:
    """Read the options of a write.

    Args:
        request: the write.
        kind: how error texts call the options: ``CreateOptions``, ``UpdateOptions`` …
        apply: whether a patch is a server-side apply; ``None`` if it is no patch.

    Raises:
        InvalidError: a value that is not known, or one that does not fit the request.
    """
    manager = request.option("fieldManager")
    validation = request.option("fieldValidation")
    force = request.flag("force")
    errors: list[FieldError] = []
    if apply is False and request.query.get("force"):
        errors.append(forbidden_field(Path("force"), "may not be specified for non-apply patch"))
    if apply and not manager:
        errors.append(required(Path("fieldManager"), "is required for apply patch"))
    errors += _manager_rules(manager)
    errors += dry_run_rules(request.query.get("dryRun", []))
    if validation not in _FIELD_VALIDATIONS:
        path = Path("fieldValidation")
        errors.append(not_supported(path, validation, _FIELD_VALIDATIONS))
    if errors:
        raise invalid_object(_META, kind, "", errors)
    return WriteOptions(
        dry_run=bool(request.query.get("dryRun")),
        manager=manager or default_manager(request.header(b"user-agent")),
        field_validation=_directive(validation),
        force=force,
    )


def check_timeout(request: ApiRequest) -> None:
    """Refuse a ``timeout`` that is no duration in Go's form; a good one needs no watching.

    Raises:
        BadRequestError: it is not.
    """
    text = request.option("timeout")
    if text and not _DURATION.fullmatch(text):
        raise BadRequestError(
            "invalid timeout specified in the request URL - time: invalid duration "
            + go_quote(text)
        )


def default_manager(user_agent: str) -> str:
    """Return the field manager of a client that names none: its user agent up to the slash."""
    name = "".join(char for char in user_agent.partition("/")[0] if char.isprintable())
    return name[:_LONGEST_MANAGER] or "unknown"


def dry_run_rules(values: list[str]) -> list[FieldError]:
    """Return what is wrong with the values of ``dryRun``; only ``All`` is known."""
    if all(value == "All" for value in values):
        return []
    return [not_supported(Path("dryRun"), values, ("All",))]


def parse_revision(text: str, *, code: int) -> int:
    """Return a resourceVersion as a number; empty is 0.

    Args:
        text: what the client sent.
        code: the answer if it is no number: lists say 400, gets and watches 500.
    """
    if not text:
        return 0
    if unsigned_problem(text):
        raise bad_revision(text, code=code)
    return int(text)


def _directive(text: str) -> FieldValidation:
    if text == "Strict":
        return "Strict"
    return "Ignore" if text == "Ignore" else "Warn"


def _number(request: ApiRequest, name: str) -> int:
    text = request.option(name)
    if not text:
        return 0
    if not _NUMBER.fullmatch(text):
        raise BadRequestError(unparsable_number(text))
    return int(text)


def _list_rules(options: ListOptions) -> list[FieldError]:
    errors: list[FieldError] = []
    path = Path("resourceVersionMatch")
    match = options.match
    if match:
        if not options.resource_version:
            why = "resourceVersionMatch is forbidden unless resourceVersion is provided"
            errors.append(forbidden_field(path, why))
        if options.continue_token:
            why = "resourceVersionMatch is forbidden when continue is provided"
            errors.append(forbidden_field(path, why))
        if match not in ("Exact", "NotOlderThan"):
            errors.append(not_supported(path, match, ("Exact", "NotOlderThan", "")))
        if match == "Exact" and options.resource_version == "0":
            why = 'resourceVersionMatch "exact" is forbidden for resourceVersion "0"'
            errors.append(forbidden_field(path, why))
    if options.send_initial_events is not None:
        why = "sendInitialEvents is forbidden for list"
        errors.append(forbidden_field(Path("sendInitialEvents"), why))
    return errors


def _watch_rules(options: ListOptions) -> list[FieldError]:
    errors: list[FieldError] = []
    path = Path("resourceVersionMatch")
    match, initial = options.match, options.send_initial_events
    if initial is not None and match != "NotOlderThan":
        why = "sendInitialEvents requires setting resourceVersionMatch to NotOlderThan"
        errors.append(forbidden_field(path, why))
    if match:
        if initial is None:
            why = "resourceVersionMatch is forbidden for watch unless sendInitialEvents is provided"
            errors.append(forbidden_field(path, why))
        if match != "NotOlderThan":
            errors.append(not_supported(path, match, ("NotOlderThan",)))
        if options.continue_token:
            why = "resourceVersionMatch is forbidden when continue is provided"
            errors.append(forbidden_field(path, why))
    return errors


def _manager_rules(manager: str) -> list[FieldError]:
    path = Path("fieldManager")
    if len(manager.encode()) > _LONGEST_MANAGER:
        return [too_long(path, _LONGEST_MANAGER)]
    for position, char in enumerate(manager):
        if not char.isprintable():
            why = f"invalid character U+{ord(char):04X} (at position {position})"
            text = f"Invalid value: {go_quote(manager)}: {why}"
            return [FieldError("FieldValueInvalid", str(path), text)]
    return []
