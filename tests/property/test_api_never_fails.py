"""Whatever is sent, the server answers as an API server, and storage stays whole.

Requests are valid ones with something in them replaced, left out or added. No answer may be
an internal error, a refusal must be a Status that changed nothing, and after each request
every stored value must be what its key says it is.
"""

from __future__ import annotations

import json
from copy import deepcopy
from typing import Any, NamedTuple

import yaml
from hypothesis import HealthCheck, given, settings
from hypothesis import strategies as st

from kubegang.apiserver import codec
from kubegang.base.clock import run_virtual
from tests.component.apiharness import (
    APPLY,
    JSON,
    JSON_PATCH,
    MERGE,
    STRATEGIC,
    Api,
    Reply,
    binding,
    config_map,
    pod,
)

_SCHEDULING = "/apis/scheduling.k8s.io/v1beta1/namespaces/default"
_PODS = "/api/v1/namespaces/default/pods"
_NAMES = ("a", "a", "a", "b")

_INGRESS_PATH = {
    "path": "/",
    "pathType": "Prefix",
    "backend": {"service": {"name": "s", "port": {"number": 80, "name": "p"}}},
}
_POLICY = {"type": "Pods", "value": 1, "periodSeconds": 2}
_POD_METRIC = {
    "type": "Pods",
    "pods": {"metric": {"name": "m"}, "target": {"type": "AverageValue", "averageValue": "1"}},
}
_POD_STATUS = {
    "type": "Pods",
    "pods": {"metric": {"name": "m"}, "current": {"averageValue": "1"}},
}

