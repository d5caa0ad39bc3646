"""One version of a custom kind, ready to be served: what is done to its objects.

Made from a CustomResourceDefinition whenever that changes, and never changed itself. The
resource's row carries it, so whoever has the row of a request knows that the objects are
custom ones, and how to treat them.

Pure, but that objects are changed in place.
"""

from __future__ import annotations

from collections.abc import Iterator
from copy import deepcopy
from functools import cached_property

from kubegang.api.customresources import scale
from kubegang.api.customresources.correlation import NOTHING
from kubegang.api.customresources.listtypes import duplicate_items
from kubegang.api.customresources.metadata import (
    coerce_embedded,
    coerce_metadata,
    validate_embedded,
)
from kubegang.api.customresources.nodes import SchemaNode, rooted
from kubegang.api.customresources.results import field_errors
from kubegang.api.customresources.rules import RuleSet
from kubegang.api.customresources.scale import ScalePaths
from kubegang.api.customresources.schemavalidation import validate_value
from kubegang.api.customresources.shaping import drop_nulls, fill_defaults, prune
from kubegang.api.customresources.topology import topology_of
from kubegang.api.validation.metadata import (
    MetadataRules,
    validate_metadata,
    validate_metadata_update,
)
from kubegang.apimachinery.field import FieldError, Path, invalid_value
from kubegang.apimachinery.names import is_dns1123_subdomain
from kubegang.apimachinery.objects import GroupVersionKind, JsonObject
from kubegang.apimachinery.schema import Schema

_BLOCKING = frozenset(
    {
        "FieldValueNotSupported",
        "FieldValueRequired",
        "FieldValueTooLong",
        "FieldValueTooMany",
        "FieldValueTypeInvalid",
    }
)
_NOT_CHECKED = (
    "Invalid value: null: some validation rules were not checked because the object was invalid; "
    "correct the existing errors to complete validation"
)


