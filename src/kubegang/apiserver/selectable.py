"""The values by which objects can be selected: their labels, and a few fields per kind.

Field names and the texts that refuse others are kube-apiserver's (measured on 1.37.2). Values
are read from stored bytes; only the parts that matter are decoded.
"""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

import msgspec

from kubegang.apimachinery.objects import GroupResource, GroupVersionKind

_GENERIC_NAMES = ("metadata.name", "metadata.namespace")


class Selectable(msgspec.Struct, frozen=True):
    """What selectors look at in one object; ``fields`` has the stored form's names."""

    labels: dict[str, str]
    fields: dict[str, str]


class _Metadata(msgspec.Struct):
    name: str = ""
    namespace: str = ""
    labels: dict[str, str] | None = None


class _Any(msgspec.Struct):
    metadata: _Metadata


class _Sections(_Any):
    spec: dict[str, Any] = {}
    status: dict[str, Any] = {}
    type: str = ""


class _PodSpec(msgspec.Struct, rename="camel"):
    node_name: str = ""
    restart_policy: str = ""
    scheduler_name: str = ""
    service_account_name: str = ""
    host_network: bool = False


class _PodStatus(msgspec.Struct):
    phase: str = ""
    pod_ip: str = msgspec.field(default="", name="podIP")
    nominated_node_name: str = msgspec.field(default="", name="nominatedNodeName")


class _Pod(_Any):
    spec: _PodSpec = msgspec.field(default_factory=_PodSpec)
    status: _PodStatus = msgspec.field(default_factory=_PodStatus)


class _Event(_Any, rename="camel"):
    involved_object: dict[str, str] = {}
    source: dict[str, str] = {}
    reason: str = ""
    reporting_component: str = ""
    type: str = ""


class SelectableKind(msgspec.Struct, frozen=True):
    """How one kind can be selected.

    Attributes:
        parts: what to decode of a stored value.
        values: the special fields' values, by the stored form's names.
        names: the special fields a client may name, and what they are called in ``values``.
        unknown: the text that refuses another field, with ``{}`` for its name.
    """

    parts: type[_Any] = _Any
    values: Callable[[Any], dict[str, str]] | None = None
    names: dict[str, str] = {}
    unknown: str = '"{}" is not a known field selector: only "metadata.name", "metadata.namespace"'

    def stored_name(self, name: str) -> str | None:
        """Return what a field is called in ``Selectable.fields``, ``None`` if unknown."""
        return name if name in _GENERIC_NAMES else self.names.get(name)

    def read(self, value: bytes) -> Selectable:
        """Read a stored value."""
        parts = msgspec.json.decode(value, type=self.parts)
        metadata = parts.metadata
        fields = self.values(parts) if self.values is not None else {}
        fields["metadata.name"] = metadata.name
        fields["metadata.namespace"] = metadata.namespace
        return Selectable(metadata.labels or {}, fields)


def selectable_kind(gvk: GroupVersionKind, resource: GroupResource) -> SelectableKind:
    """Return how a resource of a request's version can be selected."""
    if gvk.kind == "ResourceSlice":
        return _slice_kind(gvk)
    return _KINDS.get(resource, _GENERIC)


def _pod_values(pod: _Pod) -> dict[str, str]:
    return {
        "spec.nodeName": pod.spec.node_name,
        "spec.restartPolicy": pod.spec.restart_policy,
        "spec.schedulerName": pod.spec.scheduler_name,
        "spec.serviceAccountName": pod.spec.service_account_name,
        "spec.hostNetwork": _bool(pod.spec.host_network),
        "status.phase": pod.status.phase,
        "status.podIP": pod.status.pod_ip,
        # Accepted as a name, but no pod has a value under it (measured).
        "status.podIPs": "",
        "status.nominatedNodeName": pod.status.nominated_node_name,
    }


_INVOLVED = ("kind", "namespace", "name", "uid", "apiVersion", "resourceVersion", "fieldPath")