_OBJECTS: dict[str, dict[str, Any]] = {
    _PODS: {
        **pod("a", labels={"x": "y"}, nodeSelector={"a": "b"}, terminationGracePeriodSeconds=5),
        "status": {"phase": "Running", "conditions": [{"type": "Ready", "status": "True"}]},
    },
    "/api/v1/namespaces/default/configmaps": config_map(
        "a", data={"x": "y"}, labels={"l": "m"}, finalizers=["x.io/f"]
    ),
    "/api/v1/nodes": {
        "metadata": {"name": "a"},
        "spec": {"taints": [{"key": "k", "effect": "NoSchedule"}]},
        "status": {"capacity": {"cpu": "4"}, "allocatable": {"cpu": "4"}},
    },
    "/api/v1/namespaces": {
        "metadata": {"name": "a", "labels": {"pod-security.kubernetes.io/enforce": "baseline"}},
        "spec": {"finalizers": ["kubernetes"]},
    },
    "/api/v1/namespaces/default/events": {
        "metadata": {"name": "a"},
        "involvedObject": {"kind": "Pod", "name": "a", "namespace": "default"},
        "reason": "R",
        "count": 1,
    },
    "/apis/events.k8s.io/v1/namespaces/default/events": {
        "metadata": {"name": "a"},
        "regarding": {"kind": "Pod", "name": "a", "namespace": "default"},
        "reason": "R",
        "action": "A",
        "type": "Normal",
        "reportingController": "c",
        "reportingInstance": "i",
        "eventTime": "2026-01-01T00:00:00.000000Z",
    },
    "/apis/coordination.k8s.io/v1/namespaces/default/leases": {
        "metadata": {"name": "a"},
        "spec": {"holderIdentity": "h", "renewTime": "2026-01-01T00:00:00.000000Z"},
    },
    "/apis/batch/v1/namespaces/default/jobs": {
        "metadata": {"name": "a"},
        "spec": {
            "parallelism": 2,
            "completionMode": "Indexed",
            "completions": 2,
            "template": {
                "metadata": {"labels": {"a": "b"}},
                "spec": {"restartPolicy": "Never", "containers": [{"name": "c", "image": "i"}]},
            },
            "scheduling": {"schedulingPolicy": {"gang": {"minCount": 2}}},
        },
    },
    "/apis/policy/v1/namespaces/default/poddisruptionbudgets": {
        "metadata": {"name": "a"},
        "spec": {"minAvailable": "50%", "selector": {"matchLabels": {"x": "y"}}},
        "status": {"disruptionsAllowed": 1, "observedGeneration": 1},
    },
    "/apis/networking.k8s.io/v1/namespaces/default/ingresses": {
        "metadata": {"name": "a", "annotations": {"kubernetes.io/ingress.class": "c"}},
        "spec": {
            "defaultBackend": {"resource": {"kind": "K", "name": "n", "apiGroup": "g"}},
            "tls": [{"hosts": ["*.example.com"], "secretName": "s"}],
            "rules": [
                {"host": "a.example.com", "http": {"paths": [_INGRESS_PATH]}},
                {"host": "*.example.com"},
            ],
        },
        "status": {"loadBalancer": {"ingress": [{"ip": "192.0.2.1", "hostname": "h"}]}},
    },
    "/apis/networking.k8s.io/v1/ingressclasses": {
        "metadata": {"name": "a"},
        "spec": {"controller": "a.b/c", "parameters": {"kind": "K", "name": "n"}},
    },
    "/apis/networking.k8s.io/v1/namespaces/default/networkpolicies": {
        "metadata": {"name": "a"},
        "spec": {
            "podSelector": {"matchLabels": {"x": "y"}},
            "policyTypes": ["Ingress"],
            "ingress": [
                {
                    "from": [{"ipBlock": {"cidr": "10.0.0.0/8", "except": ["10.1.0.0/16"]}}],
                    "ports": [{"port": 80, "endPort": 90, "protocol": "TCP"}],
                }
            ],
        },
    },
    "/apis/autoscaling/v2/namespaces/default/horizontalpodautoscalers": {
        "metadata": {"name": "a"},
        "spec": {
            "scaleTargetRef": {"apiVersion": "apps/v1", "kind": "Deployment", "name": "d"},
            "maxReplicas": 3,
            "behavior": {"scaleUp": {"tolerance": "0.1", "policies": [_POLICY]}},
            "metrics": [_POD_METRIC],
        },
        "status": {"currentMetrics": [_POD_STATUS], "conditions": [{"type": "A"}]},
    },
    "/apis/autoscaling/v1/namespaces/default/horizontalpodautoscalers": {
        "metadata": {
            "name": "a",
            "annotations": {
                "autoscaling.alpha.kubernetes.io/metrics": '[{"type":"Pods","pods":{}}]',
                "autoscaling.alpha.kubernetes.io/behavior": '{"ScaleUp":{"Policies":[{}]}}',
                "autoscaling.alpha.kubernetes.io/conditions": '[{"type":"A"}]',
                "autoscaling.alpha.kubernetes.io/current-metrics": "[null]",
            },
        },
        "spec": {
            "scaleTargetRef": {"apiVersion": "apps/v1", "kind": "Deployment", "name": "d"},
            "maxReplicas": 3,
            "targetCPUUtilizationPercentage": 5,
        },
        "status": {"currentCPUUtilizationPercentage": 5},
    },
    "/apis/certificates.k8s.io/v1/certificatesigningrequests": {
        "metadata": {"name": "a"},
        "spec": {"request": "eA==", "signerName": "a.b/c", "usages": ["any"]},
        "status": {"conditions": [{"type": "Approved", "status": "True"}], "certificate": "eA=="},
    },
    "/apis/scheduling.k8s.io/v1/priorityclasses": {"metadata": {"name": "a"}, "value": 5},
    f"{_SCHEDULING}/podgroups": {
        "metadata": {"name": "a"},
        "spec": {
            "schedulingPolicy": {"gang": {"minCount": 2}},
            "schedulingConstraints": {"topology": [{"key": "rack"}]},
            "workloadRef": {"workloadName": "w", "templateName": "t"},
        },
        "status": {"conditions": []},
    },
    f"{_SCHEDULING}/workloads": {
        "metadata": {"name": "a"},
        "spec": {
            "podGroupTemplates": [{"name": "t", "schedulingPolicy": {"basic": {}}}],
            "controllerRef": {"kind": "Job", "name": "j", "apiGroup": "batch"},
        },
    },
}

