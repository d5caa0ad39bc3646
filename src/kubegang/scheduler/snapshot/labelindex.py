"""Selectors found by the labels of what they may select.

A cluster has thousands of selectors, a pod a handful of labels: looking the labels up finds
the few selectors worth a closer look. Pure.
"""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from typing import Generic, TypeVar

from kubegang.scheduler.framework.labelselection import Anchor

T = TypeVar("T")


class LabelIndex(Generic[T]):
    """Items, each under one label that it needs; those that need none are always found."""

    def __init__(self) -> None:
        self._by_label: dict[tuple[str, str], list[T]] = {}
        self._by_key: dict[str, list[T]] = {}
        self._others: list[T] = []

    def add(self, item: T, anchor: Anchor | None) -> None:
        """Put an item under a label."""
        if anchor is None:
            self._others.append(item)
            return
        if not anchor.values:
            self._by_key.setdefault(anchor.key, []).append(item)
        for value in anchor.values:
            self._by_label.setdefault((anchor.key, value), []).append(item)

    def candidates(self, labels: Mapping[str, str]) -> Iterator[T]:
        """Iterate over the items whose label is among these; each comes once."""
        yield from self._others
        for label in labels.items():
            yield from self._by_label.get(label, ())
            if self._by_key:
                yield from self._by_key.get(label[0], ())
