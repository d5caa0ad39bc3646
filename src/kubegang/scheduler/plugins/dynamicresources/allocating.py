"""What the claims of one pod would be given on a node. Pure, but for what it keeps of slices."""

from __future__ import annotations

from uuid import NAMESPACE_OID, uuid5

from kubegang.api.core.affinity import NodeSelector
from kubegang.api.resource.types import ResourceClaim
from kubegang.api.scheduling_rules import ResourceClaimRules
from kubegang.base.feature_gates import FeatureGates
from kubegang.scheduler.framework.cluster import ClusterView
from kubegang.scheduler.framework.devices import Allocated
from kubegang.scheduler.framework.nodeselection import demanded_nodes
from kubegang.scheduler.framework.nodetable import BoolArray, NodeTable
from kubegang.scheduler.framework.nodeterms import node_selector_terms
from kubegang.scheduler.framework.terms import NodeAffinityTerms
from kubegang.scheduler.plugins.dynamicresources.allocator import allocate
from kubegang.scheduler.plugins.dynamicresources.notes import Allocations
from kubegang.scheduler.plugins.dynamicresources.pools import PublishedDevices
from kubegang.scheduler.plugins.dynamicresources.requests import AllocationRules, DeviceFeatures


def device_features(gates: FeatureGates) -> DeviceFeatures:
    """Return the gates that matter to allocation."""
    on = gates.enabled_if_known
    return DeviceFeatures(
        admin_access=on("DRAAdminAccess"),
        prioritized_list=on("DRAPrioritizedList"),
        partitionable_devices=on("DRAPartitionableDevices"),
        device_taints=on("DRADeviceTaints"),
        binding_conditions=(
            on("DRADeviceBindingConditions") and on("DRAResourceClaimDeviceStatus")
        ),
        consumable_capacity=on("DRAConsumableCapacity"),
    )


class NodeAllocator:
    """Asks the allocator, with slices sorted once per change of them."""

    def __init__(
        self, features: DeviceFeatures, rules: ResourceClaimRules, *, most_steps: float
    ) -> None:
        self._most_steps = most_steps
        self._features = features
        self._rules = AllocationRules(
            config_for_all_names_none=rules.config_for_all_names_none,
            runtime_errors_name_the_device=rules.errors_name_the_device,
            limit_names_the_request=rules.limit_names_the_request,
        )
        self._published = PublishedDevices(())
        self._slices_version = -1

    def allocate(
        self, claims: dict[int, ResourceClaim], *, cluster: ClusterView, row: int
    ) -> Allocations | None:
        """Return what claims would be given on a node; ``None`` if it does not have it.

        Raises:
            SearchLimitError: it takes too long.
            AllocationError: see ``allocator.allocate``.
        """
        devices = cluster.devices
        if devices.slices_version != self._slices_version:
            self._published = PublishedDevices(devices.slices())
            self._slices_version = devices.slices_version
        found = allocate(
            list(claims.values()),
            node=cluster.nodes.infos[row],
            published=self._published,
            classes=devices.classes,
            allocated=self._allocated(devices.allocated()),
            features=self._features,
            rules=self._rules,
            new_share_id=_ShareIds(claims),
            most_steps=self._most_steps,
        )
        return None if found is None else dict(zip(claims, found, strict=True))

    def _allocated(self, allocated: Allocated) -> Allocated:
        if self._features.consumable_capacity:
            return allocated
        # Nothing is shared without that gate.
        return Allocated(devices=allocated.every)


class _ShareIds:
    """Names for shares of devices: made from the claims, so that a decision can be repeated."""

    def __init__(self, claims: dict[int, ResourceClaim]) -> None:
        self._of = "/".join(claim.metadata.uid for claim in claims.values())
        self._given = 0

    def __call__(self) -> str:
        self._given += 1
        return str(uuid5(NAMESPACE_OID, f"{self._of}/{self._given}"))


def reachable_nodes(table: NodeTable, selector: NodeSelector) -> BoolArray:
    """Return the nodes from which allocated devices can be reached."""
    terms = node_selector_terms(selector.node_selector_terms or ())
    return demanded_nodes(table, NodeAffinityTerms(selector=(), required=terms, preferred=()))
