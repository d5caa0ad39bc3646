"""What schema validation found: failures, and how much else was right.

Of alternatives that all fail, the failures of the one with most checks passed are told, so
passed checks are counted exactly as kube-openapi counts them.

Pure.
"""

from __future__ import annotations

from collections.abc import Iterable
from typing import Any, Literal, NamedTuple

from kubegang.apimachinery.field import (
    FieldError,
    Path,
    invalid_value,
    not_supported,
    required,
    too_long,
    too_many,
    type_invalid,
)
from kubegang.apimachinery.gotext import go_json

Code = Literal["required", "enum", "too-long", "too-many", "type", "other", "general"]


class Failure(NamedTuple):
    """One demand of a schema that is not met.

    Attributes:
        where: the path of the value; a general failure has it in its text only.
        text: what kube-openapi says.
        limit: the most that was allowed, or the values that were.
    """

    code: Code
    where: str
    text: str
    value: Any = ""
    limit: Any = None


class Result:
    """The failures of one value, no text twice, and the count of passed checks."""

    __slots__ = ("_texts", "failures", "passed")

    def __init__(self, *failures: Failure, passed: int = 0) -> None:
        self.failures: list[Failure] = []
        self.passed = passed
        self._texts: set[str] = set()
        self.add(failures)

    @property
    def valid(self) -> bool:
        """Whether nothing failed."""
        return not self.failures

    def add(self, failures: Iterable[Failure]) -> None:
        """Add failures that are not told yet."""
        for failure in failures:
            if failure.text not in self._texts:
                self._texts.add(failure.text)
                self.failures.append(failure)

    def merge(self, other: Result) -> None:
        """Add what another result found and counted."""
        self.add(other.failures)
        self.passed += other.passed


def field_errors(result: Result, path: Path | None) -> list[FieldError]:
    """Return failures as field errors below a path, in the API server's words."""
    return [_field_error(failure, path) for failure in result.failures]


def _field_error(failure: Failure, path: Path | None) -> FieldError:
    where = _joined(path, failure.where if failure.code != "general" else "")
    match failure.code:
        case "required":
            return required(where)
        case "enum":
            values = [one if isinstance(one, str) else go_json(one) for one in failure.limit]
            return not_supported(where, failure.value, values)
        case "too-long":
            return too_long(where, failure.limit)
        case "too-many":
            return too_many(where, failure.value, failure.limit)
        case "type":
            return type_invalid(where, _shown(failure.value), failure.text)
    return invalid_value(where, _shown(failure.value), failure.text)


def _shown(value: Any) -> Any:
    return "" if value is None else value


def _joined(path: Path | None, where: str) -> Path:
    where = where.removeprefix(".")
    if path is None:
        return Path(where or "<nil>")
    return path.child(where) if where else path
