"""Defaults of containers: pull policy, termination message, ports, probes, requests.

In place, on wire objects. Pure otherwise.
"""

from __future__ import annotations

from collections.abc import Iterable

from kubegang.api.defaults.images import default_pull_policy
from kubegang.api.defaults.quantities import round_requirements
from kubegang.apimachinery.objects import JsonObject

_PROBES = ("livenessProbe", "readinessProbe", "startupProbe")
_HOOKS = ("postStart", "preStop")

# Probe.timeoutSeconds and its siblings: zero means unset on the wire.
_PROBE_NUMBERS = (
    ("timeoutSeconds", 1),
    ("periodSeconds", 10),
    ("successThreshold", 1),
    ("failureThreshold", 3),
)


def default_container(container: JsonObject) -> None:
    """Fill in what a container of any sort leaves open."""
    if not container.get("imagePullPolicy"):
        container["imagePullPolicy"] = default_pull_policy(container.get("image") or "")
    if not container.get("terminationMessagePath"):
        container["terminationMessagePath"] = "/dev/termination-log"
    if not container.get("terminationMessagePolicy"):
        container["terminationMessagePolicy"] = "File"
    for port in container.get("ports") or ():
        if not port.get("protocol"):
            port["protocol"] = "TCP"
    _default_env(container.get("env") or ())
    round_requirements(container.get("resources"))
    for name in _PROBES:
        if (probe := container.get(name)) is not None:
            _default_probe(probe)
    if lifecycle := container.get("lifecycle"):
        _default_hooks(lifecycle)


def default_requests(container: JsonObject) -> None:
    """Request what is limited and not requested; only pods do this, templates do not."""
    resources = container.get("resources")
    limits = resources.get("limits") if resources else None
    if resources is None or limits is None:
        return
    requests = resources.get("requests")
    if requests is None:
        requests = resources["requests"] = {}
    for name, amount in limits.items():
        requests.setdefault(name, amount)


def default_host_ports(container: JsonObject) -> None:
    """With host networking a container port is a host port."""
    for port in container.get("ports") or ():
        if not port.get("hostPort") and port.get("containerPort"):
            port["hostPort"] = port["containerPort"]


def default_field_ref(source: JsonObject) -> None:
    """Fill in the API version of a downward API reference."""
    reference = source.get("fieldRef")
    if reference is not None and not reference.get("apiVersion"):
        reference["apiVersion"] = "v1"


def _default_env(variables: Iterable[JsonObject]) -> None:
    for variable in variables:
        source = variable.get("valueFrom")
        if source is None:
            continue
        default_field_ref(source)
        file_reference = source.get("fileKeyRef")
        if file_reference is not None and file_reference.get("optional") is None:
            file_reference["optional"] = False


def _default_probe(probe: JsonObject) -> None:
    for name, number in _PROBE_NUMBERS:
        if not probe.get(name):
            probe[name] = number
    _default_http_get(probe)
    grpc = probe.get("grpc")
    if grpc is not None and grpc.get("service") is None:
        grpc["service"] = ""


def _default_hooks(lifecycle: JsonObject) -> None:
    for name in _HOOKS:
        if (hook := lifecycle.get(name)) is not None:
            _default_http_get(hook)


def _default_http_get(handler: JsonObject) -> None:
    action = handler.get("httpGet")
    if action is None:
        return
    if not action.get("path"):
        action["path"] = "/"
    if not action.get("scheme"):
        action["scheme"] = "HTTP"
