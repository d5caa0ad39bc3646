"""Kinds beyond those that are scheduled: what is fine, and the errors that 1.37.2 gives."""

from __future__ import annotations

from typing import Any

import pytest

from kubegang.apimachinery.objects import JsonObject
from tests.unit.api.validation.objects import container, create, update

TEMPLATE = {"metadata": {"labels": {"a": "b"}}, "spec": {"containers": [container()]}}
SELECTOR = {"matchLabels": {"a": "b"}}
ONCE = {"restartPolicy": "Never", "containers": [container()]}


def obj(api_version: str, kind: str, spec: JsonObject | None = None, **members: Any) -> JsonObject:
    """Return an object; its namespace is empty if the kind has none."""
    metadata = {"name": "x"} if kind in _CLUSTER_WIDE else {"name": "x", "namespace": "default"}
    body: JsonObject = {"apiVersion": api_version, "kind": kind, "metadata": metadata, **members}
    return body if spec is None else {**body, "spec": spec}


_CLUSTER_WIDE = (
    "CSIDriver",
    "CSINode",
    "DeviceClass",
    "PersistentVolume",
    "ResourceSlice",
    "RuntimeClass",
    "StorageClass",
    "VolumeAttachment",
)


def volume(**spec: Any) -> JsonObject:
    base = {"capacity": {"storage": "1Gi"}, "accessModes": ["ReadWriteOnce"]}
    return obj("v1", "PersistentVolume", {**base, **spec})


def claim(**spec: Any) -> JsonObject:
    base = {"accessModes": ["ReadWriteOnce"], "resources": {"requests": {"storage": "1Gi"}}}
    return obj("v1", "PersistentVolumeClaim", {**base, **spec})


def service(**spec: Any) -> JsonObject:
    return obj("v1", "Service", {"ports": [{"port": 80}], **spec})


def owner(kind: str, **spec: Any) -> JsonObject:
    return obj("apps/v1", kind, {"selector": SELECTOR, "template": TEMPLATE, **spec})


def cron_job(**spec: Any) -> JsonObject:
    job = {"template": {"spec": ONCE}}
    base = {"schedule": "* * * * *", "jobTemplate": {"spec": job}}
    return obj("batch/v1", "CronJob", {**base, **spec})


def device_claim(*requests: JsonObject, **devices: Any) -> JsonObject:
    spec = {"devices": {"requests": list(requests), **devices}}
    return obj("resource.k8s.io/v1", "ResourceClaim", spec)


def slice_of(*devices: JsonObject, **spec: Any) -> JsonObject:
    pool = {"name": "p", "generation": 1, "resourceSliceCount": 1}
    base = {"driver": "d.example", "pool": pool, "nodeName": "n", "devices": list(devices)}
    return obj("resource.k8s.io/v1", "ResourceSlice", {**base, **spec})


REQUEST = {"name": "r", "exactly": {"deviceClassName": "gpu"}}


@pytest.mark.parametrize(
    "fine",
    [
        volume(hostPath={"path": "/x"}),
        claim(),
        service(),
        service(type="ExternalName", ports=[], externalName="x.example."),
        obj("v1", "Secret", type="kubernetes.io/tls", data={"tls.crt": "", "tls.key": ""}),
        obj("v1", "Endpoints", subsets=[{"addresses": [{"ip": "10.1.1.1"}]}]),
        obj("discovery.k8s.io/v1", "EndpointSlice", addressType="IPv4", endpoints=[]),
        obj("v1", "ResourceQuota", {"hard": {"pods": "2", "requests.nvidia.com/gpu": "8"}}),
        obj("v1", "LimitRange", {"limits": [{"type": "Container", "max": {"cpu": "2"}}]}),
        obj("v1", "PodTemplate", template=TEMPLATE),
        obj("v1", "ReplicationController", {"template": TEMPLATE}),
        owner("ReplicaSet"),
        owner("Deployment"),
        owner("DaemonSet"),
        owner("StatefulSet", serviceName="s"),
        obj("apps/v1", "ControllerRevision", revision=1, data={}),
        cron_job(timeZone="Etc/UTC"),
        obj("node.k8s.io/v1", "RuntimeClass", handler="runc"),
        obj("storage.k8s.io/v1", "StorageClass", provisioner="x/y"),
        obj("storage.k8s.io/v1", "CSIDriver", {}),
        obj("storage.k8s.io/v1", "CSINode", {"drivers": [{"name": "d.x", "nodeID": "n"}]}),
        obj("storage.k8s.io/v1", "CSIStorageCapacity", storageClassName="s"),
        obj(
            "storage.k8s.io/v1",
            "VolumeAttachment",
            {"attacher": "a", "nodeName": "n", "source": {"persistentVolumeName": "v"}},
        ),
        device_claim(REQUEST),
        obj("resource.k8s.io/v1", "ResourceClaimTemplate", {"spec": {"devices": {}}}),
        obj("resource.k8s.io/v1", "DeviceClass", {}),
        slice_of({"name": "d", "attributes": {"cores": {"int": 4}}}),
    ],
    ids=lambda fine: fine["kind"],
)
def test_a_small_object_is_fine(fine: JsonObject) -> None:
    # Addresses are given out before validation, which then wants to see them.
    assert create(fine) == []


