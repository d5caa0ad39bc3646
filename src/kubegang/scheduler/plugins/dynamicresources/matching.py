"""Whether a device fits a request, whatever else is allocated. Pure.

What an expression says of a device is worked out once per search.
"""

from __future__ import annotations

from collections.abc import Sequence

from kubegang.api.resource.selectors import (
    DeviceValue,
    SelectorError,
    compile_selector,
    device_value,
)
from kubegang.api.resource.types import DeviceSelector, DeviceTaint, DeviceToleration
from kubegang.apimachinery.cel.messages import MISSING_KEY_ADVICE
from kubegang.scheduler.framework.devices import DeviceId
from kubegang.scheduler.framework.nodes import NodeInfo
from kubegang.scheduler.plugins.dynamicresources.pools import Candidate, device_is_reached
from kubegang.scheduler.plugins.dynamicresources.requests import (
    AllocationError,
    AllocationRules,
    DeviceFeatures,
    Wanted,
)

_PREVENTING = ("NoSchedule", "NoExecute")


class Matcher:
    """Answers for one node."""

    def __init__(self, node: NodeInfo, features: DeviceFeatures, *, rules: AllocationRules) -> None:
        self._node = node
        self._rules = rules
        self._features = features
        self._answers: dict[tuple[DeviceId, str, str], bool] = {}
        self._values: dict[DeviceId, DeviceValue] = {}

    def selects(self, claim: str, wanted: Wanted, candidate: Candidate) -> bool:
        """Return whether class, request and node accept a device.

        Args:
            claim: namespace and name of the claim, for texts.
            wanted: the request.
            candidate: the device.

        Raises:
            AllocationError: an expression is none, or has no value for the device.
        """
        if candidate.device.binding_conditions and not self._features.binding_conditions:
            return False
        key = (candidate.id, claim, wanted.result_name)
        answer = self._answers.get(key)
        if answer is None:
            answer = self._answers[key] = self._selects(claim, wanted, candidate)
        return answer

    def _selects(self, claim: str, wanted: Wanted, candidate: Candidate) -> bool:
        of_class = wanted.device_class
        return (
            self._all(f"class {of_class.metadata.name}", of_class.spec.selectors, candidate)
            and self._all(f"claim {claim}", wanted.selectors, candidate)
            and device_is_reached(candidate, self._node)
        )

    def _all(self, owner: str, selectors: Sequence[DeviceSelector], candidate: Candidate) -> bool:
        for position, selector in enumerate(selectors):
            where = f"{owner}: selector #{position}"
            expression = selector.cel.expression if selector.cel is not None else ""
            try:
                program = compile_selector(expression)
            except SelectorError as error:
                raise AllocationError(f"{where}: CEL compile error: {error}") from error
            try:
                if not program.matches(self._value(candidate)):
                    return False
            except SelectorError as error:
                raise AllocationError(f"{where}{self._runtime_text(candidate, error)}") from error
        return True

    def _runtime_text(self, candidate: Candidate, error: SelectorError) -> str:
        if self._rules.runtime_errors_name_the_device:
            return f" on device {candidate.id}: CEL runtime error: {error}"
        return f": CEL runtime error: {str(error).removesuffix(MISSING_KEY_ADVICE)}"

    def _value(self, candidate: Candidate) -> DeviceValue:
        value = self._values.get(candidate.id)
        if value is None:
            value = device_value(candidate.id.driver, candidate.device)
            self._values[candidate.id] = value
        return value


def is_tainted(candidate: Candidate, wanted: Wanted) -> bool:
    """Return whether a taint keeps a device from the request."""
    return any(
        taint.effect in _PREVENTING
        and not any(tolerates(toleration, taint) for toleration in wanted.tolerations)
        for taint in candidate.device.taints
    )


def tolerates(toleration: DeviceToleration, taint: DeviceTaint) -> bool:
    """Return whether a toleration covers a taint; empty effect and key cover all."""
    if toleration.effect and toleration.effect != taint.effect:
        return False
    if toleration.key and toleration.key != taint.key:
        return False
    if toleration.operator in ("", "Equal"):
        return toleration.value == taint.value
    return toleration.operator == "Exists"
