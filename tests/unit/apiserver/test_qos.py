from __future__ import annotations

from typing import Any

import pytest

from kubegang.apiserver.strategies.qos import qos_class


def _container(requests: dict[str, str], limits: dict[str, str]) -> dict[str, Any]:
    return {"name": "c", "resources": {"requests": requests, "limits": limits}}


_FULL = {"cpu": "1", "memory": "1Gi"}


@pytest.mark.parametrize(
    ("containers", "want"),
    [
        pytest.param([{"name": "c"}], "BestEffort", id="nothing"),
        pytest.param([_container({"nvidia.com/gpu": "1"}, {})], "BestEffort", id="only-a-gpu"),
        pytest.param([_container({"cpu": "0"}, {})], "BestEffort", id="zero"),
        pytest.param([_container({"cpu": "1"}, {})], "Burstable", id="request-only"),
        pytest.param([_container(_FULL, _FULL)], "Guaranteed", id="equal"),
        pytest.param([_container(_FULL, {**_FULL, "cpu": "2"})], "Burstable", id="more-allowed"),
        pytest.param(
            [_container({"cpu": "1", "memory": "1024Mi"}, _FULL)], "Guaranteed", id="other-spelling"
        ),
        pytest.param([_container(_FULL, _FULL), {"name": "d"}], "Burstable", id="one-without"),
    ],
)
def test_the_class_follows_from_cpu_and_memory(containers: list[Any], want: str) -> None:
    assert qos_class({"spec": {"containers": containers}}) == want


def test_init_containers_count() -> None:
    pod = {"spec": {"containers": [_container(_FULL, _FULL)], "initContainers": [{"name": "i"}]}}

    assert qos_class(pod) == "Burstable"


def test_resources_of_the_whole_pod_stand_in_for_its_containers() -> None:
    whole = {"requests": _FULL, "limits": _FULL}

    assert qos_class({"spec": {"containers": [{"name": "c"}], "resources": whole}}) == "Guaranteed"
