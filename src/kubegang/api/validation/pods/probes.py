"""Probes, hooks and the actions they take.

Pure.
"""

from __future__ import annotations

from collections.abc import Callable, Sequence

from kubegang.api.validation.checks import (
    Errors,
    between,
    matching,
    not_negative,
    one_of,
)
from kubegang.api.validation.formats import header_name
from kubegang.api.validation.pods.context import PodContext
from kubegang.apimachinery.field import (
    Path,
    forbidden_field,
    invalid_value,
    not_supported,
    required,
)
from kubegang.apimachinery.names import is_port_name
from kubegang.apimachinery.objects import JsonObject

_PROBE_NUMBERS = (
    "initialDelaySeconds",
    "timeoutSeconds",
    "periodSeconds",
    "successThreshold",
    "failureThreshold",
)
_PROBE_ACTIONS = ("exec", "httpGet", "tcpSocket", "grpc")
_HOOK_ACTIONS = ("exec", "httpGet", "tcpSocket", "sleep")
_MAX_PORT = 65535

_WINDOWS_SIGNALS = ("SIGKILL", "SIGTERM")
_SIGNAL_WORDS = (
    "ABRT ALRM BUS CHLD CLD CONT FPE HUP ILL INT IO IOT KILL PIPE POLL PROF PWR QUIT SEGV "
    "STKFLT STOP SYS TERM TRAP TSTP TTIN TTOU URG USR1 USR2 VTALRM WINCH XCPU XFSZ"
)
_LINUX_SIGNALS = tuple(
    sorted(
        [f"SIG{word}" for word in _SIGNAL_WORDS.split()]
        + ["SIGRTMIN", *(f"SIGRTMIN+{number}" for number in range(1, 16))]
        + ["SIGRTMAX", *(f"SIGRTMAX-{number}" for number in range(1, 15))]
    )
)


def validate_probes(container: JsonObject, path: Path, context: PodContext) -> Errors:
    """Check a container's three probes."""
    if (probe := container.get("livenessProbe")) is not None:
        yield from _probe(probe, path.child("livenessProbe"), context)
        yield from _succeeds_at_once(probe, path.child("livenessProbe"))
    if (probe := container.get("readinessProbe")) is not None:
        where = path.child("readinessProbe")
        yield from _probe(probe, where, context)
        grace = probe.get("terminationGracePeriodSeconds")
        if grace is not None:
            detail = "must not be set for readinessProbes"
            yield invalid_value(where.child("terminationGracePeriodSeconds"), grace, detail)
    if (probe := container.get("startupProbe")) is not None:
        yield from _probe(probe, path.child("startupProbe"), context)
        yield from _succeeds_at_once(probe, path.child("startupProbe"))


def validate_lifecycle(lifecycle: JsonObject | None, path: Path, context: PodContext) -> Errors:
    """Check a container's hooks and stop signal."""
    if lifecycle is None:
        return
    for name in ("postStart", "preStop"):
        if (hook := lifecycle.get(name)) is not None:
            yield from _action(hook, path.child(name), _HOOK_ACTIONS, context)
    if (signal := lifecycle.get("stopSignal")) is not None:
        yield from _stop_signal(signal, path.child("stopSignal"), context)


def _probe(probe: JsonObject, path: Path, context: PodContext) -> Errors:
    yield from _action(probe, path, _PROBE_ACTIONS, context)
    for name in _PROBE_NUMBERS:
        yield from not_negative(path.child(name), probe.get(name))
    grace = probe.get("terminationGracePeriodSeconds")
    if grace is not None and grace <= 0:
        where = path.child("terminationGracePeriodSeconds")
        yield invalid_value(where, grace, "must be greater than 0")


def _succeeds_at_once(probe: JsonObject, path: Path) -> Errors:
    threshold = probe.get("successThreshold") or 0
    if threshold != 1:
        yield invalid_value(path.child("successThreshold"), threshold, "must be 1")


def _action(handler: JsonObject, path: Path, names: Sequence[str], context: PodContext) -> Errors:
    chosen = [name for name in names if handler.get(name) is not None]
    if not chosen:
        yield required(path, "must specify a handler type")
        return
    yield from _ACTIONS[chosen[0]](handler[chosen[0]], path.child(chosen[0]), context)
    for name in chosen[1:]:
        yield forbidden_field(path.child(name), "may not specify more than 1 handler type")


def _exec(action: JsonObject, path: Path, _context: PodContext) -> Errors:
    if not action.get("command"):
        yield required(path.child("command"))


def _http_get(action: JsonObject, path: Path, _context: PodContext) -> Errors:
    if not action.get("path"):
        yield required(path.child("path"))
    yield from _port(action.get("port"), path.child("port"))
    scheme = action.get("scheme") or ""
    yield from one_of(path.child("scheme"), scheme, ("HTTP", "HTTPS"))
    for header in action.get("httpHeaders") or ():
        yield from matching(path.child("httpHeaders"), header.get("name") or "", header_name)
    protocol = action.get("protocol")
    if protocol is None:
        return
    if protocol not in ("HTTP1", "HTTP2"):
        yield not_supported(path.child("protocol"), protocol, ("HTTP1", "HTTP2"))
    elif protocol == "HTTP2" and scheme != "HTTP":
        yield invalid_value(path.child("protocol"), protocol, "is only supported with HTTP (H2C)")
    elif protocol == "HTTP2" and action.get("host"):
        detail = 'must be empty when `protocol` is "HTTP2"'
        yield invalid_value(path.child("host"), action["host"], detail)


def _tcp_socket(action: JsonObject, path: Path, _context: PodContext) -> Errors:
    yield from _port(action.get("port"), path.child("port"))


def _grpc(action: JsonObject, path: Path, _context: PodContext) -> Errors:
    yield from _port(action.get("port"), path.child("port"))
    yield from one_of(path.child("mode"), action.get("mode"), ("Plaintext", "TLS"))


def _sleep(action: JsonObject, path: Path, context: PodContext) -> Errors:
    seconds, grace = action.get("seconds") or 0, context.grace_seconds
    if grace is not None and not 0 <= seconds <= grace:
        detail = f"must be non-negative and less than terminationGracePeriodSeconds ({grace})"
        yield invalid_value(path, seconds, detail)


def _port(port: str | int | None, path: Path) -> Errors:
    if isinstance(port, str):
        yield from matching(path, port, is_port_name)
    else:
        yield from between(path, port or 0, low=1, high=_MAX_PORT)


def _stop_signal(signal: str, path: Path, context: PodContext) -> Errors:
    if not context.os:
        detail = "may not be set for containers with empty `spec.os.name`"
        yield forbidden_field(path, detail)
    elif context.os == "windows":
        yield from one_of(path, signal, _WINDOWS_SIGNALS)
    elif context.os == "linux":
        yield from one_of(path, signal, _LINUX_SIGNALS)


_ACTIONS: dict[str, Callable[[JsonObject, Path, PodContext], Errors]] = {
    "exec": _exec,
    "httpGet": _http_get,
    "tcpSocket": _tcp_socket,
    "grpc": _grpc,
    "sleep": _sleep,
}