@pytest.mark.parametrize(
    ("bad", "error"),
    [
        (volume(), "spec: Required value: must specify a volume type"),
        (
            volume(local={"path": "/x"}),
            "spec.nodeAffinity: Required value: Local volume requires node affinity",
        ),
        (
            volume(hostPath={"path": "/"}, persistentVolumeReclaimPolicy="Recycle"),
            "spec.persistentVolumeReclaimPolicy: Forbidden: may not be 'recycle' for a hostPath "
            "mount of '/'",
        ),
        (claim(resources={}), "spec.resources[storage]: Required value"),
        (service(ports=[]), "spec.ports: Required value"),
        (
            service(sessionAffinity="ClientIP", externalIPs=["127.0.0.1"]),
            'spec.externalIPs[0]: Invalid value: "127.0.0.1": may not be in the loopback range '
            "(127.0.0.0/8, ::1/128)",
        ),
        (
            service(externalTrafficPolicy="Local"),
            'spec.externalTrafficPolicy: Invalid value: "Local": may only be set for '
            "externally-accessible services",
        ),
        (
            obj("v1", "Secret", type="kubernetes.io/ssh-auth"),
            "data[ssh-privatekey]: Required value",
        ),
        (
            obj("v1", "Endpoints", subsets=[{}]),
            "subsets[0]: Required value: must specify `addresses` or `notReadyAddresses`",
        ),
        (
            obj("v1", "ResourceQuota", {"hard": {"storage": "1"}}),
            'spec.hard[storage]: Invalid value: "storage": must be a standard resource for quota',
        ),
        (
            obj(
                "v1",
                "LimitRange",
                {"limits": [{"type": "Pod", "min": {"cpu": "2"}, "max": {"cpu": "1"}}]},
            ),
            'spec.limits[0].min[cpu]: Invalid value: "2": min value 2 is greater than max value 1',
        ),
        (
            owner("Deployment", progressDeadlineSeconds=5, minReadySeconds=7),
            "spec.progressDeadlineSeconds: Invalid value: 5: must be greater than minReadySeconds",
        ),
        (
            owner("DaemonSet", updateStrategy={"rollingUpdate": {"maxUnavailable": 0}}),
            "spec.updateStrategy.rollingUpdate.maxUnavailable: Required value: cannot be 0 when "
            "maxSurge is 0",
        ),
        (
            owner("StatefulSet", updateStrategy={"type": "Zz"}),
            'spec.updateStrategy: Invalid value: {"Type":"Zz","RollingUpdate":null}: must be '
            "'RollingUpdate' or 'OnDelete'",
        ),
        (
            cron_job(timeZone="Mars/Olympus"),
            'spec.timeZone: Invalid value: "Mars/Olympus": unknown time zone Mars/Olympus',
        ),
        (
            device_claim({"name": "r"}),
            "spec.devices.requests[0]: Required value: exactly one of `exactly` or "
            "`firstAvailable` is required",
        ),
        (
            device_claim(REQUEST, constraints=[{"requests": ["x"], "matchAttribute": "a.b/c"}]),
            'spec.devices.constraints[0].requests[0]: Invalid value: "x": must be the name of a '
            "request in the claim or the name of a request and a subrequest separated by '/'",
        ),
        (
            slice_of(allNodes=True),
            'spec: Invalid value: "{`nodeName`, `allNodes`}": exactly one of `nodeName`, '
            "`nodeSelector`, `allNodes`, `perDeviceNodeSelection` is required, but multiple "
            "fields are set",
        ),
        (
            obj("node.k8s.io/v1", "RuntimeClass"),
            "handler: Required value",
        ),
    ],
)
def test_a_broken_rule_is_told_in_upstreams_words(bad: JsonObject, error: str) -> None:
    assert create(bad) == [error]


@pytest.mark.parametrize(
    ("old", "changes", "error"),
    [
        (
            owner("StatefulSet"),
            {"serviceName": "other"},
            'spec.serviceName: Invalid value: "other": field is immutable',
        ),
        (
            device_claim(REQUEST),
            {"devices": {"requests": []}},
            "spec: Invalid value: null: field is immutable",
        ),
        (
            slice_of(),
            {"driver": "e.example"},
            'spec.driver: Invalid value: "e.example": field is immutable',
        ),
        (
            obj("v1", "ResourceQuota", {"scopes": ["BestEffort"]}),
            {"scopes": []},
            "spec.scopes: Invalid value: null: field is immutable",
        ),
    ],
)
def test_what_is_frozen_stays(old: JsonObject, changes: JsonObject, error: str) -> None:
    assert update(old, **changes) == [error]


def test_a_claim_may_be_bound_once_and_nothing_else() -> None:
    assert update(claim(), volumeName="v") == []
    (error,) = update(claim(volumeName="v"), volumeName="w")
    assert error.startswith("spec: Forbidden: spec is immutable after creation except")
    assert '-  "VolumeName": "v"' not in error
    assert '- "VolumeName": "v",\n+ "VolumeName": "w",' in error
