"""Plugins of others: Python entry points, found by name when the scheduler starts.

A distribution offers one in the group ``kubegang.plugins``: the name is the plugin's, the
object a class (or a function) that takes a ``PluginContext``. Only what a configuration names
is loaded.
"""

from __future__ import annotations

from collections.abc import Callable, Iterable, Mapping
from importlib.metadata import EntryPoint, entry_points
from typing import Any, Final

from kubegang.api.config.types import KubeSchedulerConfiguration
from kubegang.app.errors import BadInputError
from kubegang.base.logging import logger
from kubegang.scheduler.framework.errors import PluginConfigError
from kubegang.scheduler.framework.interface import Plugin, PluginContext
from kubegang.scheduler.plugins.registry import PLUGINS, PluginFactory
from kubegang.scheduler.runtime.guarding import guarded

GROUP: Final = "kubegang.plugins"

_log = logger(__name__)

FindPoints = Callable[[], Iterable[EntryPoint]]


def find_points() -> Iterable[EntryPoint]:
    """Return the entry points of all installed distributions."""
    return entry_points(group=GROUP)


def plugins_for(
    config: KubeSchedulerConfiguration, *, find: FindPoints = find_points
) -> Mapping[str, PluginFactory]:
    """Return the plugins that a configuration may name: the built-in ones, and those it names.

    Raises:
        BadInputError: a plugin that is named cannot be loaded, or is offered twice, or has a
            built-in one's name.
    """
    named = named_plugins(config)
    offered: dict[str, EntryPoint] = {}
    for point in find():
        if point.name not in named:
            continue
        if point.name in PLUGINS:
            raise BadInputError(f"{_told(point)}: a built-in plugin has this name")
        if point.name in offered:
            raise BadInputError(f"{_told(point)}: {_told(offered[point.name])} is there too")
        offered[point.name] = point
    return {**PLUGINS, **{name: _loaded(point) for name, point in offered.items()}}


def named_plugins(config: KubeSchedulerConfiguration) -> frozenset[str]:
    """Return the names of all plugins that a configuration enables somewhere."""
    return frozenset(
        plugin.name
        for profile in config.profiles
        for point in profile.plugins.__struct_fields__
        for plugin in getattr(profile.plugins, point).enabled
    )


def _loaded(point: EntryPoint) -> PluginFactory:
    try:
        factory: Any = point.load()
    except Exception as error:
        problem = f"{type(error).__name__}: {error}"
        raise BadInputError(f"{_told(point)}: cannot be loaded: {problem}") from error
    if not callable(factory):
        raise BadInputError(f"{_told(point)}: {factory!r} is neither a class nor a function")
    name = getattr(factory, "NAME", point.name)
    if name != point.name:
        raise BadInputError(f"{_told(point)}: its NAME is {name!r}, it must be the entry point's")

    def build(context: PluginContext) -> Plugin:
        try:
            return guarded(factory(context), _log.error)
        except PluginConfigError:
            raise
        except Exception as error:
            raise PluginConfigError(f"{type(error).__name__}: {error}") from error

    return build


def _told(point: EntryPoint) -> str:
    source = f" of {point.dist.name}" if point.dist is not None else ""
    return f"plugin {point.name}{source} ({point.value})"
