"""Published devices by pool; slices of an older generation do not count. Pure."""

from __future__ import annotations

from collections.abc import Iterator

from kubegang.apimachinery.objects import JsonObject
from kubegang.controllers.devicetainteviction.taints import Device, Reason, taints_of_driver

_Id = tuple[str, str]


class Pools:
    """All slices, by driver and pool; ``_published`` has the devices that count, by name."""

    def __init__(self) -> None:
        self._slices: dict[_Id, dict[str, JsonObject]] = {}
        self._published: dict[_Id, dict[str, JsonObject]] = {}

    def replace(self, old: JsonObject | None, new: JsonObject | None) -> set[Device]:
        """Take over what became of a slice; return the devices whose evicting taints changed."""
        known = {_id(one) for one in (old, new) if one is not None}
        before = self._evicting(known)
        if old is not None:
            self._slices.get(_id(old), {}).pop(old["metadata"]["name"], None)
        if new is not None:
            self._slices.setdefault(_id(new), {})[new["metadata"]["name"]] = new
        for pool in known:
            self._publish(pool)
        after = self._evicting(known)
        devices = before.keys() | after.keys()
        return {device for device in devices if before.get(device) != after.get(device)}

    def find(self, device: Device) -> JsonObject | None:
        """Return a device as its driver publishes it now, ``None`` if it does not."""
        return self._published.get((device.driver, device.pool), {}).get(device.name)

    def devices(self) -> Iterator[Device]:
        """Yield every device that is published."""
        for pool, published in self._published.items():
            for name in published:
                yield Device(*pool, name)

    def taints(self, device: Device) -> list[tuple[Reason, JsonObject]]:
        """Return the taints that a driver put on a device and that drive pods away."""
        published = self.find(device)
        return [] if published is None else list(taints_of_driver(published, device))

    def _evicting(self, pools: set[_Id]) -> dict[Device, list[tuple[Reason, JsonObject]]]:
        devices = (Device(*pool, name) for pool in pools for name in self._published.get(pool, ()))
        return {device: taints for device in devices if (taints := self.taints(device))}

    def _publish(self, pool: _Id) -> None:
        """Find out anew which devices of a pool count: those of its newest generation."""
        slices = self._slices.get(pool)
        if not slices:
            self._slices.pop(pool, None)
            self._published.pop(pool, None)
            return
        newest = max(_generation(one) for one in slices.values())
        self._published[pool] = {
            device["name"]: device
            for one in slices.values()
            if _generation(one) == newest
            for device in one["spec"].get("devices") or ()
        }


def _id(published: JsonObject) -> _Id:
    spec = published["spec"]
    return spec["driver"], spec["pool"]["name"]


def _generation(published: JsonObject) -> int:
    return int(published["spec"]["pool"].get("generation") or 0)