def _event_values(event: _Event) -> dict[str, str]:
    values = {f"involvedObject.{name}": event.involved_object.get(name, "") for name in _INVOLVED}
    values["reason"] = event.reason
    values["reportingComponent"] = event.reporting_component
    values["source"] = event.source.get("component") or event.reporting_component
    values["type"] = event.type
    return values


def _node_values(node: _Sections) -> dict[str, str]:
    return {"spec.unschedulable": _bool(bool(node.spec.get("unschedulable")))}


def _phase_values(obj: _Sections) -> dict[str, str]:
    return {"status.phase": str(obj.status.get("phase", ""))}


def _job_values(job: _Sections) -> dict[str, str]:
    return {"status.successful": str(job.status.get("succeeded", 0))}


def _secret_values(secret: _Sections) -> dict[str, str]:
    return {"type": secret.type}


def _replicas_values(obj: _Sections) -> dict[str, str]:
    return {"status.replicas": str(obj.status.get("replicas", 0))}


def _service_values(service: _Sections) -> dict[str, str]:
    spec = service.spec
    return {"spec.clusterIP": spec.get("clusterIP", ""), "spec.type": spec.get("type", "")}


def _signing_request_values(request: _Sections) -> dict[str, str]:
    return {"spec.signerName": str(request.spec.get("signerName", ""))}


def _slice_values(one: _Sections) -> dict[str, str]:
    spec = one.spec
    return {"spec.nodeName": spec.get("nodeName", ""), "spec.driver": spec.get("driver", "")}


def _bool(value: bool) -> str:  # noqa: FBT001 - the one argument is what is printed
    return "true" if value else "false"


def _same(*names: str) -> dict[str, str]:
    return {name: name for name in names}


_NOT_SUPPORTED = "field label not supported: {}"
_EVENT_FIELDS = (*(f"involvedObject.{name}" for name in _INVOLVED), "reason", "type")
_GENERIC = SelectableKind()


def _core(values: Callable[[Any], dict[str, str]], *names: str) -> SelectableKind:
    return SelectableKind(_Sections, values, _same(*names), _NOT_SUPPORTED)


def _slice_kind(gvk: GroupVersionKind) -> SelectableKind:
    unknown = f"field label not supported for {gvk.group_version}, Kind={gvk.kind}: {{}}"
    return SelectableKind(_Sections, _slice_values, _same("spec.nodeName", "spec.driver"), unknown)


_KINDS = {
    GroupResource("", "pods"): SelectableKind(
        _Pod, _pod_values, _same(*_pod_values(_Pod(_Metadata()))), _NOT_SUPPORTED
    ),
    GroupResource("", "events"): SelectableKind(
        _Event,
        _event_values,
        _same(*_EVENT_FIELDS, "reportingComponent", "source"),
        _NOT_SUPPORTED,
    ),
    GroupResource("events.k8s.io", "events"): SelectableKind(
        _Event,
        _event_values,
        {
            **{f"regarding.{name}": f"involvedObject.{name}" for name in _INVOLVED},
            **_same("reason", "type"),
            "reportingController": "reportingComponent",
        },
        _NOT_SUPPORTED,
    ),
    GroupResource("", "nodes"): _core(_node_values, "spec.unschedulable"),
    GroupResource("", "namespaces"): _core(_phase_values, "status.phase"),
    GroupResource("", "secrets"): _core(_secret_values, "type"),
    GroupResource("", "replicationcontrollers"): _core(_replicas_values, "status.replicas"),
    GroupResource("", "services"): _core(_service_values, "spec.clusterIP", "spec.type"),
    GroupResource("certificates.k8s.io", "certificatesigningrequests"): _core(
        _signing_request_values, "spec.signerName"
    ),
    GroupResource("batch", "jobs"): SelectableKind(
        _Sections,
        _job_values,
        _same("status.successful"),
        'field label "{}" not supported for Job',
    ),
}
