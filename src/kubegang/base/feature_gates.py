"""Feature gates of one component, frozen at start-up.

Which gates a release has is data of the version profile; asking for one that the release
does not list is a bug of ours, never "off".
"""

from __future__ import annotations

from collections.abc import Iterator, Mapping


class UnknownGateError(KeyError):
    """A gate that this component does not have in this release."""


class FeatureGates(Mapping[str, bool]):
    """A frozen mapping from gate name to on or off."""

    __slots__ = ("_values",)

    def __init__(self, values: Mapping[str, bool]) -> None:
        self._values = dict(values)

    def __getitem__(self, name: str) -> bool:
        try:
            return self._values[name]
        except KeyError:
            known = ", ".join(sorted(self._values))
            raise UnknownGateError(f"unknown feature gate {name!r}; known: {known}") from None

    def __contains__(self, name: object) -> bool:
        return name in self._values

    def __iter__(self) -> Iterator[str]:
        return iter(self._values)

    def __len__(self) -> int:
        return len(self._values)

    def enabled(self, name: str) -> bool:
        """Return whether the gate is on.

        Raises:
            UnknownGateError: the release does not have this gate.
        """
        return self[name]

    def enabled_if_known(self, name: str) -> bool:
        """Return whether the gate exists in this release and is on."""
        return self._values.get(name, False)

    def with_changes(self, changes: Mapping[str, bool]) -> FeatureGates:
        """Return a copy with some gates set.

        Raises:
            UnknownGateError: a changed gate does not exist here.
        """
        for name in changes:
            self[name]
        return FeatureGates({**self._values, **changes})
