"""The published devices that belong to a class, whoever can reach them. Pure."""

from __future__ import annotations

from collections.abc import Iterable, Iterator
from typing import NamedTuple

from kubegang.api.core.affinity import NodeSelector
from kubegang.api.resource.selectors import SelectorError, compile_selector, device_value
from kubegang.api.resource.types import Device, DeviceClass, ResourceSlice, ResourceSliceSpec
from kubegang.scheduler.framework.devices import DeviceId


class ClassDevice(NamedTuple):
    """A device, and where it was published."""

    id: DeviceId
    device: Device
    spec: ResourceSliceSpec

    @property
    def node_name(self) -> str:
        """The one node that reaches it, empty if that is said otherwise."""
        return self._place.node_name

    @property
    def all_nodes(self) -> bool:
        """Whether every node reaches it."""
        return bool(self._place.all_nodes)

    @property
    def node_selector(self) -> NodeSelector | None:
        """Which nodes reach it, if neither one nor all."""
        return self._place.node_selector

    @property
    def _place(self) -> Device | ResourceSliceSpec:
        return self.device if self.spec.per_device_node_selection else self.spec


def devices_of(offered: DeviceClass, slices: Iterable[ResourceSlice]) -> Iterator[ClassDevice]:
    """Yield the devices that the expressions of a class select.

    One of which an expression has no value belongs to no class: whoever asks for it is told
    when devices are allocated.
    """
    for one in slices:
        spec = one.spec
        for device in spec.devices:
            if _is_of(offered, spec.driver, device):
                yield ClassDevice(DeviceId(spec.driver, spec.pool.name, device.name), device, spec)


def _is_of(offered: DeviceClass, driver: str, device: Device) -> bool:
    try:
        return all(
            compile_selector(selector.cel.expression).matches(device_value(driver, device))
            for selector in offered.spec.selectors
            if selector.cel is not None
        )
    except SelectorError:
        return False
