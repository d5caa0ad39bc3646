"""What plugins want done before a pod is bound: API writes, then waiting for something.

One plugin after the other, each asked only when those before it are content, as upstream
runs them. A pod that has to wait takes no place among the calls in flight.
"""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass, field

from kubegang.apimachinery.errors import ApiError
from kubegang.base.clock import Clock
from kubegang.client.interface import Client, UnreachableError
from kubegang.scheduler.binder.binding import Binding
from kubegang.scheduler.binder.changing import Changer, carry_out
from kubegang.scheduler.binder.dispatch import Dispatcher, Lane
from kubegang.scheduler.cache.cache import Cache
from kubegang.scheduler.framework.binding import NOTHING_TO_DO, PreBindPlan, PreBindPlugin
from kubegang.scheduler.framework.pods import PodUid
from kubegang.scheduler.framework.status import SUCCESS, Status, failure
from kubegang.scheduler.runtime.binding import (
    ask_pre_bind_plugin,
    pre_bind_plugins,
    pre_bind_status,
)


@dataclass(slots=True, eq=False)
class _Preparation:
    """A pod on its way.

    Attributes:
        left: plugins that were not asked yet.
        plan: of the plugin that has its turn.
        deadline: until when that may take, once its writes are made.
    """

    binding: Binding
    left: list[PreBindPlugin]
    plan: PreBindPlan = NOTHING_TO_DO
    plugin: str = ""
    deadline: float | None = None


@dataclass(slots=True, kw_only=True)
class Preparer:
    """Carries out the plans of ``pre_bind`` plugins.

    Attributes:
        prepared: called for a pod that can be bound now.
        failed: called for one that cannot.
        waits: called for one that begins to wait, since ``tick`` has a deadline more.
    """

    client: Client
    dispatcher: Dispatcher
    changer: Changer
    cache: Cache
    clock: Clock
    prepared: Callable[[Binding], None]
    failed: Callable[[Binding, Status], None]
    waits: Callable[[], None]
    _under_way: dict[PodUid, _Preparation] = field(default_factory=dict)

    def start(self, binding: Binding) -> None:
        """Prepare a pod that may be bound as far as everybody else is concerned."""
        pod = binding.queued.pod
        preparation = _Preparation(binding, list(pre_bind_plugins(binding.framework, pod)))
        self._under_way[pod.uid] = preparation
        self._go_on(preparation)

    def drop(self, uid: PodUid) -> Binding | None:
        """Stop preparing a pod, and return what it was to be bound with.

        A write that is under way is finished.
        """
        preparation = self._under_way.pop(uid, None)
        return preparation.binding if preparation else None

    def cluster_changed(self) -> None:
        """Ask again about everything that somebody waits for."""
        for preparation in list(self._under_way.values()):
            if preparation.deadline is not None:
                self._look(preparation)

    def tick(self, *, now: float) -> None:
        """Give up on what has taken too long."""
        for preparation in list(self._under_way.values()):
            if preparation.deadline is not None and preparation.deadline <= now:
                self._end(preparation, failure(preparation.plan.timeout_message))

    def next_tick(self) -> float | None:
        """Return the next deadline, or ``None``."""
        deadlines = (preparation.deadline for preparation in self._under_way.values())
        return min((d for d in deadlines if d is not None), default=None)

    # --- steps ---------------------------------------------------------------------------

    def _go_on(self, preparation: _Preparation) -> None:
        binding = preparation.binding
        while preparation.left:
            plugin = preparation.left.pop(0)
            preparation.plugin = plugin.NAME
            preparation.plan = ask_pre_bind_plugin(
                plugin,
                binding.state,
                pod=binding.queued.pod,
                node=binding.node,
                cluster=self.cache.snapshot(),
            )
            if not preparation.plan.status.is_success:
                self._end(preparation, preparation.plan.status, worded=True)
                return
            if not preparation.plan.is_empty:
                self._carry_out(preparation)
                return
        del self._under_way[binding.queued.pod.uid]
        self.prepared(binding)

    def _carry_out(self, preparation: _Preparation) -> None:
        uid = preparation.binding.queued.pod.uid
        if not preparation.plan.writes and not preparation.plan.changes:
            self._await(preparation)
            return

        async def write() -> None:
            await self._write_all(preparation)

        # Not the pod's own key: what is to be said about the pod must not be dropped for this.
        self.dispatcher.submit(("prepare", uid), write, lane=Lane.BIND)

    async def _write_all(self, preparation: _Preparation) -> None:
        for write in preparation.plan.writes:
            if not self._is_under_way(preparation):
                return
            try:
                await carry_out(self.client, write)
            except (ApiError, UnreachableError) as error:
                if self._is_under_way(preparation):
                    self._end(preparation, failure(str(error)))
                return
        for change in preparation.plan.changes:
            status = await self.changer.make(change)
            if not self._is_under_way(preparation):
                return
            if not status.is_success:
                self._end(preparation, status)
                return
        if self._is_under_way(preparation):
            self._await(preparation)

    def _await(self, preparation: _Preparation) -> None:
        preparation.deadline = self.clock.steady() + preparation.plan.timeout_seconds
        self._look(preparation)
        if self._is_under_way(preparation):
            self.waits()

    def _look(self, preparation: _Preparation) -> None:
        condition = preparation.plan.wait_for
        status = SUCCESS if condition is None else condition(self.cache.snapshot())
        if status.is_success:
            preparation.deadline = None
            self._go_on(preparation)
        elif not status.is_wait:
            self._end(preparation, status)

    def _is_under_way(self, preparation: _Preparation) -> bool:
        uid = preparation.binding.queued.pod.uid
        return self._under_way.get(uid) is preparation

    def _end(self, preparation: _Preparation, status: Status, *, worded: bool = False) -> None:
        binding = preparation.binding
        del self._under_way[binding.queued.pod.uid]
        if not worded:
            status = pre_bind_status(preparation.plugin, status)
        self.failed(binding, status)
