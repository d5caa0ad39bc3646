"""Label selectors: what they match, and how they are written.

Two sources give the same ``Selector``: the text of a ``labelSelector`` query parameter
(``parse_label_selector``) and a ``metav1.LabelSelector`` object (``label_selector_of``).

Pure.
"""

from __future__ import annotations

from collections.abc import Iterable, Mapping, Sequence
from typing import Final, NamedTuple

from kubegang.apimachinery.field import FieldError, Path, invalid_value
from kubegang.apimachinery.gointegers import parse_int64
from kubegang.apimachinery.labelsyntax import Operator, SelectorError, Term, parse_terms
from kubegang.apimachinery.names import is_label_value, is_qualified_name
from kubegang.apimachinery.objects import JsonObject

__all__ = [
    "Requirement",
    "Selector",
    "SelectorError",
    "format_label_selector",
    "label_selector_of",
    "parse_label_selector",
]

_OBJECT_OPERATORS: Final[Mapping[str, Operator]] = {
    "In": "in",
    "NotIn": "notin",
    "Exists": "exists",
    "DoesNotExist": "!",
}


class Requirement(NamedTuple):
    """One condition on one label."""

    key: str
    operator: Operator
    values: frozenset[str]

    def matches(self, labels: Mapping[str, str]) -> bool:
        """Return whether an object with these labels meets the condition."""
        value = labels.get(self.key)
        match self.operator:
            case "=" | "==" | "in":
                return value in self.values
            case "!=" | "notin":
                return value not in self.values
            case "exists":
                return value is not None
            case "!":
                return value is None
        return value is not None and self._compares(value)

    def _compares(self, value: str) -> bool:
        # Node affinity is not checked for numbers when it is written.
        bound = parse_int64(next(iter(self.values), ""))
        number = parse_int64(value)
        if number is None or bound is None:
            return False
        return number > bound if self.operator == "gt" else number < bound

    def __str__(self) -> str:
        values = ",".join(sorted(self.values))
        match self.operator:
            case "exists":
                return self.key
            case "!":
                return f"!{self.key}"
            case "in" | "notin":
                return f"{self.key} {self.operator} ({values})"
            case "gt" | "lt":
                return f"{self.key}{'>' if self.operator == 'gt' else '<'}{values}"
        return f"{self.key}{self.operator}{values}"


class Selector:
    """Requirements that an object must meet all of; the empty selector matches everything."""

    __slots__ = ("_nothing", "requirements")

    def __init__(self, requirements: Iterable[Requirement] = (), *, nothing: bool = False) -> None:
        self.requirements = tuple(sorted(requirements, key=lambda requirement: requirement.key))
        self._nothing = nothing

    @property
    def empty(self) -> bool:
        """Whether everything matches."""
        return not self.requirements and not self._nothing

    def matches(self, labels: Mapping[str, str]) -> bool:
        """Return whether an object with these labels is selected."""
        if self._nothing:
            return False
        return all(requirement.matches(labels) for requirement in self.requirements)

    def __str__(self) -> str:
        return ",".join(str(requirement) for requirement in self.requirements)

    def __repr__(self) -> str:
        return f"<Selector nothing={self._nothing} {str(self)!r}>"


NOTHING: Final = Selector(nothing=True)
"""Matches no object: what a missing ``metav1.LabelSelector`` means."""


def parse_label_selector(text: str) -> Selector:
    """Parse the text form: ``a=b,c in (d, e),!f``.

    Raises:
        SelectorError: the text is malformed, with upstream's message.
    """
    return Selector(_checked(term) for term in parse_terms(text))


def label_selector_of(obj: JsonObject | None) -> Selector:
    """Return the selector that a ``metav1.LabelSelector`` means; ``None`` matches nothing.

    Raises:
        SelectorError: an operator is unknown, or a key or value is no label's.
    """
    if obj is None:
        return NOTHING
    terms = [Term(key, "=", (value,)) for key, value in (obj.get("matchLabels") or {}).items()]
    for expression in obj.get("matchExpressions") or ():
        operator = _OBJECT_OPERATORS.get(expression.get("operator", ""))
        if operator is None:
            named = expression.get("operator", "")
            raise SelectorError(f'"{named}" is not a valid label selector operator')
        terms.append(Term(expression.get("key", ""), operator, expression.get("values") or ()))
    return Selector(_requirement(term) for term in terms)


def format_label_selector(obj: JsonObject | None) -> str:
    """Return a ``metav1.LabelSelector`` as tables and describe print it: ``a=b,c in (d,e)``."""
    try:
        return str(label_selector_of(obj)) or "<none>"
    except SelectorError:
        return "<error>"


def _checked(term: Term) -> Requirement:
    try:
        return _requirement(term)
    except SelectorError as error:
        raise SelectorError(f"unable to parse requirement: {error}") from error


def _requirement(term: Term) -> Requirement:
    problems = [f"{error.field}: {error.message}" for error in _problems(term)]
    if len(problems) == 1:
        raise SelectorError(problems[0])
    if problems:
        raise SelectorError(f"[{', '.join(dict.fromkeys(problems))}]")
    return Requirement(term.key, term.operator, frozenset(term.values))


def _problems(term: Term) -> list[FieldError]:
    """Return what is wrong with a term, in upstream's order: key, number of values, values."""
    values_path = Path("values")
    problems: list[FieldError] = []
    key_problems = is_qualified_name(term.key)
    if key_problems:
        problems.append(invalid_value(Path("key"), term.key, "; ".join(key_problems)))
    problems += _count_problems(term.operator, term.values, values_path)
    for position, value in enumerate(term.values):
        value_problems = is_label_value(value)
        if value_problems:
            path = values_path.index(position).key(term.key)
            problems.append(invalid_value(path, value, "; ".join(value_problems)))
    return problems


def _count_problems(operator: Operator, values: Sequence[str], path: Path) -> list[FieldError]:
    if operator in {"in", "notin"} and not values:
        rule = "for 'in', 'notin' operators, values set can't be empty"
        return [invalid_value(path, list(values) or None, rule)]
    if operator in {"exists", "!"} and values:
        rule = "values set must be empty for exists and does not exist"
        return [invalid_value(path, list(values), rule)]
    if operator in {"gt", "lt"}:
        rule = "for 'Gt', 'Lt' operators, the value must be an integer"
        wrong = [i for i, value in enumerate(values) if parse_int64(value) is None]
        return [invalid_value(path.index(i), values[i], rule) for i in wrong]
    return []