class CustomKind:
    """The behaviour of one version of a custom kind.

    Attributes:
        definition: the name of its schema in OpenAPI, ``com.example.v1.Widget``.
        node: the root of its schema.
        rooted: the same, as the schema of a resource with kind, version and metadata.
        scale: where a scale finds its numbers, ``None`` without that subresource.
        has_status: status is a subresource of its own.
        columns: ``additionalPrinterColumns`` as written.
        selectable: the names of fields that selectors may use, ``spec.color``.
        terminating: the definition is being deleted; nothing new may be created.
        rules: its validation rules.
        storage: the version in which objects are stored, possibly this one.
    """

    def __init__(
        self,
        gvk: GroupVersionKind,
        version: JsonObject,
        *,
        definition: str,
        namespaced: bool,
        terminating: bool,
        preserves: bool,
    ) -> None:
        """Read one entry of ``spec.versions``; ``preserves`` is the CRD's old wholesale flag."""
        self.gvk = gvk
        self.definition = definition
        self.namespaced = namespaced
        self.terminating = terminating
        self.preserves = preserves
        schema = (version.get("schema") or {}).get("openAPIV3Schema") or {}
        self.node = SchemaNode(schema)
        self.rooted = rooted(self.node)
        subresources = version.get("subresources") or {}
        self.has_status = "status" in subresources
        self.scale = ScalePaths.of(subresources)
        self.columns: tuple[JsonObject, ...] = tuple(version.get("additionalPrinterColumns") or ())
        self.selectable = tuple(
            field["jsonPath"].removeprefix(".") for field in version.get("selectableFields") or ()
        )
        self.rules = RuleSet(self.node, root=True)
        self.storage = self

    @cached_property
    def topology(self) -> Schema:
        """The structure over which field ownership and server-side apply walk."""
        return topology_of(self.node, name=self.definition, has_status=self.has_status)

    def shape(self, obj: JsonObject) -> list[str]:
        """Prune an object and bring its metadata to its form; return unknown members' paths.

        Raises:
            CoercionError: kind, version or metadata of it, or inside it, has the wrong type.
        """
        unknown = coerce_metadata(obj)
        if not self.preserves:
            unknown += prune(obj, self.rooted)
            drop_nulls(obj, self.node)
        return unknown + coerce_embedded(obj, self.node)

    def complete(self, obj: JsonObject) -> None:
        """Bring the metadata of a decoded object to its form and fill in defaults.

        Raises:
            CoercionError: metadata has the wrong type, as that of an applied object may.
        """
        coerce_metadata(obj)
        fill_defaults(obj, self.node)

    def from_storage(self, obj: JsonObject) -> JsonObject:
        """Return a stored object, in whichever version it lies, as one of this version.

        Defaults are those of the version in which it was stored; the schema may have got new
        ones since. Nothing else is converted: the strategy is None.
        """
        stored = self.storage
        if not stored.preserves:
            prune(obj, stored.rooted)
            drop_nulls(obj, stored.node)
        fill_defaults(obj, stored.node)
        if stored is not self and not self.preserves:
            prune(obj, self.rooted)
        obj["apiVersion"] = str(self.gvk.group_version)
        return obj

    def to_storage(self, obj: JsonObject) -> JsonObject:
        """Return an object of this version without what the stored version does not have."""
        stored = self.storage
        if stored is not self and not stored.preserves:
            obj = deepcopy(obj)
            prune(obj, stored.rooted)
        return obj

    def create_errors(self, obj: JsonObject) -> list[FieldError]:
        """Return what is wrong with a new object."""
        errors = list(self._type_errors(obj))
        if errors:
            return errors
        metadata = obj.get("metadata") or {}
        errors += validate_metadata(metadata, self._metadata_rules)
        errors += field_errors(validate_value(obj, self.node), None)
        if self.scale is not None:
            errors += scale.spec_errors(obj, self.scale)
            errors += scale.status_errors(obj, self.scale)
        errors += validate_embedded(obj, self.node)
        errors += duplicate_items(obj, self.node)
        return self._with_rules(errors, obj, None)

    def update_errors(self, new: JsonObject, old: JsonObject) -> list[FieldError]:
        """Return what is wrong with a changed object; what was wrong before is forgiven."""
        errors = list(self._type_errors(new))
        if errors:
            return errors
        errors += self._metadata_update_errors(new, old)
        errors += field_errors(validate_value(new, self.node, old=old), None)
        if self.scale is not None:
            errors += scale.spec_errors(new, self.scale)
            errors += scale.status_errors(new, self.scale)
        errors += validate_embedded(new, self.node)
        errors += self._new_duplicates(new, old)
        return self._with_rules(errors, new, old)

    def status_errors(self, new: JsonObject, old: JsonObject) -> list[FieldError]:
        """Return what is wrong with an object whose status changed."""
        errors = list(self._type_errors(new))
        if errors:
            return errors
        errors += self._metadata_update_errors(new, old)
        status = self.node.properties.get("status")
        if "status" in new and status is not None:
            before = old.get("status", NOTHING)
            found = validate_value(new["status"], status, old=before)
            errors += field_errors(found, Path("status"))
        if self.scale is not None:
            errors += scale.status_errors(new, self.scale)
        errors += self._new_duplicates(new, old)
        return self._with_rules(errors, new, old)

    def _with_rules(
        self, errors: list[FieldError], new: JsonObject, old: JsonObject | None
    ) -> list[FieldError]:
        """Return the errors and those of validation rules, unless the former make them moot."""
        if not self.rules.exist:
            return errors
        if any(error.reason in _BLOCKING for error in errors):
            return [*errors, FieldError("FieldValueInvalid", "<nil>", _NOT_CHECKED)]
        if old is None:
            return errors + self.rules.create_errors(new)
        return errors + self.rules.update_errors(new, old)

    @property
    def _metadata_rules(self) -> MetadataRules:
        return MetadataRules(
            is_dns1123_subdomain, namespaced=self.namespaced, known_finalizers=False
        )

    def _metadata_update_errors(self, new: JsonObject, old: JsonObject) -> Iterator[FieldError]:
        metadata, before = new.get("metadata") or {}, old.get("metadata") or {}
        return validate_metadata_update(metadata, before, self._metadata_rules)

    def _new_duplicates(self, new: JsonObject, old: JsonObject) -> list[FieldError]:
        if any(True for _ in duplicate_items(old, self.node)):
            return []
        return list(duplicate_items(new, self.node))

    def _type_errors(self, obj: JsonObject) -> Iterator[FieldError]:
        if obj.get("kind") != self.gvk.kind:
            yield invalid_value(Path("kind"), obj.get("kind"), f"must be {self.gvk.kind}")
        version = str(self.gvk.group_version)
        if obj.get("apiVersion") != version:
            yield invalid_value(Path("apiVersion"), obj.get("apiVersion"), f"must be {version}")
