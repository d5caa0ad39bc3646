"""Hashes as kube-controller-manager of each release computes them for the same templates."""

from __future__ import annotations

import pytest

from kubegang.api.facts import load_facts
from kubegang.apimachinery.objects import JsonObject
from kubegang.apimachinery.schema import Schema
from kubegang.controllers.hashing.goquantity import quantity_dump
from kubegang.controllers.hashing.templatehash import data_hash, template_hash

RICH: JsonObject = {
    "metadata": {"labels": {"a": "b", "z": "1", "B": "2"}, "annotations": {"x": "y z"}},
    "spec": {
        "containers": [
            {
                "name": "c",
                "image": "i",
                "command": ["sh", "-c", "echo <a> & b"],
                "resources": {
                    "limits": {"cpu": "1500m", "memory": "1Gi", "x/y": "3"},
                    "requests": {"cpu": "500m", "memory": "128Mi", "ephemeral-storage": "1e3"},
                },
                "env": [
                    {"name": "A", "value": "b"},
                    {"name": "C", "valueFrom": {"secretKeyRef": {"name": "s", "key": "k"}}},
                ],
                "livenessProbe": {"httpGet": {"port": "http", "path": "/x", "scheme": "HTTP"}},
                "readinessProbe": {"tcpSocket": {"port": 80}, "periodSeconds": 10},
                "securityContext": {"runAsUser": 0, "capabilities": {"drop": ["ALL"]}},
            }
        ],
        "volumes": [
            {"name": "x", "emptyDir": {"sizeLimit": "2Gi", "medium": "Memory"}},
            {"name": "y", "configMap": {"name": "cm", "defaultMode": 420}},
        ],
        "tolerations": [{"key": "k", "operator": "Exists", "tolerationSeconds": 5}],
        "securityContext": {},
        "affinity": {
            "podAntiAffinity": {
                "requiredDuringSchedulingIgnoredDuringExecution": [
                    {
                        "topologyKey": "kubernetes.io/hostname",
                        "labelSelector": {"matchLabels": {"a": "b"}},
                    }
                ]
            }
        },
        "restartPolicy": "Always",
        "terminationGracePeriodSeconds": 30,
        "hostNetwork": True,
    },
}

GROUPED: JsonObject = {
    "metadata": {},
    "spec": {
        "containers": [{"name": "c"}],
        "schedulingGroup": {"podGroupName": "g"},
        "workloadRef": {"name": "w", "podGroup": "p"},
    },
}

BARE: JsonObject = {"metadata": {}, "spec": {"containers": [{"name": "c", "resources": {}}]}}

HASHES = {
    "1.37": ("57c67d5f69", "86975fc78", "5564b6dbc5"),
    "1.36": ("9469959cb", "84f58d6c78", "7565ff8789"),
    "1.35": ("779d5f5995", "cfd45474b", "69945889cb"),
}


def schema_of(release: str) -> Schema:
    return load_facts(release).definition("io.k8s.api.core.v1.PodTemplateSpec")


@pytest.mark.parametrize("release", HASHES)
def test_hashes_are_those_of_the_release(release: str) -> None:
    schema = schema_of(release)

    found = [template_hash(one, schema, collisions=None) for one in (RICH, GROUPED, BARE)]

    assert tuple(found) == HASHES[release]


def test_empty_lists_and_maps_hash_as_if_they_were_missing() -> None:
    empty = {**BARE, "spec": {**BARE["spec"], "tolerations": [], "nodeSelector": {}}}
    schema = schema_of("1.37")

    assert template_hash(empty, schema, collisions=None) == HASHES["1.37"][2]


def test_a_collision_changes_the_hash() -> None:
    schema = schema_of("1.37")

    assert template_hash(BARE, schema, collisions=0) == "79c8b585c9"
    assert template_hash(BARE, schema, collisions=1) == "644cf95c86"


def test_the_hash_of_data_takes_collisions_as_text() -> None:
    assert data_hash(b"{}", collisions=0) == "cccc864bc"
    assert data_hash(b"{}", collisions=12) == "7f9c96b656"


@pytest.mark.parametrize(
    ("text", "number", "scale", "kept", "family"),
    [
        ("1500m", 1500, -3, "1500m", "DecimalSI"),
        ("1Gi", 2**30, 0, "1Gi", "BinarySI"),
        ("128Mi", 2**27, 0, "", "BinarySI"),
        ("0", 0, 0, "0", "DecimalSI"),
        ("3k", 3, 3, "3k", "DecimalSI"),
        ("1e3", 1, 3, "1e3", "DecimalExponent"),
        ("-2", -2, 0, "-2", "DecimalSI"),
    ],
)
def test_a_quantity_is_printed_in_its_parts(
    text: str, number: int, scale: int, kept: str, family: str
) -> None:
    assert quantity_dump(text) == (
        f"{{i:(resource.int64Amount){{value:(int64){number} scale:(resource.Scale){scale}}} "
        f"d:(resource.infDecAmount){{Dec:(*inf.Dec)<nil>}} s:(string){kept} "
        f"Format:(resource.Format){family}}}"
    )
