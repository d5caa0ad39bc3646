"""What a node's annotation says of its devices, and the slices made from it."""

from __future__ import annotations

import pytest

from kubegang.nodesim.annotations import AnnotationError
from kubegang.nodesim.devices import DEVICES, Devices, devices_of, slices_of

NODE = {"name": "n1", "uid": "u1"}


def test_attributes_keep_their_kinds() -> None:
    devices = Devices(
        driver="gpu.example.com",
        count=1,
        attributes={"model": "a100", "cores": 108, "shared": True, "fw": {"version": "1.2.3"}},
        capacity={"memory": "40Gi", "slots": 7},
    )
    (made,) = slices_of(NODE, [devices], generation=1)
    assert made["spec"]["devices"] == [
        {
            "name": "device-0",
            "attributes": {
                "model": {"string": "a100"},
                "cores": {"int": 108},
                "shared": {"bool": True},
                "fw": {"version": "1.2.3"},
            },
            "capacity": {"memory": {"value": "40Gi"}, "slots": {"value": "7"}},
        }
    ]


def test_devices_of_one_driver_share_a_pool_and_have_names_of_their_own() -> None:
    kinds = [
        Devices(driver="gpu.example.com", count=1, name="gpu"),
        Devices(driver="gpu.example.com", count=2, name="gpu"),
        Devices(driver="nic.example.com", count=1, name="nic"),
    ]
    names = {
        made["spec"]["driver"]: [device["name"] for device in made["spec"]["devices"]]
        for made in slices_of(NODE, kinds, generation=1)
    }
    assert names == {"gpu.example.com": ["gpu-0", "gpu-1", "gpu-2"], "nic.example.com": ["nic-0"]}


@pytest.mark.parametrize(
    ("text", "problem"),
    [
        ("{", "annotation kubegang.dev/devices"),
        ('[{"driver": "d.io"}]', "missing required field `count`"),
        ('[{"driver": "d.io", "count": -1}]', r"\[0\].count: need 0 or more"),
        (
            '[{"driver": "d.io", "count": 1, "attributes": {"a": {"b": "c"}}}]',
            r"\[0\].attributes\[a\]",
        ),
    ],
)
def test_an_annotation_that_cannot_be_read_says_why(text: str, problem: str) -> None:
    with pytest.raises(AnnotationError, match=problem):
        devices_of({DEVICES: text})
