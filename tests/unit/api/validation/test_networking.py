"""Kinds of networking.k8s.io: what was wrong before a change may stay so (1.37.2)."""

from __future__ import annotations

from typing import Any

import pytest

from kubegang.api.validation.table import validate_create, validate_status_update, validate_update
from kubegang.apimachinery.objects import GroupVersionKind, JsonObject
from kubegang.base.feature_gates import FeatureGates

GATES = FeatureGates({})
METADATA = {"name": "n", "namespace": "d"}


def _errors(kind: str, old: JsonObject, new: JsonObject, *, part: str = "spec") -> list[str]:
    gvk = GroupVersionKind("networking.k8s.io", "v1", kind)
    validate = validate_update if part == "spec" else validate_status_update
    before, after = ({"kind": kind, "metadata": METADATA, part: one} for one in (old, new))
    return [error.field for error in validate(after, before, gvk, GATES)]


def _peers(*blocks: dict[str, Any]) -> JsonObject:
    return {"egress": [{"to": [{"ipBlock": block} for block in blocks]}]}


ODD, ODDER = {"cidr": "010.0.0.0/8"}, {"cidr": "10.0.0.0/8", "except": ["10.1.0.1/16"]}


def test_a_range_of_a_policy_may_stay_as_it_is() -> None:
    assert _errors("NetworkPolicy", _peers(ODD, ODDER), _peers(ODDER, ODD)) == []
    assert _errors("NetworkPolicy", _peers(), _peers(ODD, ODDER)) == [
        "spec.egress[0].to[0].ipBlock.cidr",
        "spec.egress[0].to[1].ipBlock.except[0]",
    ]


def _rule(host: str, path_type: str | None) -> JsonObject:
    path = {"path": "/", "backend": {"service": {"name": "s", "port": {"number": 80}}}}
    typed = path if path_type is None else {**path, "pathType": path_type}
    return {"host": host, "http": {"paths": [typed]}}


def _ingress(*rules: JsonObject, secret: str = "s", service: str = "s") -> JsonObject:
    return {
        "defaultBackend": {"service": {"name": service, "port": {"number": 80}}},
        "rules": list(rules),
        "tls": [{"secretName": secret}],
    }


PATH_TYPE = "spec.rules[0].http.paths[0].pathType"


@pytest.mark.parametrize(
    ("old", "new", "want"),
    [
        pytest.param(
            _ingress(), _ingress(secret="S"), ["spec.tls[0].secretName"], id="a-bad-secret-comes"
        ),
        pytest.param(_ingress(secret="S"), _ingress(secret="T"), [], id="bad-secrets-stay"),
        pytest.param(_ingress(), _ingress(_rule("*.a", None)), [PATH_TYPE], id="a-bad-rule-comes"),
        pytest.param(
            _ingress(_rule("*.a", None)), _ingress(_rule("*.b", None)), [], id="bad-rules-stay"
        ),
        pytest.param(
            _ingress(_rule("*.a", None)),
            _ingress(_rule("a", None)),
            [PATH_TYPE],
            id="bad-rules-without-a-star-do-not",
        ),
        pytest.param(
            _ingress(), _ingress(service="1s"), ["spec.defaultBackend.service.name"], id="old-name"
        ),
        pytest.param(_ingress(service="1s"), _ingress(service="2s"), [], id="new-names-stay"),
    ],
)
def test_a_changed_ingress(old: JsonObject, new: JsonObject, want: list[str]) -> None:
    assert _errors("Ingress", old, new) == want


def test_an_address_of_an_ingress_may_stay_as_it_is() -> None:
    status = {"loadBalancer": {"ingress": [{"ip": "010.0.0.1"}]}}

    assert _errors("Ingress", status, status, part="status") == []
    assert _errors("Ingress", {}, status, part="status") == ["status.loadBalancer.ingress[0].ip"]


@pytest.mark.parametrize(("length", "want"), [(250, []), (251, ["spec.controller"])])
def test_a_controller_has_at_most_250_bytes(length: int, want: list[str]) -> None:
    gvk = GroupVersionKind("networking.k8s.io", "v1", "IngressClass")
    spec = {"controller": "a.example.com/".ljust(length, "x")}
    errors = validate_create({"metadata": {"name": "c"}, "spec": spec}, gvk, GATES)

    assert [error.field for error in errors] == want
