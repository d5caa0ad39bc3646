"""What the rows of ingresses, autoscalers and requests for certificates say (1.37.2)."""

from __future__ import annotations

from typing import Any

import pytest

from tests.unit.apiserver.tables import cells

POINTS = [{"ip": "10.0.0.9"}, {"hostname": "b"}, {"ip": "10.0.0.9", "hostname": "c"}]


@pytest.mark.parametrize(
    ("hosts", "want"),
    [
        ([], "*"),
        ([""] * 5, "*"),
        (["a", "", "b", "c"], "a,b,c"),
        (["a", "b", "c", ""], "a,b,c + 1 more..."),
        (["a", "", "b", "c", "d", "e"], "a,b,c + 3 more..."),
    ],
)
def test_three_hosts_of_an_ingress_are_named(hosts: list[str], want: str) -> None:
    ingress = {"metadata": {"name": "i"}, "spec": {"rules": [{"host": host} for host in hosts]}}

    assert cells("networking.k8s.io/v1", "Ingress", ingress)["Hosts"] == want


def test_an_ingress_shows_where_it_is_and_whether_it_is_encrypted() -> None:
    spec = {"tls": [{}], "ingressClassName": "c"}
    status = {"loadBalancer": {"ingress": POINTS}}
    full = {"metadata": {"name": "i"}, "spec": spec, "status": status}
    row = cells("networking.k8s.io/v1", "Ingress", full)
    assert (row["Address"], row["Ports"], row["Class"]) == ("10.0.0.9,b", "80, 443", "c")

    row = cells("networking.k8s.io/v1", "Ingress", {"metadata": {"name": "i"}})
    assert (row["Address"], row["Ports"], row["Class"]) == ("", "80", "<none>")


@pytest.mark.parametrize(("group", "want"), [({}, "K/n"), ({"apiGroup": ""}, "K./n")])
def test_the_parameters_of_a_class_are_named_with_their_group(
    group: dict[str, str], want: str
) -> None:
    spec = {"parameters": {"kind": "K", "name": "n", **group}}
    row = cells("networking.k8s.io/v1", "IngressClass", {"metadata": {"name": "c"}, "spec": spec})

    assert row["Parameters"] == want


def _metric(kind: str, member: str, target: dict[str, Any], **more: Any) -> dict[str, Any]:
    return {"type": kind, member: {"target": target, **more}}


def _seen(kind: str, member: str, current: dict[str, Any]) -> dict[str, Any]:
    return {"type": kind, member: {"current": current}}


CPU = _metric("Resource", "resource", {"averageUtilization": 60}, name="cpu")
PODS = _metric("Pods", "pods", {"averageValue": "1k"})
QUEUE = _metric("External", "external", {"averageValue": "3"})
HITS = _metric("Object", "object", {"value": "2k"})
MEMORY = _metric("ContainerResource", "containerResource", {"averageValue": "1Gi"}, name="memory")


@pytest.mark.parametrize(
    ("metrics", "seen", "want"),
    [
        ([], [], "<none>"),
        ([CPU], [], "cpu: <unknown>/60%"),
        ([CPU], [_seen("Resource", "resource", {"averageUtilization": 5})], "cpu: 5%/60%"),
        ([_metric("Resource", "resource", {}, name="cpu")], [], "cpu: <unknown>/<auto>"),
        ([MEMORY], [], "memory: <unknown>/1Gi"),
        ([PODS], [_seen("Pods", "pods", {"averageValue": "7"})], "7/1k"),
        ([PODS], [_seen("Pods", "pods", {})], "<nil>/1k"),
        ([QUEUE], [_seen("External", "external", {"value": "7"})], "<unknown>/3 (avg)"),
        ([QUEUE], [_seen("External", "external", {"averageValue": "7"})], "7/3 (avg)"),
        ([HITS], [_seen("Object", "object", {"value": "7"})], "7/2k"),
        ([HITS], [_seen("Pods", "pods", {"value": "7"})], "<unknown>/2k"),
        ([CPU, {"type": "X"}], [], "cpu: <unknown>/60%, <unknown type>"),
        ([PODS, HITS, CPU], [], "<unknown>/1k, <unknown>/2k + 1 more..."),
    ],
)
def test_two_targets_of_an_autoscaler_are_shown(
    metrics: list[dict[str, Any]], seen: list[dict[str, Any]], want: str
) -> None:
    autoscaler = {
        "metadata": {"name": "a"},
        "spec": {"metrics": metrics},
        "status": {"currentMetrics": seen},
    }
    row = cells("autoscaling/v2", "HorizontalPodAutoscaler", autoscaler)

    assert (row["Targets"], row["MinPods"]) == (want, "<unset>")


@pytest.mark.parametrize(
    ("conditions", "certificate", "want"),
    [
        ([], "", "Pending"),
        (["Approved"], "", "Approved"),
        (["Approved"], "eA==", "Approved,Issued"),
        (["Approved", "Failed"], "", "Approved,Failed"),
        (["Approved", "Denied"], "", "Denied"),
        (["Failed"], "eA==", "Pending,Failed,Issued"),
    ],
)
def test_the_condition_of_a_request_for_a_certificate(
    conditions: list[str], certificate: str, want: str
) -> None:
    status = {"conditions": [{"type": one} for one in conditions], "certificate": certificate}
    spec = {"signerName": "a/b", "expirationSeconds": 3600}
    request = {"metadata": {"name": "r"}, "spec": spec, "status": status}
    row = cells("certificates.k8s.io/v1", "CertificateSigningRequest", request)

    assert (row["Condition"], row["RequestedDuration"]) == (want, "60m")
