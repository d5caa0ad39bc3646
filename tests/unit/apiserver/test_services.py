from __future__ import annotations

import random
from typing import Any

import pytest

from kubegang.api.defaults.services import default_service
from kubegang.apimachinery.errors import ApiError, InvalidError
from kubegang.apimachinery.objects import GroupVersionKind, JsonObject
from kubegang.apiserver import codec
from kubegang.apiserver.services.allocation import allocate
from kubegang.apiserver.services.pool import NODE_PORTS, Reservation, ServicePool
from kubegang.base.feature_gates import FeatureGates
from kubegang.store.memory import MemoryStore

SERVICE = GroupVersionKind("", "v1", "Service")


def service(name: str = "s", **spec: Any) -> JsonObject:
    obj = {
        "apiVersion": "v1",
        "kind": "Service",
        "metadata": {"name": name},
        "spec": {"ports": [{"port": 80}], **spec},
    }
    default_service(obj, FeatureGates({}))
    return obj


def new_pool(store: MemoryStore | None = None) -> ServicePool:
    return ServicePool(store or MemoryStore(), random.Random(1))


def allocated(pool: ServicePool, obj: JsonObject, old: JsonObject | None = None) -> JsonObject:
    """Allocate for a write that stays under way."""
    allocate(pool, Reservation(), obj, old)
    spec: JsonObject = obj["spec"]
    return spec


def test_a_service_gets_an_address_of_one_family() -> None:
    spec = allocated(new_pool(), service())
    assert spec["clusterIP"].startswith("10.0.0.")
    assert spec["clusterIPs"] == [spec["clusterIP"]]
    assert (spec["ipFamilies"], spec["ipFamilyPolicy"]) == (["IPv4"], "SingleStack")


def test_no_address_is_given_out_twice_and_then_there_are_none() -> None:
    pool = new_pool()
    addresses = [allocated(pool, service(f"s{n}"))["clusterIP"] for n in range(254)]
    assert len(set(addresses)) == 254
    # Those that people like to pick go last.
    assert all(int(address.rpartition(".")[2]) > 16 for address in addresses[:238])
    with pytest.raises(ApiError, match="range is full"):
        allocated(pool, service("one-too-many"))


async def test_a_stored_service_keeps_its_address_from_others() -> None:
    store = MemoryStore()
    taken = service("taken", clusterIP="10.0.0.7", clusterIPs=["10.0.0.7"])
    await store.create("/core/services/default/taken", codec.encoder(taken, SERVICE))
    with pytest.raises(InvalidError, match="provided IP is already allocated"):
        allocated(new_pool(store), service(clusterIP="10.0.0.7"))


def test_what_a_write_took_is_free_again_when_it_is_given_up() -> None:
    pool, reservation = new_pool(), Reservation()
    allocate(pool, reservation, service(clusterIP="10.0.0.7"), None)
    assert pool.has_address("10.0.0.7")
    pool.release(reservation)
    assert not pool.has_address("10.0.0.7")


@pytest.mark.parametrize(
    ("spec", "problem"),
    [
        ({"clusterIP": "10.0.1.5"}, "the provided network does not match the current range"),
        ({"clusterIP": "x"}, "must be a valid IP address"),
        ({"ipFamilies": ["IPv6"]}, r"spec.ipFamilies\[0\]: Invalid value: .*not configured"),
        ({"ipFamilyPolicy": "RequireDualStack"}, "not configured for dual-stack"),
        ({"clusterIP": "2001:db8::1"}, "IPv6 is not configured on this cluster"),
        ({"type": "NodePort", "ports": [{"port": 1, "nodePort": 80}]}, "not in the valid range"),
    ],
)
def test_what_cannot_be_had_is_refused(spec: JsonObject, problem: str) -> None:
    with pytest.raises(InvalidError, match=problem):
        allocated(new_pool(), service(**spec))


def test_a_headless_service_without_selector_has_both_families_and_no_address() -> None:
    spec = allocated(new_pool(), service(clusterIP="None"))
    assert spec["clusterIPs"] == ["None"]
    assert (spec["ipFamilies"], spec["ipFamilyPolicy"]) == (["IPv4", "IPv6"], "RequireDualStack")


def test_node_ports_are_different_but_one_for_both_protocols_of_a_port() -> None:
    ports = [
        {"name": "t", "port": 53, "protocol": "TCP"},
        {"name": "u", "port": 53, "protocol": "UDP"},
        {"name": "h", "port": 80},
    ]
    spec = allocated(new_pool(), service(type="NodePort", ports=ports))
    tcp, udp, http = (port["nodePort"] for port in spec["ports"])
    assert tcp == udp != http
    assert {tcp, http} <= set(NODE_PORTS)


def test_an_update_keeps_what_it_leaves_out() -> None:
    pool = new_pool()
    old = service(type="NodePort")
    allocated(pool, old)
    spec = allocated(pool, service(type="NodePort", ports=[{"port": 8080}]), old)
    assert spec["clusterIP"] == old["spec"]["clusterIP"]
    assert spec["ports"][0]["nodePort"] == old["spec"]["ports"][0]["nodePort"]


def test_an_address_that_only_old_clients_read_is_given_where_that_is_fine() -> None:
    """Measured on 1.35.4, where StrictIPCIDRValidation is off."""
    lenient = ServicePool(MemoryStore(), random.Random(1), any_form=True)
    obj = service(clusterIP="010.0.0.7")
    allocate(lenient, Reservation(), obj, None)
    assert obj["spec"]["clusterIPs"] == ["010.0.0.7"]
    with pytest.raises(InvalidError, match="must not have leading 0s"):
        allocate(new_pool(), Reservation(), service(clusterIP="010.0.0.7"), None)
