"""Scheduler profiles ready to decide, with and without making room. Pure."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from functools import cached_property
from typing import Final, NamedTuple

import msgspec

from kubegang.api.profile import PointChanges, SchedulerProfile
from kubegang.scheduler.frameworks import PluginArgs, build_frameworks
from kubegang.scheduler.plugins.registry import PLUGINS, PluginFactory
from kubegang.scheduler.queue.rules import QueueRules
from kubegang.scheduler.runtime.framework import Framework

_ROOM_MAKERS: Final = ("postFilter", "podGroupPostFilter")
_NONE: Final = PointChanges(disabled=frozenset({"*"}))


class Decider(NamedTuple):
    """What decides for one schedulerName."""

    profile: SchedulerProfile
    framework: Framework


class Deciders:
    """What decides, by schedulerName; built when it is asked for, since that takes a while."""

    def __init__(
        self,
        profiles: Sequence[SchedulerProfile],
        *,
        args: Mapping[str, PluginArgs],
        plugins: Mapping[str, PluginFactory] = PLUGINS,
    ) -> None:
        """Take profiles; what of the release the first one says is true of all."""
        self.main = profiles[0]
        self._profiles = tuple(profiles)
        self._args = args
        self._plugins = plugins

    @property
    def names(self) -> tuple[str, ...]:
        """The schedulerNames that are served."""
        return tuple(profile.scheduler_name for profile in self._profiles)

    def profile(self, name: str) -> SchedulerProfile:
        """Return a profile; the first one for a name that is not served."""
        return next((p for p in self._profiles if p.scheduler_name == name), self.main)

    @cached_property
    def whole(self) -> Mapping[str, Decider]:
        """As the scheduler itself.

        Raises:
            PluginConfigError: a profile's plugins cannot be built.
        """
        return self._ready(self._profiles)

    @cached_property
    def without_room(self) -> Mapping[str, Decider]:
        """The same, but nobody is evicted.

        Tells whether a pod or group fits as things are, for a small part of the time.

        Raises:
            PluginConfigError: a profile's plugins cannot be built.
        """
        return self._ready([_without_room_makers(profile) for profile in self._profiles])

    @cached_property
    def rules(self) -> Mapping[str, QueueRules]:
        """What the queue asks; who makes room makes no difference to it."""
        return {n: QueueRules.of(d.profile, d.framework) for n, d in self.without_room.items()}

    def _ready(self, profiles: Sequence[SchedulerProfile]) -> dict[str, Decider]:
        frameworks = build_frameworks(profiles, args=self._args, plugins=self._plugins)
        return {p.scheduler_name: Decider(p, frameworks[p.scheduler_name]) for p in profiles}


def _without_room_makers(profile: SchedulerProfile) -> SchedulerProfile:
    points = {**profile.points, **dict.fromkeys(_ROOM_MAKERS, _NONE)}
    return msgspec.structs.replace(profile, points=points)
