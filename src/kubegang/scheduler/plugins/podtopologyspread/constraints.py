"""Which constraints hold for a pod: its own, or the profile's with a deduced selector. Pure."""

from __future__ import annotations

from collections.abc import Sequence

from kubegang.scheduler.framework.pods import PodInfo
from kubegang.scheduler.framework.podterms import equal_labels, spread_constraint
from kubegang.scheduler.framework.terms import Requirement, SpreadConstraint
from kubegang.scheduler.framework.workloads import Directory
from kubegang.scheduler.plugins.podtopologyspread.arguments import PodTopologySpreadArgs


class ConstraintSource:
    """Finds a pod's constraints.

    Attributes:
        is_system: whether pods without constraints get the built-in ones.
        default_hard: what else pods without constraints must keep; selectors are missing.
        default_soft: what scores for pods without constraints; selectors are missing.
    """

    def __init__(self, args: PodTopologySpreadArgs) -> None:
        defaults = tuple(spread_constraint(constraint, {}) for constraint in args.constraints)
        self.is_system = args.is_system
        self.default_hard = tuple(c for c in defaults if c.hard)
        self.default_soft = tuple(c for c in defaults if not c.hard)

    @property
    def has_defaults(self) -> bool:
        """Whether pods without constraints may get some."""
        return bool(self.default_hard or self.default_soft)

    def hard(self, pod: PodInfo, directory: Directory) -> Sequence[SpreadConstraint]:
        """Return what must hold for a pod."""
        if pod.spread:
            return [constraint for constraint in pod.spread if constraint.hard]
        return _completed(self.default_hard, pod, directory)

    def soft(self, pod: PodInfo, directory: Directory) -> Sequence[SpreadConstraint]:
        """Return what scores for a pod."""
        if pod.spread:
            return [constraint for constraint in pod.spread if not constraint.hard]
        return _completed(self.default_soft, pod, directory)

    def needs_every_key(self, pod: PodInfo) -> bool:
        """Return whether a node that lacks one of the labels scores nothing at all.

        Not so for the built-in constraints: nodes without zones are spread over all the same.
        """
        return bool(pod.spread) or not self.is_system


def _completed(
    defaults: tuple[SpreadConstraint, ...], pod: PodInfo, directory: Directory
) -> Sequence[SpreadConstraint]:
    selector = deduced_selector(pod, directory) if defaults else None
    if not selector:
        # Nothing says which pods belong together with this one.
        return ()
    return [constraint._replace(selector=selector) for constraint in defaults]


def deduced_selector(pod: PodInfo, directory: Directory) -> tuple[Requirement, ...]:
    """Return what the Services of a pod and its controller select by; empty if nothing."""
    services = directory.services_of(pod)
    controller = None if pod.controller is None else directory.controller(pod.controller)
    if not services and controller is None:
        return ()
    requirements = {r for service in services for r in equal_labels(service.labels)}
    if controller is not None:
        requirements.update(controller.selector or ())
    return tuple(sorted(requirements))
