"""Which class stands behind a resource, and which container gets what of a pod's devices."""

from __future__ import annotations

import msgspec
import pytest

from kubegang.api.core.types import Container, PodSpec, ResourceRequirements
from kubegang.api.resource.types import DeviceClass
from kubegang.scheduler.framework.extendedresources import may_be_devices
from kubegang.scheduler.framework.requests import extended_requests
from kubegang.scheduler.plugins.dynamicresources.extended import claim_on_node, own_claim
from kubegang.scheduler.plugins.noderesources.fit import is_schedulable_after_class_change
from kubegang.scheduler.snapshot.devices import KnownDevices
from kubegang.testing.builders import make_pod
from tests.unit.scheduler.plugins.devicecluster import gpu_class

GPU = "example.com/gpu"


def offering(name: str, resource: str | None, *, made: str = "2026-01-01T00:00:00Z") -> DeviceClass:
    plain = gpu_class(name)
    return msgspec.structs.replace(
        plain,
        metadata=msgspec.structs.replace(plain.metadata, creation_timestamp=made),
        spec=msgspec.structs.replace(plain.spec, extended_resource_name=resource),
    )


def behind(devices: KnownDevices, resource: str) -> str | None:
    found = devices.class_behind(resource)
    return None if found is None else found.metadata.name


def container(name: str, *, restart_policy: str | None = None, **amounts: str) -> Container:
    named = {f"example.com/{k}" if k != "cpu" else k: v for k, v in amounts.items()}
    asked = ResourceRequirements(requests=named)
    return Container(name=name, resources=asked, restart_policy=restart_policy)


def test_the_newest_class_stands_behind_a_resource_that_several_offer() -> None:
    devices = KnownDevices()
    devices.set(offering("b", GPU))
    devices.set(offering("a", GPU))
    assert behind(devices, GPU) == "a"
    newer = offering("c", GPU, made="2026-01-02T00:00:00Z")
    devices.set(newer)
    assert behind(devices, GPU) == "c"
    devices.remove(newer)
    assert behind(devices, GPU) == "a"
    assert behind(devices, "deviceclass.resource.kubernetes.io/b") == "b"
    devices.set(offering("a", None))
    devices.set(offering("b", None))
    assert behind(devices, GPU) is None


@pytest.mark.parametrize(
    ("resource", "may_be"),
    [
        (GPU, True),
        ("deviceclass.resource.kubernetes.io/gpu", True),
        ("cpu", False),
        ("hugepages-2Mi", False),
        ("attachable.kubernetes.io/x", False),
    ],
)
def test_resources_of_kubernetes_itself_are_never_devices(resource: str, may_be: bool) -> None:
    assert may_be_devices(resource) == may_be


def test_of_containers_that_end_early_the_greediest_has_a_request_for_all() -> None:
    spec = PodSpec(
        init_containers=(
            container("i1", gpu="2"),
            container("i2", gpu="5"),
            container("i3", gpu="4"),
        ),
        containers=(container("c", gpu="1", cpu="1"),),
    )
    devices = KnownDevices()
    devices.set(offering("gpu", GPU))
    in_mind = own_claim(make_pod("p").info(), devices)
    found = claim_on_node(in_mind, extended_requests(spec), resources={GPU}, devices=devices)
    asked = {
        r.name: r.exactly.count for r in found.claim.spec.devices.requests if r.exactly is not None
    }
    assert asked == {"container-1-request-0": 4, "container-3-request-1": 1}
    own, extra = "container-3-request-1", "container-1-request-0"
    assert [(m.container, m.request) for m in found.mappings] == [
        ("c", own),
        ("i1", own),
        ("i1", extra),
        ("i2", own),
        ("i2", extra),
        ("i3", own),
        ("i3", extra),
    ]


@pytest.mark.parametrize(
    ("old", "new", "wakes"),
    [
        pytest.param(None, offering("gpu", GPU), True, id="a class that offers it"),
        pytest.param(None, offering("gpu", "example.com/other"), False, id="another resource"),
        pytest.param(offering("gpu", None), offering("gpu", GPU), True, id="now offered"),
        pytest.param(offering("gpu", GPU), offering("gpu", GPU), False, id="as before"),
    ],
)
def test_a_class_wakes_pods_that_ask_for_what_it_offers_now(
    old: DeviceClass | None, new: DeviceClass, wakes: bool
) -> None:
    pod = make_pod("p").req(**{GPU: "1"}).info()
    assert is_schedulable_after_class_change(pod, old, new) is wakes
