"""What a pod asks of its node, added up over containers."""

from __future__ import annotations

import msgspec
import pytest

from kubegang.api.core.types import ResourceRequirements
from kubegang.scheduler.framework.requests import pod_requests
from kubegang.testing.builders import PodBuilder, make_pod

MIB = 1024 * 1024


def requested(pod: PodBuilder) -> dict[str, int]:
    return dict(pod.info().requests.items)


@pytest.mark.parametrize(
    ("pod", "want"),
    [
        pytest.param(make_pod(), {}, id="nothing"),
        pytest.param(
            make_pod().req(cpu="1500m", memory="1Gi"),
            {"cpu": 1500, "memory": 1024 * MIB},
            id="one-container",
        ),
        pytest.param(make_pod().req(cpu="0.1"), {"cpu": 100}, id="cpu-in-milli"),
        pytest.param(make_pod().req(cpu="0", memory="0"), {}, id="zeros-left-out"),
        pytest.param(make_pod().req(gpu="2"), {"nvidia.com/gpu": 2}, id="extended"),
        pytest.param(make_pod().req(memory="1500m"), {"memory": 2}, id="bytes-rounded-up"),
        pytest.param(
            make_pod().req(cpu="1").init(cpu="3").init(cpu="2"),
            {"cpu": 3000},
            id="largest-init-step",
        ),
        pytest.param(
            make_pod().req(cpu="1").init(sidecar=True, cpu="2"),
            {"cpu": 3000},
            id="sidecar-runs-along",
        ),
        pytest.param(
            make_pod().req(cpu="1").init(sidecar=True, cpu="2").init(cpu="4"),
            {"cpu": 6000},
            id="init-step-beside-earlier-sidecar",
        ),
        pytest.param(
            make_pod().req(cpu="1").init(cpu="4").init(sidecar=True, cpu="2"),
            {"cpu": 4000},
            id="init-step-before-sidecar",
        ),
        pytest.param(
            make_pod().req(cpu="1").overhead(cpu="250m", memory="1"),
            {"cpu": 1250, "memory": 1},
            id="overhead",
        ),
        pytest.param(
            make_pod().req(memory="9223372036854775808"), {"memory": 2**63 - 1}, id="cut-to-int64"
        ),
    ],
)
def test_requests_add_up_as_the_pod_api_says(pod: PodBuilder, want: dict[str, int]) -> None:
    assert requested(pod) == want


def test_requests_of_the_pod_as_a_whole_override_the_sum() -> None:
    spec = make_pod().req(cpu="1", memory="1Mi", gpu="1").obj().spec
    whole = ResourceRequirements({"cpu": "5", "nvidia.com/gpu": "9"})
    requests = pod_requests(msgspec.structs.replace(spec, resources=whole))
    assert dict(requests.items) == {"cpu": 5000, "memory": MIB, "nvidia.com/gpu": 1}


@pytest.mark.parametrize(
    ("pod", "want_milli_cpu", "want_memory"),
    [
        pytest.param(make_pod(), 100, 200 * MIB, id="defaults"),
        pytest.param(make_pod().req(cpu="2"), 2000, 200 * MIB, id="memory-default"),
        pytest.param(make_pod().req(cpu="0"), 0, 200 * MIB, id="zero-is-an-answer"),
        pytest.param(make_pod().init(sidecar=True), 200, 400 * MIB, id="per-container"),
        pytest.param(make_pod().init(), 100, 200 * MIB, id="init-step-is-a-maximum"),
    ],
)
def test_scoring_counts_containers_that_ask_for_nothing(
    pod: PodBuilder, want_milli_cpu: int, want_memory: int
) -> None:
    requests = pod.info().requests
    assert (requests.score_milli_cpu, requests.score_memory_bytes) == (want_milli_cpu, want_memory)


def test_equal_requests_are_one_object() -> None:
    one, two = make_pod("a").req(cpu="1").info(), make_pod("b").req(cpu="1").info()
    assert one.requests is two.requests
    assert one.tolerations is two.tolerations
