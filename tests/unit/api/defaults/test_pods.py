from __future__ import annotations

import copy
from typing import Any

import pytest

from kubegang.api.defaults.images import image_tag
from kubegang.api.defaults.table import apply_defaults
from kubegang.apimachinery.objects import GroupVersionKind, JsonObject
from kubegang.base.feature_gates import FeatureGates

POD = GroupVersionKind("", "v1", "Pod")
JOB = GroupVersionKind("batch", "v1", "Job")


def defaulted(spec: JsonObject) -> JsonObject:
    """Return the spec of a pod with its defaults."""
    pod: JsonObject = {"metadata": {"name": "p"}, "spec": copy.deepcopy(spec)}
    apply_defaults(pod, POD, FeatureGates({}))
    filled: JsonObject = pod["spec"]
    return filled


def container(**members: Any) -> JsonObject:
    return {"name": "c", "image": "registry.example/app:1", **members}


def test_a_bare_pod_gets_what_kubelets_need() -> None:
    assert defaulted({"containers": [container()]}) == {
        "containers": [
            {
                "name": "c",
                "image": "registry.example/app:1",
                "imagePullPolicy": "IfNotPresent",
                "terminationMessagePath": "/dev/termination-log",
                "terminationMessagePolicy": "File",
            }
        ],
        "dnsPolicy": "ClusterFirst",
        "enableServiceLinks": True,
        "restartPolicy": "Always",
        "schedulerName": "default-scheduler",
        "securityContext": {},
        "terminationGracePeriodSeconds": 30,
    }


def test_defaults_change_nothing_the_second_time() -> None:
    once = defaulted(
        {
            "containers": [
                container(
                    ports=[{"containerPort": 80}],
                    livenessProbe={"httpGet": {"port": 80}},
                    resources={"limits": {"cpu": "1"}},
                )
            ],
            "hostNetwork": True,
            "volumes": [{"name": "v", "secret": {"secretName": "s"}}],
        }
    )
    assert defaulted(once) == once


@pytest.mark.parametrize(
    ("image", "tag"),
    [
        ("app", "latest"),
        ("app:latest", "latest"),
        ("app:1", "1"),
        ("registry.example:5000/team/app", "latest"),
        ("registry.example:5000/team/app:1", "1"),
        ("app@sha256:" + "0" * 64, ""),
        ("app:1@sha256:" + "0" * 64, "1"),
        ("App", ""),
        ("0" * 64, ""),
        ("", ""),
    ],
)
def test_images_ask_for_a_tag(image: str, tag: str) -> None:
    assert image_tag(image) == tag


@pytest.mark.parametrize(("image", "policy"), [("app", "Always"), ("app:1", "IfNotPresent")])
def test_only_the_latest_image_is_always_pulled(image: str, policy: str) -> None:
    spec = defaulted({"containers": [{"name": "c", "image": image}]})
    assert spec["containers"][0]["imagePullPolicy"] == policy


def test_limits_are_requested_in_pods_but_not_in_templates() -> None:
    limited = container(resources={"limits": {"cpu": "2", "memory": "1Gi"}})
    limited["resources"]["requests"] = {"cpu": "1"}
    pod = defaulted({"containers": [limited]})
    assert pod["containers"][0]["resources"]["requests"] == {"cpu": "1", "memory": "1Gi"}

    job: JsonObject = {"spec": {"template": {"spec": {"containers": [copy.deepcopy(limited)]}}}}
    apply_defaults(job, JOB, FeatureGates({}))
    template = job["spec"]["template"]["spec"]
    assert template["containers"][0]["resources"]["requests"] == {"cpu": "1"}


def test_host_networking_makes_container_ports_host_ports() -> None:
    spec = defaulted(
        {"containers": [container(ports=[{"containerPort": 80}])], "hostNetwork": True}
    )
    assert spec["containers"][0]["ports"] == [
        {"containerPort": 80, "hostPort": 80, "protocol": "TCP"}
    ]


def test_probes_get_their_numbers_and_their_scheme() -> None:
    probe = {"httpGet": {"port": "web"}, "periodSeconds": 0}
    spec = defaulted({"containers": [container(readinessProbe=probe)]})
    assert spec["containers"][0]["readinessProbe"] == {
        "httpGet": {"port": "web", "path": "/", "scheme": "HTTP"},
        "timeoutSeconds": 1,
        "periodSeconds": 10,
        "successThreshold": 1,
        "failureThreshold": 3,
    }


@pytest.mark.parametrize(
    ("source", "filled"),
    [
        ({"emptyDir": {}}, {"emptyDir": {}}),
        ({}, {"emptyDir": {}}),
        ({"hostPath": {"path": "/"}}, {"hostPath": {"path": "/", "type": ""}}),
        ({"configMap": {"name": "a"}}, {"configMap": {"name": "a", "defaultMode": 0o644}}),
        ({"secret": {"secretName": "a"}}, {"secret": {"secretName": "a", "defaultMode": 0o644}}),
        (
            {"projected": {"sources": [{"serviceAccountToken": {"path": "t"}}]}},
            {
                "projected": {
                    "sources": [{"serviceAccountToken": {"path": "t", "expirationSeconds": 3600}}],
                    "defaultMode": 0o644,
                }
            },
        ),
        (
            {"image": {"reference": "app"}},
            {"image": {"reference": "app", "pullPolicy": "Always"}},
        ),
    ],
)
def test_volumes_without_a_source_are_empty_and_others_complete(
    source: JsonObject, filled: JsonObject
) -> None:
    spec = defaulted({"containers": [container()], "volumes": [{"name": "v", **source}]})
    assert spec["volumes"] == [{"name": "v", **filled}]


def test_pod_level_requests_follow_the_containers_and_limits_only_if_all_have_one() -> None:
    first = container(resources={"limits": {"cpu": "1", "memory": "1Gi"}})
    second = container(name="d", resources={"limits": {"cpu": "2"}})
    spec = defaulted({"containers": [first, second], "resources": {"requests": {"cpu": "4"}}})
    assert spec["resources"] == {
        "requests": {"cpu": "4", "memory": "1Gi"},
        "limits": {"cpu": "4"},
    }


def test_an_init_container_counts_only_as_far_as_it_needs_more() -> None:
    spec = defaulted(
        {
            "initContainers": [
                container(name="i", resources={"requests": {"cpu": "3", "memory": "1Gi"}})
            ],
            "containers": [container(resources={"requests": {"cpu": "1", "memory": "2Gi"}})],
            "resources": {"limits": {"cpu": "5"}},
        }
    )
    assert spec["resources"]["requests"] == {"cpu": "3", "memory": "2Gi"}


def test_amounts_finer_than_a_thousandth_are_rounded_up() -> None:
    spec = defaulted({"containers": [container(resources={"requests": {"cpu": "0.0001"}})]})
    assert spec["containers"][0]["resources"]["requests"] == {"cpu": "1m"}
