"""Annotations by which the API server, the scheduler and the controllers speak of volumes."""

from __future__ import annotations

from typing import Final

STORAGE_CLASS: Final = "volume.beta.kubernetes.io/storage-class"
"""On claims and volumes: wins over ``storageClassName``, as before that field existed."""

BIND_COMPLETED: Final = "pv.kubernetes.io/bind-completed"
"""On a claim that has its volume, whatever it says."""

BOUND_BY_CONTROLLER: Final = "pv.kubernetes.io/bound-by-controller"
"""On claims and volumes: a controller or a scheduler chose the other one, not a user."""

PROVISIONED_BY: Final = "pv.kubernetes.io/provisioned-by"
"""On a volume that a driver made, with the driver's name."""

SELECTED_NODE: Final = "volume.kubernetes.io/selected-node"
"""On a claim: for which node its volume is to be made."""

PROVISIONER: Final = "volume.kubernetes.io/storage-provisioner"
"""On a claim: who is to make its volume."""

OLD_PROVISIONER: Final = "volume.beta.kubernetes.io/storage-provisioner"
"""The same under an older name; both are written."""

MIGRATED_PLUGINS: Final = "storage.alpha.kubernetes.io/migrated-plugins"
"""On a CSINode: plugins of old whose work drivers do there, separated by commas."""
