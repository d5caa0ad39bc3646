"""Whether objects of files have the types that their kinds ask for, whatever the release.

Files that a tool reads may come from any release; what is decided about them is another
question.
"""

from __future__ import annotations

from collections.abc import Iterator

from kubegang.api.facts import load_facts
from kubegang.apimachinery.decoding import check_types
from kubegang.apimachinery.errors import BadRequestError
from kubegang.apimachinery.objects import GroupVersionKind, JsonObject
from kubegang.apimachinery.schema import Schema
from kubegang.apimachinery.wrongplaces import wrong_place
from kubegang.app.profiles.table import RELEASES


class WrongTypeError(ValueError):
    """A value of the wrong type.

    Attributes:
        field: its path in the object.
    """

    def __init__(self, field: str, message: str) -> None:
        """Take path and text."""
        super().__init__(message)
        self.field = field


class Structures:
    """The structure of every kind: as one release has it, else as the newest that has it."""

    def __init__(self, release: str) -> None:
        """Take the release that comes first."""
        self._release = release
        self._known: dict[GroupVersionKind, Schema | None] = {}

    def check(self, gvk: GroupVersionKind, obj: JsonObject) -> None:
        """Refuse an object with a value of the wrong type; nothing is known of other kinds.

        Raises:
            WrongTypeError: there is one.
        """
        if gvk not in self._known:
            self._known[gvk] = next(self._schemas(gvk), None)
        schema = self._known[gvk]
        if schema is None:
            return
        try:
            check_types(obj, schema, gvk)
        except BadRequestError as error:
            raise WrongTypeError(wrong_place(obj, schema), error.message) from error

    def _schemas(self, gvk: GroupVersionKind) -> Iterator[Schema]:
        newest_first = [profile.name for profile in reversed(RELEASES)]
        for release in dict.fromkeys([self._release, *newest_first]):
            facts = load_facts(release)
            if gvk in facts.kinds():
                yield facts.kind(gvk)