_SUBRESOURCES: dict[str, dict[str, Any]] = {
    "/api/v1/namespaces/default/pods/a/binding": binding("a", "n1"),
    "/api/v1/namespaces/default/pods/a/eviction": {
        "metadata": {"name": "a"},
        "deleteOptions": {"gracePeriodSeconds": 1},
    },
    "/api/v1/namespaces/default/bindings": binding("b", "n2"),
}

_DELETE_OPTIONS = {
    "gracePeriodSeconds": 0,
    "propagationPolicy": "Background",
    "preconditions": {"uid": "u"},
    "dryRun": ["All"],
}

_QUERIES = (
    *[""] * 12,
    "dryRun=All",
    "fieldValidation=Strict",
    "fieldManager=m&force=true",
    "fieldManager=m",
    "limit=1",
    "limit=x",
    "labelSelector=x%3Dy",
    "labelSelector=%21%21",
    "fieldSelector=metadata.name%3Da",
    "fieldSelector=status.phase%21%3DRunning",
    "resourceVersion=1",
    "resourceVersion=99999999999999999999999",
    "resourceVersion=3&resourceVersionMatch=Exact",
    "continue=e30",
    "continue=%F0%9F%98%80",
    "watch=true&timeoutSeconds=1",
    "watch=1&timeoutSeconds=1&sendInitialEvents=true&resourceVersionMatch=NotOlderThan",
    "timeout=soon",
    "pretty=1",
    "%zz&&=;",
)

_ACCEPTS = (
    *[JSON] * 9,
    "*/*",
    "application/yaml",
    "application/json;as=Table;g=meta.k8s.io;v=v1",
    "application/json;as=PartialObjectMetadata;g=meta.k8s.io;v=v1",
    "text/html",
    ";;q=x,",
)

_VALUES: tuple[Any, ...] = (
    None,
    "",
    "x",
    "X y",
    "a/b",
    "1Gi",
    "-1",
    "2026-01-01T00:00:00Z",
    "\U0001f600",
    "n" * 300,
    -1,
    0,
    1,
    1.5,
    2**31,
    2**63,
    10**30,
    True,
    [],
    {},
    [None],
    ["x", "x"],
    [[1]],
    [{}],
    {"": None},
    {"$patch": "delete"},
    {"a": {"b": [1, {"c": None}]}},
)


class Sent(NamedTuple):
    """One request."""

    method: str
    target: str
    body: bytes
    content_type: str
    accept: str


def _paths(value: Any, path: tuple[Any, ...] = ()) -> list[tuple[Any, ...]]:
    """Return every place in a JSON value, by the steps that lead there."""
    found = [path]
    if isinstance(value, dict):
        for key, member in value.items():
            found += _paths(member, (*path, key))
    elif isinstance(value, list):
        for index, item in enumerate(value):
            found += _paths(item, (*path, index))
    return found


def _replaced(document: Any, path: tuple[Any, ...], value: Any, *, extra: bool) -> Any:
    """Return the document with another value at a place, or with an unknown member there."""
    if not path:
        return value
    copied = deepcopy(document)
    container = copied
    for step in path[:-1]:
        container = container[step]
    if extra and isinstance(container, dict):
        container["extra"] = value
    else:
        container[path[-1]] = value
    return copied


@st.composite
def _documents(draw: st.DrawFn, document: Any) -> Any:
    """A document with up to two things in it changed."""
    for _ in range(draw(st.integers(0, 2))):
        path = draw(st.sampled_from(_paths(document)))
        value = draw(st.sampled_from(_VALUES))
        document = _replaced(document, path, value, extra=draw(st.booleans()))
    return document


@st.composite
def _bodies(draw: st.DrawFn, document: Any) -> bytes:
    body = json.dumps(draw(_documents(document))).encode()
    if draw(st.integers(0, 9)) == 0:
        cut = draw(st.integers(0, len(body)))
        body = body[:cut] + draw(st.binary(max_size=3)) + body[cut:]
    return body


