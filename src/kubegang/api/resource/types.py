"""DeviceClass, ResourceSlice and ResourceClaim, as the scheduler reads them (v1)."""

from __future__ import annotations

from collections.abc import Mapping

import msgspec

from kubegang.api.core.affinity import NodeSelector
from kubegang.api.core.types import Amount
from kubegang.api.meta import Condition, Form, ObjectMeta
from kubegang.apimachinery.objects import JsonObject


class CELSelector(Form, frozen=True):
    """An expression that is true for the devices that will do."""

    expression: str = ""


class DeviceSelector(Form, frozen=True):
    """One condition on devices; ``cel`` is the only kind there is."""

    cel: CELSelector | None = None


class DeviceTaint(Form, frozen=True):
    """Why a device should be left alone by claims that do not tolerate it."""

    key: str = ""
    value: str = ""
    effect: str = ""


class DeviceToleration(Form, frozen=True):
    """Taints that do not matter to a request."""

    key: str = ""
    operator: str = ""
    value: str = ""
    effect: str = ""


class DeviceClassSpec(Form, frozen=True):
    """What devices of the class have in common, and how they are set up."""

    selectors: tuple[DeviceSelector, ...] = ()
    config: tuple[JsonObject, ...] = ()
    extended_resource_name: str | None = None


class DeviceClass(Form, frozen=True):
    """A kind of devices that claims name."""

    metadata: ObjectMeta = ObjectMeta()
    spec: DeviceClassSpec = DeviceClassSpec()


class DeviceAttribute(Form, frozen=True):
    """One attribute; exactly one of the values is set."""

    int_value: int | None = msgspec.field(name="int", default=None)
    bool_value: bool | None = msgspec.field(name="bool", default=None)
    string_value: str | None = msgspec.field(name="string", default=None)
    version_value: str | None = msgspec.field(name="version", default=None)


class CapacityRequestPolicyRange(Form, frozen=True):
    """Amounts from ``min`` to ``max``, by steps."""

    min: Amount | None = None
    max: Amount | None = None
    step: Amount | None = None


class CapacityRequestPolicy(Form, frozen=True):
    """How much of a capacity one claim can take."""

    default: Amount | None = None
    valid_values: tuple[Amount, ...] = ()
    valid_range: CapacityRequestPolicyRange | None = None


class DeviceCapacity(Form, frozen=True):
    """How much of something a device has."""

    value: Amount = "0"
    request_policy: CapacityRequestPolicy | None = None


class Counter(Form, frozen=True):
    """An amount that is shared, or taken from what is shared."""

    value: Amount = "0"


class CounterSet(Form, frozen=True):
    """Counters that several devices of a pool draw on."""

    name: str = ""
    counters: Mapping[str, Counter] = {}


class DeviceCounterConsumption(Form, frozen=True):
    """What a device takes from one counter set."""

    counter_set: str = ""
    counters: Mapping[str, Counter] = {}


class Device(Form, frozen=True):
    """One device of a slice."""

    name: str = ""
    attributes: Mapping[str, DeviceAttribute] = {}
    capacity: Mapping[str, DeviceCapacity] = {}
    consumes_counters: tuple[DeviceCounterConsumption, ...] = ()
    node_name: str = ""
    node_selector: NodeSelector | None = None
    all_nodes: bool = False
    taints: tuple[DeviceTaint, ...] = ()
    binds_to_node: bool = False
    binding_conditions: tuple[str, ...] = ()
    binding_failure_conditions: tuple[str, ...] = ()
    allow_multiple_allocations: bool = False


class ResourcePool(Form, frozen=True):
    """The pool of a slice; only slices of the newest generation count."""

    name: str = ""
    generation: int = 0
    resource_slice_count: int = 0


class ResourceSliceSpec(Form, frozen=True):
    """Some devices of a pool, and the nodes from which they can be reached."""

    driver: str = ""
    pool: ResourcePool = ResourcePool()
    node_name: str = ""
    node_selector: NodeSelector | None = None
    all_nodes: bool = False
    per_device_node_selection: bool = False
    devices: tuple[Device, ...] = ()
    shared_counters: tuple[CounterSet, ...] = ()


class ResourceSlice(Form, frozen=True):
    """What a driver publishes."""

    metadata: ObjectMeta = ObjectMeta()
    spec: ResourceSliceSpec = ResourceSliceSpec()


