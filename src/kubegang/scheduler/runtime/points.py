"""Which plugins run at which extension point, in which order and with which weight.

Plugins that a profile names for all points come first in its order, except those that it also
names for one point: their order there is that of the naming. The rules and the texts of
mistakes are kube-scheduler's (measured on 1.37.2). Pure.
"""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from typing import Any, Final

from kubegang.api.profile import NO_CHANGES, PluginWeight, PointChanges
from kubegang.scheduler.framework.errors import PluginConfigError
from kubegang.scheduler.framework.interface import MAX_NODE_SCORE, Plugin

_MAX_TOTAL: Final = 2**63 - 1


class Points:
    """The plugins of one profile, to be asked for by extension point."""

    def __init__(
        self,
        plugins: Sequence[Plugin],
        *,
        everywhere: Sequence[PluginWeight],
        changes: Mapping[str, PointChanges],
    ) -> None:
        """Take the plugins and what a profile says about them.

        Args:
            plugins: those that could be made.
            everywhere: the plugins at all points, in order.
            changes: what is different at single points, by the point's name.
        """
        self._plugins = {plugin.NAME: plugin for plugin in plugins}
        self._everywhere = tuple(everywhere)
        self._changes = changes
        self._known: dict[tuple[str, Any], bool] = {}

    def at(self, point: str, kind: Any) -> tuple[Any, ...]:
        """Return the plugins that run at a point, in order.

        Args:
            point: named as in KubeSchedulerConfiguration.
            kind: the Protocol of the point, or a union of several; what is returned fulfils it.

        Raises:
            PluginConfigError: a plugin that is named does not exist or does not know this
                point, or is named twice.
        """
        return tuple(self._instance(name, point, kind) for name in self._names(point, kind))

    def weights(self, point: str, kind: Any, *, told_as: str) -> Mapping[str, int]:
        """Return the weights of the plugins at a point that scores; 0 means 1.

        Args:
            point: named as in KubeSchedulerConfiguration.
            kind: the Protocol of the point.
            told_as: what such plugins are called where the weights are refused.

        Raises:
            PluginConfigError: the sum of the scores would leave 64 bits.
        """
        weights: dict[str, int] = {}
        total = 0
        for named in (*self._changes.get(point, NO_CHANGES).enabled, *self._everywhere):
            if named.name in weights or not self._fulfils(named.name, kind):
                continue
            weight = weights[named.name] = named.weight or 1
            if total < 0 or weight * MAX_NODE_SCORE > _MAX_TOTAL - total:
                raise PluginConfigError(
                    f"{told_as} plugins: total score of Score plugins could overflow"
                )
            total += weight * MAX_NODE_SCORE
        return weights

    def _names(self, point: str, kind: Any) -> Iterator[str]:
        """Yield names: those of this point that run everywhere, the others, the rest."""
        changes = self._changes.get(point, NO_CHANGES)
        own = [plugin.name for plugin in changes.enabled]
        for name in own:
            self._instance(name, point, kind)
        _refuse_twice(own, point)
        if "*" in changes.disabled:
            yield from own
            return
        common = self._common(point, kind, without=changes.disabled)
        yield from (name for name in own if name in common)
        yield from (name for name in common if name not in own)
        yield from (name for name in own if name not in common)

    def _common(self, point: str, kind: Any, *, without: frozenset[str]) -> list[str]:
        names = []
        for plugin in self._everywhere:
            if plugin.name not in self._plugins:
                raise PluginConfigError(f'{_type_name(point)} "{plugin.name}" does not exist')
            if self._fulfils(plugin.name, kind) and plugin.name not in without:
                names.append(plugin.name)
        _refuse_twice(names, point)
        return names

    def _fulfils(self, name: str, kind: Any) -> bool:
        """Return whether a plugin fulfils a Protocol.

        Asked anew each time, that was most of what building a framework took.
        """
        known = self._known.get((name, kind))
        if known is None:
            known = self._known[name, kind] = isinstance(self._plugins.get(name), kind)
        return known

    def _instance(self, name: str, point: str, kind: Any) -> Plugin:
        plugin = self._plugins.get(name)
        if plugin is None:
            raise PluginConfigError(f'{_type_name(point)} "{name}" does not exist')
        if not self._fulfils(name, kind):
            raise PluginConfigError(f'plugin "{name}" does not extend {_type_name(point)} plugin')
        found: Plugin = plugin
        return found


def _refuse_twice(names: Sequence[str], point: str) -> None:
    for position, name in enumerate(names):
        if name in names[:position]:
            raise PluginConfigError(f'plugin "{name}" already registered as "{_type_name(point)}"')


def _type_name(point: str) -> str:
    """Return what upstream's texts call the plugins of a point: ``PreFilterPlugin``."""
    return f"{point[0].upper()}{point[1:]}Plugin"
