"""Names, addresses and name resolution of a pod, and what sharing the host's network asks.

Pure.
"""

from __future__ import annotations

import re
from collections.abc import Sequence

from kubegang.api.validation.checks import Errors, matching
from kubegang.api.validation.formats import ip_address, regex_text
from kubegang.api.validation.pods.context import PodContext
from kubegang.api.validation.pods.walking import containers_with_paths
from kubegang.apimachinery.field import (
    Path,
    forbidden_field,
    invalid_value,
    required,
    too_long,
)
from kubegang.apimachinery.names import is_dns1123_label, is_dns1123_subdomain
from kubegang.apimachinery.objects import JsonObject

_MAX_SERVERS = 3
_MAX_SEARCHES = 32
_MAX_SEARCH_CHARACTERS = 2048
_MAX_HOSTNAME = 64
_MAX_SUBDOMAIN = 253

_LABEL = "_?[a-z0-9]([-_a-z0-9]*[a-z0-9])?"
_SEARCH = re.compile(rf"{_LABEL}(\.{_LABEL})*")


def validate_host_ports(spec: JsonObject, path: Path, context: PodContext) -> Errors:
    """With the host's network a container's port is the host's port."""
    if not spec.get("hostNetwork"):
        return
    for position, container in enumerate(spec.get("containers") or ()):
        for number, port in enumerate(container.get("ports") or ()):
            host_port = port.get("hostPort") or 0
            stated = context.is_pod or host_port
            if stated and host_port != (port.get("containerPort") or 0):
                where = path.child("containers").index(position).child("ports").index(number)
                detail = "must match `containerPort` when `hostNetwork` is true"
                yield invalid_value(where.child("hostPort"), host_port, detail)


def validate_dns_config(spec: JsonObject, path: Path) -> Errors:
    """Check a pod's own name resolution; without a policy it is all there is."""
    config = spec.get("dnsConfig")
    if spec.get("dnsPolicy") == "None":
        if config is None:
            yield required(path, "must provide `dnsConfig` when `dnsPolicy` is None")
            return
        if not config.get("nameservers"):
            detail = "must provide at least one DNS nameserver when `dnsPolicy` is None"
            yield required(path.child("nameservers"), detail)
            return
    if config is not None:
        yield from _servers(config.get("nameservers") or [], path.child("nameservers"))
        yield from _searches(config.get("searches") or [], path.child("searches"))
        for position, option in enumerate(config.get("options") or ()):
            if not option.get("name"):
                yield required(path.child("options").index(position), "must not be empty")


def validate_hostnames(spec: JsonObject, path: Path) -> Errors:
    """Check a pod's host name and subdomain."""
    for name in ("hostname", "subdomain"):
        if text := spec.get(name):
            yield from matching(path.child(name), text, is_dns1123_label)


def validate_hostname_override(spec: JsonObject, path: Path) -> Errors:
    """Check a host name that replaces the pod's own (KEP-4762)."""
    override = spec.get("hostnameOverride")
    if override is None:
        return
    where = path.child("hostnameOverride")
    for name in ("setHostnameAsFQDN", "hostNetwork"):
        if spec.get(name):
            yield forbidden_field(where, f"may not be specified when {name} is true")
    if len(override) > _MAX_HOSTNAME:
        yield too_long(where, _MAX_HOSTNAME)
    yield from matching(where, override, is_dns1123_subdomain)


def validate_host_aliases(aliases: Sequence[JsonObject], path: Path) -> Errors:
    """Check lines for the pod's hosts file."""
    for position, alias in enumerate(aliases):
        item = path.index(position)
        yield from matching(item.child("ip"), alias.get("ip") or "", ip_address)
        for number, name in enumerate(alias.get("hostnames") or ()):
            where = item.child("hostnames").index(number)
            yield from matching(where, name, is_dns1123_subdomain)


def validate_host_users(spec: JsonObject, path: Path, context: PodContext) -> Errors:
    """A user namespace of its own does not go with the host's other namespaces."""
    if context.host_users:
        return
    detail = "when `hostUsers` is false"
    if spec.get("hostNetwork") and not context.host_network_users:
        yield forbidden_field(path.child("hostNetwork"), detail)
    for name, shown in (("hostPID", "HostPID"), ("hostIPC", "HostIPC")):
        if spec.get(name):
            yield forbidden_field(path.child(shown), detail)
    for container, where in containers_with_paths(spec, path):
        if container.get("volumeDevices"):
            yield forbidden_field(where.child("volumeDevices"), detail)


def _servers(servers: Sequence[str], path: Path) -> Errors:
    if len(servers) > _MAX_SERVERS:
        detail = f"must not have more than {_MAX_SERVERS} nameservers"
        yield invalid_value(path, servers, detail)
    for position, server in enumerate(servers):
        yield from matching(path.index(position), server, ip_address)


def _searches(searches: Sequence[str], path: Path) -> Errors:
    if len(searches) > _MAX_SEARCHES:
        detail = f"must not have more than {_MAX_SEARCHES} search paths"
        yield invalid_value(path, searches, detail)
    if len(" ".join(searches)) > _MAX_SEARCH_CHARACTERS:
        detail = (
            f"must not have more than {_MAX_SEARCH_CHARACTERS} characters (including spaces) "
            "in the search list"
        )
        yield invalid_value(path, searches, detail)
    for position, search in enumerate(searches):
        if search != ".":
            yield from matching(path.index(position), search.removesuffix("."), _search_domain)


def _search_domain(text: str) -> list[str]:
    errors = []
    if len(text) > _MAX_SUBDOMAIN:
        errors.append(f"must be no more than {_MAX_SUBDOMAIN} characters")
    if not _SEARCH.fullmatch(text):
        message = (
            "a lowercase RFC 1123 subdomain must consist of lower case alphanumeric "
            "characters, '_', '-' or '.', and must start and end with an alphanumeric "
            "character"
        )
        errors.append(regex_text(message, _SEARCH.pattern, "example.com"))
    return errors
