"""What validation needs to know about a kind, as a row of the table.

Pure.
"""

from __future__ import annotations

from collections.abc import Callable, Mapping
from types import MappingProxyType
from typing import NamedTuple

from kubegang.api.validation.checks import Errors, TextRule
from kubegang.api.validation.metadata import MetadataRules
from kubegang.apimachinery.names import is_path_segment_name
from kubegang.apimachinery.objects import JsonObject
from kubegang.base.feature_gates import FeatureGates

CreateRule = Callable[[JsonObject, FeatureGates], Errors]
UpdateRule = Callable[[JsonObject, JsonObject, FeatureGates], Errors]

ANY_NAME = MetadataRules(is_path_segment_name, known_finalizers=False)
"""What every object must keep; some kinds have no rules for metadata beyond it."""


def no_rule(_obj: JsonObject, _gates: FeatureGates) -> Errors:
    """Accept a new object whatever it contains."""
    yield from ()


def no_update_rule(_new: JsonObject, _old: JsonObject, _gates: FeatureGates) -> Errors:
    """Accept a changed object whatever it contains."""
    yield from ()


class KindRules(NamedTuple):
    """The rules of one kind.

    Attributes:
        metadata: the rules for metadata; ``None`` if only those that every object must
            keep apply, and they only once all else is in order.
        create: the rules for a new object.
        update: the rules for a changed object.
        status: the rules for a changed status.
        subresources: the rules for other parts that are written by themselves.
        before_metadata: rules that upstream checks ahead of the metadata.
        before_metadata_update: the same, for a changed object.
        changed_as_new: what releases before 1.37 check of a changed object besides, as if it
            were new, ahead of the rules for changed ones.
        metadata_as_new: whether that are the rules for metadata.
        strict_name: a gate, and the format of names while it is off.
    """

    metadata: MetadataRules | None = None
    create: CreateRule = no_rule
    update: UpdateRule = no_update_rule
    status: UpdateRule = no_update_rule
    subresources: Mapping[str, UpdateRule] = MappingProxyType({})
    before_metadata: CreateRule = no_rule
    before_metadata_update: UpdateRule = no_update_rule
    changed_as_new: CreateRule = no_rule
    metadata_as_new: bool = False
    strict_name: tuple[str, TextRule] | None = None