@st.composite
def _requests(draw: st.DrawFn) -> tuple[str, Sent]:
    """A request, and the collection in which it finds an object named ``a``."""
    query = draw(st.sampled_from(_QUERIES))
    accept = draw(st.sampled_from(_ACCEPTS))
    if draw(st.integers(0, 5)) == 0:
        target = draw(st.sampled_from(sorted(_SUBRESOURCES)))
        body = draw(_bodies(_SUBRESOURCES[target]))
        return _PODS, Sent("POST", f"{target}?{query}", body, JSON, accept)
    collection = draw(st.sampled_from(sorted(_OBJECTS)))
    document = _OBJECTS[collection]
    method = draw(st.sampled_from(("POST", "POST", "PUT", "PATCH", "PATCH", "DELETE", "GET")))
    name = draw(st.sampled_from(_NAMES))
    part = draw(st.sampled_from(("", "", "/status")))
    if method == "POST":
        target, body = collection, draw(_bodies(document))
    elif method in {"DELETE", "GET"}:
        whole = draw(st.booleans())
        target = collection if whole else f"{collection}/{name}"
        body = draw(_bodies(_DELETE_OPTIONS)) if method == "DELETE" else b""
    else:
        target, body = f"{collection}/{name}{part}", draw(_bodies(document))
    content_type = JSON
    if method == "PATCH":
        content_type = draw(st.sampled_from((MERGE, STRATEGIC, APPLY, JSON_PATCH)))
        if content_type == JSON_PATCH:
            body = draw(_json_patches())
    return collection, Sent(method, f"{target}?{query}", body, content_type, accept)


@st.composite
def _json_patches(draw: st.DrawFn) -> bytes:
    operations = [
        {
            "op": draw(st.sampled_from(("add", "replace", "remove", "test", "copy", "move"))),
            "path": draw(
                st.sampled_from(("/metadata/labels/a", "/spec/x", "/spec", "/metadata", "", "/-/0"))
            ),
            "from": "/metadata/name",
            "value": draw(st.sampled_from(_VALUES)),
        }
        for _ in range(draw(st.integers(1, 3)))
    ]
    return json.dumps(operations).encode()


@settings(
    max_examples=120, deadline=None, suppress_health_check=[HealthCheck.too_slow], database=None
)
@given(
    st.sampled_from(("1.37", "1.37", "1.36", "1.35")), st.lists(_requests(), min_size=1, max_size=8)
)
def test_no_request_breaks_the_server_or_its_storage(
    release: str, requests: list[tuple[str, Sent]]
) -> None:
    async def main() -> None:
        api = await Api.start(version=release)
        for collection in sorted({collection for collection, _ in requests}):
            await api.post(collection, _OBJECTS[collection])
        for _, request in requests:
            before = api.backend.store.revision
            reply = await api.send(
                request.method,
                request.target,
                request.body,
                content_type=request.content_type,
                headers={"accept": request.accept},
            )
            _check_answer(request, reply)
            if reply.status >= 400:
                assert api.backend.store.revision == before, request
            _check_storage(api)

    run_virtual(main())


def _check_answer(request: Sent, reply: Reply) -> None:
    if reply.status < 400:
        return
    if reply.headers["content-type"].startswith("text/plain"):
        assert reply.status == 404, (request, reply)
        return
    # YAML is what some asked for, and JSON is YAML.
    status = yaml.safe_load(reply.body)
    assert status["kind"] == "Status", (request, reply)
    assert status["code"] == reply.status, (request, reply)
    assert status.get("reason") != "InternalError", (request, reply)


def _check_storage(api: Api) -> None:
    """Every value is complete, of the kind and name of its key, at the item's revision."""
    for item in api.backend.store.list("/").items:
        obj = codec.decode(item.value)
        metadata = obj["metadata"]
        assert item.value.startswith(b'{"kind":"' + obj["kind"].encode()), item
        assert metadata["resourceVersion"] == str(item.revision), item
        assert metadata["uid"], item
        parts = [part for part in (metadata.get("namespace"), metadata["name"]) if part]
        assert item.key.split("/")[3:] == parts, item
