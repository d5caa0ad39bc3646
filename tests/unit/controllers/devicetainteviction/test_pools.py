"""Which taints published devices have."""

from __future__ import annotations

from kubegang.controllers.devicetainteviction.pools import Pools
from kubegang.controllers.devicetainteviction.taints import Device
from tests.component.claimobjects import Json
from tests.component.taintobjects import DRIVER, slice_of, taint

D0 = Device(DRIVER, "n1", "d0")
D1 = Device(DRIVER, "n1", "d1")


def of_generation(number: int, published: Json, *, name: str = "s") -> Json:
    published["spec"]["pool"]["generation"] = number
    published["metadata"]["name"] = name
    return published


def test_only_devices_whose_evicting_taints_change_are_told() -> None:
    pools = Pools()
    first = slice_of(d0=[taint("hot")], d1=[taint("hot", "NoSchedule")])
    assert pools.replace(None, first) == {D0}
    second = slice_of(d0=[taint("hot")], d1=[taint("hot", "None")])
    assert pools.replace(first, second) == set()
    assert pools.replace(second, slice_of(d0=[], d1=[taint("hot")])) == {D0, D1}


def test_slices_of_an_older_generation_do_not_count() -> None:
    pools = Pools()
    old = of_generation(1, slice_of(d0=[taint("hot")]))
    new = of_generation(2, slice_of(d1=[]), name="t")
    pools.replace(None, old)
    assert pools.replace(None, new) == {D0}
    assert pools.find(D0) is None
    assert list(pools.devices()) == [D1]

    assert pools.replace(new, None) == {D0}
    assert pools.taints(D0)
