"""Plugins of others, held to their promises.

What a plugin raises, or answers in a shape that it may not, ends the attempt with a sentence
that names plugin and extension point; it never ends the scheduler. Where an attempt cannot be
ended (a pod that waits outside the queue, a pod that is being bound), the guard answers as
kube-scheduler treats an error there, and reports it. Built-in plugins are not guarded: what
they get wrong is our bug. Pure, but for the report.
"""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from typing import Any, Final

import numpy as np

from kubegang.scheduler.framework.binding import ApiChange, PermitResult, PreBindPlan
from kubegang.scheduler.framework.errors import PluginFailedError
from kubegang.scheduler.framework.events import ClusterObject, HintRegistration
from kubegang.scheduler.framework.interface import BindingRequest, Plugin, PreFilterResult
from kubegang.scheduler.framework.pods import PodInfo
from kubegang.scheduler.framework.postfilter import PodGroupPostFilterResult, PostFilterResult
from kubegang.scheduler.framework.status import Status, failure

Report = Callable[[str], None]
Check = Callable[[Any, Mapping[str, Any]], str]
"""Says what is wrong with an answer to these arguments, or nothing."""


def _is_a(*kinds: type) -> Check:
    wanted = " or ".join("nothing" if kind is type(None) else kind.__name__ for kind in kinds)

    def check(answer: Any, arguments: Mapping[str, Any]) -> str:
        return "" if isinstance(answer, kinds) else f"needed {wanted}, not {answer!r}"

    return check


def _array(kind: str, name: str) -> Check:
    def check(answer: Any, arguments: Mapping[str, Any]) -> str:
        if not isinstance(answer, np.ndarray) or answer.dtype.kind not in kind:
            return f"needed an array of {name}, not {answer!r}"
        count = _count(arguments)
        if count is not None and answer.shape != (count,):
            return f"needed {count} {name}, not an array of shape {answer.shape}"
        return ""

    return check


def _count(arguments: Mapping[str, Any]) -> int | None:
    """Return how many nodes were asked about."""
    rows = arguments.get("rows", arguments.get("scores"))
    if isinstance(rows, slice):
        size: int = arguments["cluster"].nodes.size
        return len(range(*rows.indices(size)))
    return None if rows is None else len(rows)


def _sequence_of(kind: type) -> Check:
    def check(answer: Any, arguments: Mapping[str, Any]) -> str:
        if isinstance(answer, Sequence) and all(isinstance(item, kind) for item in answer):
            return ""
        return f"needed a sequence of {kind.__name__}, not {answer!r}"

    return check


def _with_status(answer: Any, arguments: Mapping[str, Any]) -> str:
    if isinstance(answer, tuple) and len(answer) == 2 and isinstance(answer[0], Status):
        return ""
    return f"needed a pair that begins with a Status, not {answer!r}"


def _anything(answer: Any, arguments: Mapping[str, Any]) -> str:
    return ""


_STATUS: Final = _is_a(Status)

_CHECKS: Final[Mapping[str, Check]] = {
    "pre_enqueue": _STATUS,
    "queueing_hints": _sequence_of(HintRegistration),
    "queue_sort": _is_a(tuple),
    "sign_pod": _anything,
    "pre_filter": _is_a(PreFilterResult),
    "filter": _array("b", "truth values"),
    "refusals": _anything,
    "filter_key": _anything,
    "filter_node": _STATUS,
    "post_filter": _is_a(PostFilterResult),
    "pod_group_post_filter": _is_a(PodGroupPostFilterResult),
    "pre_score": _STATUS,
    "score": _array("iu", "integers"),
    "score_key": _anything,
    "normalize_score": _array("iu", "integers"),
    "generate_placements": _with_status,
    "placement_feasible": _STATUS,
    "score_placement": _with_status,
    "normalize_placement_scores": _with_status,
    "reserve": _STATUS,
    "unreserve": _is_a(type(None)),
    "permit": _is_a(PermitResult),
    "pre_bind": _is_a(PreBindPlan),
    "take_back": _sequence_of(ApiChange),
    "bind": _is_a(BindingRequest, type(None)),
    "post_bind": _is_a(type(None)),
}
"""The methods of all extension points."""

_HINTS: Final = "queueing_hints"

_INSTEAD: Final[Mapping[str, Callable[[str], Any]]] = {
    "pre_enqueue": failure,
    "queueing_hints": lambda text: (),
    "queue_sort": lambda text: (0.0,),
    "unreserve": lambda text: None,
    "reserve": failure,
    "permit": lambda text: PermitResult(failure(text)),
    "pre_bind": lambda text: PreBindPlan(failure(text)),
    "take_back": lambda text: (),
    "bind": lambda text: None,
    "post_bind": lambda text: None,
}
"""What is answered in place of a plugin where no attempt can be ended."""


def guarded(plugin: Plugin, report: Report) -> Plugin:
    """Return a plugin that does what another does, as long as that keeps its promises.

    Args:
        plugin: somebody else's.
        report: told what goes wrong where nobody else is.
    """
    source = type(plugin)
    members: dict[str, Any] = {
        name: value
        for name, value in vars(source).items()
        if name.isupper() and not name.startswith("_")
    }
    members["NAME"] = plugin.NAME
    for name, check in _CHECKS.items():
        method = getattr(plugin, name, None)
        if callable(method):
            members[name] = staticmethod(_guard(plugin.NAME, name, method, check, report=report))
    made: Plugin = type(f"Guarded{source.__name__}", (), members)()
    return made


def _guard(
    plugin: str, point: str, method: Callable[..., Any], check: Check, *, report: Report
) -> Callable[..., Any]:
    def call(*positional: Any, **arguments: Any) -> Any:
        try:
            answer = method(*positional, **arguments)
        except PluginFailedError:
            raise
        except Exception as error:  # noqa: BLE001 - the guard that this module is
            return _failed(plugin, point, f"{type(error).__name__}: {error}", report=report)
        problem = check(answer, arguments)
        if problem:
            return _failed(plugin, point, problem, report=report)
        if point == _HINTS:
            return tuple(_guarded_hint(plugin, hint, report=report) for hint in answer)
        return answer

    return call


def _guarded_hint(
    plugin: str, registration: HintRegistration, *, report: Report
) -> HintRegistration:
    """Return the registration with a question that never raises; a failure is a yes."""
    question = registration.is_schedulable_after
    if question is None:
        return registration

    def ask(pod: PodInfo, old: ClusterObject | None, new: ClusterObject | None) -> bool:
        try:
            return bool(question(pod, old, new))
        except Exception as error:  # noqa: BLE001 - the guard that this module is
            report(f'plugin "{plugin}" failed at a queueing hint: {type(error).__name__}: {error}')
            return True

    return registration._replace(is_schedulable_after=ask)


def _failed(plugin: str, point: str, problem: str, *, report: Report) -> Any:
    text = f'plugin "{plugin}" failed at {point}: {problem}'
    instead = _INSTEAD.get(point)
    if instead is None:
        raise PluginFailedError(text)
    report(text)
    return instead(text)