class DeviceTaintSelector(Form, frozen=True):
    """Which devices a rule is about; what is not given does not matter."""

    driver: str | None = None
    pool: str | None = None
    device: str | None = None


class DeviceTaintRuleSpec(Form, frozen=True):
    """``spec`` of a DeviceTaintRule; without a selector it is about no device."""

    device_selector: DeviceTaintSelector | None = None
    taint: DeviceTaint = DeviceTaint()


class DeviceTaintRule(Form, frozen=True):
    """An administrator's taint on devices that drivers publish (KEP-5055)."""

    metadata: ObjectMeta = ObjectMeta()
    spec: DeviceTaintRuleSpec = DeviceTaintRuleSpec()


class CapacityRequirements(Form, frozen=True):
    """How much of its capacities a device must give."""

    requests: Mapping[str, Amount] = {}


class ExactDeviceRequest(Form, frozen=True):
    """A request for devices of one class."""

    device_class_name: str = ""
    selectors: tuple[DeviceSelector, ...] = ()
    allocation_mode: str = ""
    count: int = 0
    admin_access: bool | None = None
    tolerations: tuple[DeviceToleration, ...] = ()
    capacity: CapacityRequirements | None = None


class DeviceSubRequest(Form, frozen=True):
    """One of the alternatives of a request."""

    name: str = ""
    device_class_name: str = ""
    selectors: tuple[DeviceSelector, ...] = ()
    allocation_mode: str = ""
    count: int = 0
    tolerations: tuple[DeviceToleration, ...] = ()
    capacity: CapacityRequirements | None = None


class DeviceRequest(Form, frozen=True):
    """A request: either ``exactly`` this, or the ``first_available`` of these."""

    name: str = ""
    exactly: ExactDeviceRequest | None = None
    first_available: tuple[DeviceSubRequest, ...] = ()


class DeviceConstraint(Form, frozen=True):
    """What the devices of several requests must have in common, or not."""

    requests: tuple[str, ...] = ()
    match_attribute: str | None = None
    distinct_attribute: str | None = None


class DeviceClaim(Form, frozen=True):
    """The devices that a claim wants."""

    requests: tuple[DeviceRequest, ...] = ()
    constraints: tuple[DeviceConstraint, ...] = ()
    config: tuple[JsonObject, ...] = ()


class ResourceClaimSpec(Form, frozen=True):
    """``spec`` of a claim."""

    devices: DeviceClaim = DeviceClaim()


class DeviceRequestAllocationResult(Form, frozen=True):
    """One device that a claim was given."""

    request: str = ""
    driver: str = ""
    pool: str = ""
    device: str = ""
    admin_access: bool | None = None
    tolerations: tuple[DeviceToleration, ...] = ()
    binding_conditions: tuple[str, ...] = ()
    binding_failure_conditions: tuple[str, ...] = ()
    share_id: str = msgspec.field(name="shareID", default="")
    consumed_capacity: Mapping[str, Amount] = {}


class DeviceAllocationResult(Form, frozen=True):
    """The devices that a claim was given, and their configuration."""

    results: tuple[DeviceRequestAllocationResult, ...] = ()
    config: tuple[JsonObject, ...] = ()


class AllocationResult(Form, frozen=True):
    """``status.allocation`` of a claim."""

    devices: DeviceAllocationResult = DeviceAllocationResult()
    node_selector: NodeSelector | None = None
    allocation_timestamp: str | None = None


class ClaimConsumer(Form, frozen=True):
    """Who may use a claim."""

    api_group: str = ""
    resource: str = ""
    name: str = ""
    uid: str = ""


class AllocatedDeviceStatus(Form, frozen=True):
    """What a driver says of a device that was given."""

    driver: str = ""
    pool: str = ""
    device: str = ""
    share_id: str = msgspec.field(name="shareID", default="")
    conditions: tuple[Condition, ...] = ()


class ResourceClaimStatus(Form, frozen=True):
    """``status`` of a claim."""

    allocation: AllocationResult | None = None
    reserved_for: tuple[ClaimConsumer, ...] = ()
    devices: tuple[AllocatedDeviceStatus, ...] = ()


class ResourceClaim(Form, frozen=True):
    """Devices wanted and, once allocated, given."""

    metadata: ObjectMeta = ObjectMeta()
    spec: ResourceClaimSpec = ResourceClaimSpec()
    status: ResourceClaimStatus = ResourceClaimStatus()
