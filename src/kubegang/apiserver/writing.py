"""What creates, updates and deletes have in common: the value that describes one write."""

from __future__ import annotations

import msgspec

from kubegang.api.scheme import ResourceInfo
from kubegang.apimachinery.errors import BadRequestError, ConflictError, conflict
from kubegang.apimachinery.field import FieldError, invalid_object
from kubegang.apimachinery.objects import GroupResource, JsonObject
from kubegang.apiserver.admission.request import AdmissionRequest, Operation
from kubegang.apiserver.authn import Identity
from kubegang.apiserver.options import WriteOptions
from kubegang.apiserver.services.pool import Reservation

MODIFIED = (
    "the object has been modified; please apply your changes to the latest version and try again"
)

# Where upstream's storage keys are not named after the resource.
_REGISTRY_NAMES = {
    "nodes": "minions",
    "replicationcontrollers": "controllers",
    "services": "services/specs",
}


class Write(msgspec.Struct, frozen=True, kw_only=True):
    """One write to one object, whoever asked for it.

    Attributes:
        info: the resource in the version that the write speaks.
        storage: the row of the version in which it is stored.
        name: of the object, empty for a create.
        subresource: empty for the object itself, else ``status``, ``finalize`` …
        warnings: grows while the write is worked on; the answer carries them.
        identity: on whose behalf; ``None`` is the server itself.
        held: the addresses and node ports that this write gives to a service.
    """

    info: ResourceInfo
    storage: ResourceInfo
    namespace: str
    name: str
    options: WriteOptions
    subresource: str = ""
    identity: Identity | None = None
    warnings: list[str] = msgspec.field(default_factory=list)
    held: Reservation = msgspec.field(default_factory=Reservation)

    @property
    def is_service(self) -> bool:
        """Whether this writes a service itself, which is given addresses and node ports."""
        return not self.subresource and self.info.plural == "services" and not self.info.group

    @property
    def key(self) -> str:
        """The store's key of the object."""
        return self.storage.key(self.namespace, self.name)

    def admission(
        self, operation: Operation, obj: JsonObject, old: JsonObject | None = None
    ) -> AdmissionRequest:
        """Return what admission gets to see of this write."""
        return AdmissionRequest(
            operation=operation,
            info=self.info,
            namespace=self.namespace,
            name=self.name,
            obj=obj,
            old=old,
            subresource=self.subresource,
            identity=self.identity,
        )

    def warn(self, warnings: list[str]) -> None:
        """Add warnings to the answer, each once however often the write is tried."""
        self.warnings.extend([one for one in warnings if one not in self.warnings])

    def conflict(self, why: str) -> ConflictError:
        """Return the 409 for a request that contradicts the stored object."""
        return conflict(self.info.group_resource, self.name, why)

    def precondition_failed(self, what: str, wanted: str, found: str) -> ConflictError:
        """Return the 409 of upstream's storage for an object that is not the one meant."""
        registry = _REGISTRY_NAMES.get(self.info.plural, self.info.plural)
        path = "/".join(part for part in (registry, self.namespace, self.name) if part)
        return self.conflict(
            f"StorageError: invalid object, Code: 4, Key: /registry/{path}, ResourceVersion: 0, "
            f"AdditionalErrorMsg: Precondition failed: {what} in precondition: {wanted}, "
            f"{what} in object meta: {found}"
        )

    def check_valid(self, name: str, errors: list[FieldError], *, kind: str) -> None:
        """Raise the 422 if there are errors; Events of both groups are called by the core name.

        ``kind`` is what the object calls itself, which for a custom one may be wrong.
        """
        if errors:
            raise invalid_object(self.info.stored_as.group, kind, name, errors)


def place_in_namespace(obj: JsonObject, write: Write) -> None:
    """Put an object into the namespace of the path.

    Raises:
        BadRequestError: it names another one.
    """
    metadata = obj["metadata"]
    if not write.info.namespaced:
        metadata.pop("namespace", None)
        return
    if metadata.get("namespace", write.namespace) not in ("", write.namespace):
        raise BadRequestError(
            "the namespace of the provided object does not match the namespace sent on the request"
        )
    metadata["namespace"] = write.namespace


def check_name(obj: JsonObject, write: Write) -> None:
    """Refuse an object that is not called as the path says."""
    name = obj["metadata"].get("name")
    if not name:
        raise BadRequestError(
            f"the name of the object ({write.name} based on URL) was undeterminable: "
            "name must be provided"
        )
    if name != write.name:
        raise BadRequestError(
            f"the name of the object ({name}) does not match the name on the URL ({write.name})"
        )


def check_preconditions(obj: JsonObject, write: Write, *, uid: str, revision: str) -> None:
    """Refuse to delete an object that is not, or no longer, the one that is meant."""
    metadata = obj["metadata"]
    gvk = write.info.stored_as
    resource = GroupResource(gvk.group, gvk.kind)
    if uid and uid != metadata["uid"]:
        raise conflict(
            resource,
            write.name,
            f"the UID in the precondition ({uid}) does not match the UID in record "
            f"({metadata['uid']}). The object might have been deleted and then recreated",
        )
    found = metadata["resourceVersion"]
    if revision and revision != found:
        raise conflict(
            resource,
            write.name,
            f"the ResourceVersion in the precondition ({revision}) does not match the "
            f"ResourceVersion in record ({found}). The object might have been modified",
        )
