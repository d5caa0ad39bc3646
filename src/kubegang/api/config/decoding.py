"""From the text of a configuration to its typed form; what cannot be decoded is refused.

The texts are those of Go's strict decoder (measured on 1.37.2). Pure.
"""

from __future__ import annotations

from collections.abc import Iterator
from typing import Any, TypeVar

import msgspec

from kubegang.api.config.document import Document, type_problem
from kubegang.api.config.schema import ARGUMENTS
from kubegang.api.config.types import (
    API_VERSION,
    DEFAULT_SCHEDULER_NAME,
    KIND,
    ClientConnection,
    KubeSchedulerConfiguration,
    KubeSchedulerProfile,
    LeaderElection,
)
from kubegang.apimachinery.decoding import NotAnObjectError, strict_problems
from kubegang.apimachinery.schema import Schema
from kubegang.apimachinery.unknownfields import unknown_fields

FormT = TypeVar("FormT", bound=msgspec.Struct)

_PROTOBUF = "application/vnd.kubernetes.protobuf"


def check_kind(document: Document) -> None:
    """Refuse a document that is something else than a configuration.

    Raises:
        ConfigurationError: it is.
    """
    version, kind = document.data.get("apiVersion"), document.data.get("kind")
    for name, value in (("Kind", kind), ("apiVersion", version)):
        if not value:
            raise document.error("", f"Object '{name}' is missing in '{document.text}'")
    if (version, kind) != (API_VERSION, KIND):
        said = f'no kind "{kind}" is registered for version "{version}"'
        raise document.error("apiVersion", f"{said}; needed is {KIND} in {API_VERSION}")


def decoded_configuration(document: Document, schema: Schema) -> KubeSchedulerConfiguration:
    """Return a document's configuration, defaults filled in.

    Raises:
        ConfigurationError: a field is unknown or has the wrong type.
    """
    problem = type_problem(document.data, schema)
    if problem:
        raise document.error(_field_of(problem), problem)
    strict = document.strictness(schema)
    first = next(iter(unknown_fields(document.data, schema)), "")
    for path, told in _strict_argument_problems(document):
        first = first or path
        strict.append(told)
    if strict:
        raise document.error(first, f"strict decoding error: {', '.join(strict)}")
    return _with_defaults(msgspec.convert(document.data, KubeSchedulerConfiguration))


def _strict_argument_problems(document: Document) -> Iterator[tuple[str, str]]:
    """Yield what strict decoding says about plugin arguments, and where they stand.

    Raises:
        ConfigurationError: some cannot be decoded at all.
    """
    for i, profile in enumerate(document.data.get("profiles") or ()):
        for j, entry in enumerate(profile.get("pluginConfig") or ()):
            path = f"profiles[{i}].pluginConfig[{j}]"
            plugin = entry.get("name", "")
            if plugin not in ARGUMENTS or "args" not in entry:
                continue
            problem = _argument_problem(plugin, entry["args"])
            if problem:
                raise document.error(f"{path}.args", f"decoding .{path}: {problem}")
            strict = strict_problems(sorted(unknown_fields(entry["args"], ARGUMENTS[plugin])), [])
            if strict:
                decoding = f"strict decoding error: decoding args for plugin {plugin}"
                told = f"{decoding}: strict decoding error: {', '.join(strict)}"
                yield f"{path}.args", f"decoding .{path}: {told}"


def _argument_problem(plugin: str, args: Any) -> str:
    """Return why arguments cannot be decoded, or empty."""
    decoding = f"decoding args for plugin {plugin}"
    if not isinstance(args, dict):
        said = NotAnObjectError(args)
        return f"{decoding}: couldn't get version/kind; json parse error: {said}"
    version, kind = args.get("apiVersion") or API_VERSION, args.get("kind") or f"{plugin}Args"
    known = {f"{name}Args" for name in ARGUMENTS}
    if version != API_VERSION or kind not in known:
        return f'{decoding}: no kind "{kind}" is registered for version "{version}"'
    if kind != f"{plugin}Args":
        group = API_VERSION.partition("/")[0]
        wanted = f"were not of type {plugin}Args.{group}, got {kind}.{group}"
        return f"args for plugin {plugin} {wanted}"
    problem = type_problem(args, ARGUMENTS[plugin])
    return f"{decoding}: {problem}" if problem else ""


def _field_of(problem: str) -> str:
    """Return the field that a complaint of Go's decoder is about, as far as it tells."""
    _, _, rest = problem.partition("Go struct field ")
    return rest.partition(" of type ")[0].partition(".")[2]


def _with_defaults(config: KubeSchedulerConfiguration) -> KubeSchedulerConfiguration:
    """Fill in what depends on other fields, and what zero stands for, as upstream does."""
    profiles = config.profiles or (KubeSchedulerProfile(),)
    if len(profiles) == 1 and profiles[0].scheduler_name is None:
        named = msgspec.structs.replace(profiles[0], scheduler_name=DEFAULT_SCHEDULER_NAME)
        profiles = (named,)
    contention = config.enable_contention_profiling
    client = _filled(config.client_connection, ClientConnection())
    return msgspec.structs.replace(
        config,
        profiles=profiles,
        leader_election=_filled(config.leader_election, LeaderElection()),
        client_connection=msgspec.structs.replace(
            client, content_type=client.content_type or _PROTOBUF
        ),
        enable_contention_profiling=(config.enable_profiling if contention is None else contention),
    )


def _filled(given: FormT, defaults: FormT) -> FormT:
    """Replace what is empty or zero, truth values aside, by the defaults."""
    changes = {
        name: getattr(defaults, name)
        for name in given.__struct_fields__
        if not isinstance(getattr(given, name), bool) and _is_zero(getattr(given, name))
    }
    return msgspec.structs.replace(given, **changes)


def _is_zero(value: Any) -> bool:
    return value in {"", "0", "0s"} if isinstance(value, str) else not value
