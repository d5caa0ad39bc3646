"""Which pods have the same signature; every case was tried on kube-scheduler 1.37.2 and 1.36.3."""

from __future__ import annotations

import pytest

from kubegang.api.core.types import Pod
from kubegang.api.meta import decode
from kubegang.apimachinery.objects import JsonObject
from kubegang.scheduler.framework.podconversion import pod_info
from kubegang.scheduler.framework.pods import PodInfo
from kubegang.scheduler.plugins.registry import PLUGINS
from kubegang.scheduler.runtime.framework import Framework
from kubegang.scheduler.runtime.signing import sign_pod
from kubegang.testing.builders import make_pod
from kubegang.testing.deciding import default_profile, framework_of
from tests.unit.scheduler.runtime.plugins import Forbid, Sort

LIST = {"PodTopologySpread": {"defaultingType": "List"}}
FRAMEWORK = framework_of(default_profile(), args=LIST)
TERM = {"topologyKey": "t", "labelSelector": {"matchLabels": {"q": "q"}}}


def pod(labels: dict[str, str] | None = None, **spec: object) -> PodInfo:
    whole: JsonObject = {
        "metadata": {"name": "p", "namespace": "default", "labels": labels or {}},
        "spec": {"containers": [container()], "schedulerName": "default-scheduler", **spec},
    }
    return pod_info(decode(whole, Pod))


def container(**changes: object) -> JsonObject:
    amounts = {"requests": {"cpu": "3", "memory": "1Gi"}}
    return {"name": "c", "image": "i", "resources": amounts, **changes}


def volume(**source: object) -> list[JsonObject]:
    return [{"name": "v", **source}]


HALVES = [
    container(name=name, resources={"requests": {"cpu": "1500m", "memory": "512Mi"}})
    for name in "ab"
]

EQUAL = {
    "a tag that is meant": pod(containers=[container(image="i:latest")]),
    "limits": pod(
        containers=[
            container(resources={"requests": {"cpu": "3", "memory": "1Gi"}, "limits": {"cpu": "4"}})
        ]
    ),
    "the same sum": pod(containers=HALVES),
    "another way to write": pod(
        containers=[container(resources={"requests": {"cpu": "3000m", "memory": "1024Mi"}})]
    ),
    "what scoring assumes": pod(containers=[container(), {"name": "d", "image": "i"}]),
    "an init container": pod(initContainers=[{"name": "x", "image": "i"}]),
    "a ConfigMap": pod(volumes=volume(configMap={"name": "c"})),
    "a Secret": pod(volumes=volume(secret={"secretName": "c"})),
    "a port of its own": pod(containers=[container(ports=[{"containerPort": 8}])]),
    "an affinity that says nothing": pod(affinity={}),
    "a service account": pod(serviceAccountName="sa"),
}

UNEQUAL = {
    "labels": pod({"a": "b"}),
    "tolerations": pod(tolerations=[{"key": "k", "operator": "Exists"}]),
    "selector": pod(nodeSelector={"a": "b"}),
    "image": pod(containers=[container(image="j")]),
    "image of an init container": pod(initContainers=[{"name": "x", "image": "k"}]),
    "requests": pod(containers=[container(resources={})]),
    "a host port": pod(containers=[container(ports=[{"containerPort": 8, "hostPort": 80}])]),
    "node affinity": pod(
        affinity={
            "nodeAffinity": {
                "preferredDuringSchedulingIgnoredDuringExecution": [
                    {
                        "weight": 1,
                        "preference": {"matchExpressions": [{"key": "z", "operator": "Exists"}]},
                    }
                ]
            }
        }
    ),
}

UNSIGNED = {
    "pod affinity": pod(
        affinity={
            "podAffinity": {
                "preferredDuringSchedulingIgnoredDuringExecution": [
                    {"weight": 1, "podAffinityTerm": TERM}
                ]
            }
        }
    ),
    "pod anti-affinity": pod(
        affinity={"podAntiAffinity": {"requiredDuringSchedulingIgnoredDuringExecution": [TERM]}}
    ),
    "spreading": pod(
        topologySpreadConstraints=[
            {
                "maxSkew": 9,
                "topologyKey": "t",
                "whenUnsatisfiable": "ScheduleAnyway",
                "labelSelector": {},
            }
        ]
    ),
    "claims": pod(resourceClaims=[{"name": "c", "resourceClaimName": "c"}]),
}


@pytest.mark.parametrize("other", EQUAL.values(), ids=EQUAL)
def test_what_does_not_matter_to_scheduling_does_not_matter(other: PodInfo) -> None:
    assert sign_pod(FRAMEWORK, other) == sign_pod(FRAMEWORK, pod())


@pytest.mark.parametrize("other", UNEQUAL.values(), ids=UNEQUAL)
def test_what_may_matter_tells_pods_apart(other: PodInfo) -> None:
    assert sign_pod(FRAMEWORK, other) not in (None, sign_pod(FRAMEWORK, pod()))


@pytest.mark.parametrize("other", UNSIGNED.values(), ids=UNSIGNED)
def test_pods_that_look_at_others_have_no_signature(other: PodInfo) -> None:
    assert sign_pod(FRAMEWORK, other) is None


def test_order_does_not_matter() -> None:
    one, two = {"key": "k", "operator": "Exists"}, {"key": "l", "operator": "Exists"}
    ports = [{"containerPort": 8, "hostPort": 80}, {"containerPort": 9, "hostPort": 81}]
    forwards = pod(tolerations=[one, two], containers=[container(ports=ports)])
    backwards = pod(tolerations=[two, one], containers=[container(ports=ports[::-1])])
    assert sign_pod(FRAMEWORK, forwards) == sign_pod(FRAMEWORK, backwards)


def test_default_constraints_take_every_signature_away() -> None:
    assert sign_pod(framework_of(default_profile()), pod()) is None


@pytest.mark.parametrize("version", ["1.35", "1.36", "1.37"])
def test_every_default_plugin_signs(version: str) -> None:
    framework = framework_of(default_profile(version=version), args=LIST)
    assert framework.sign_plugins is not None
    assert sign_pod(framework, pod()) is not None


def test_a_filter_that_does_not_sign_turns_batching_off() -> None:
    assert Framework([Sort(), Forbid("n-0")], weights={}).sign_plugins is None
    assert Framework([Sort()], weights={}).sign_plugins == ()


def test_the_registry_has_no_filter_that_does_not_sign() -> None:
    assert PLUGINS
    assert sign_pod(FRAMEWORK, make_pod().info()) is not None
