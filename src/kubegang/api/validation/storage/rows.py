"""Which rules the kinds of the storage group have.

Pure: data only.
"""

from __future__ import annotations

from collections.abc import Mapping

from kubegang.api.validation.kinds import KindRules
from kubegang.api.validation.metadata import MetadataRules
from kubegang.api.validation.storage import attachments, classes, csi
from kubegang.apimachinery.names import is_dns1123_subdomain
from kubegang.apimachinery.objects import GroupVersionKind

_NAMED = MetadataRules(is_dns1123_subdomain)

_GROUP = "storage.k8s.io"

STORAGE_RULES: Mapping[GroupVersionKind, KindRules] = {
    GroupVersionKind(_GROUP, "v1", "CSIDriver"): KindRules(
        _NAMED, create=csi.validate_csi_driver, update=csi.validate_csi_driver_update
    ),
    GroupVersionKind(_GROUP, "v1", "CSINode"): KindRules(
        _NAMED, create=csi.validate_csi_node, update=csi.validate_csi_node_update
    ),
    GroupVersionKind(_GROUP, "v1", "CSIStorageCapacity"): KindRules(
        _NAMED, create=csi.validate_capacity, update=csi.validate_capacity_update
    ),
    GroupVersionKind(_GROUP, "v1", "StorageClass"): KindRules(
        _NAMED,
        create=classes.validate_storage_class,
        update=classes.validate_storage_class_update,
    ),
    GroupVersionKind(_GROUP, "v1", "VolumeAttachment"): KindRules(
        _NAMED,
        create=attachments.validate_attachment,
        update=attachments.validate_attachment_update,
        status=attachments.validate_attachment_update,
    ),
    GroupVersionKind(_GROUP, "v1", "VolumeAttributesClass"): KindRules(
        _NAMED,
        create=classes.validate_attributes_class,
        update=classes.validate_attributes_class_update,
    ),
}
"""Rules by kind; whether objects live in a namespace is the resource rows' to say."""
