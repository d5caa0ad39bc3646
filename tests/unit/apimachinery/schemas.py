"""Small structures made by hand, for tests that are about one rule."""

from __future__ import annotations

from kubegang.apimachinery.schema import ANY, Schema, ValueType


def scalar(value_type: ValueType, value_format: str = "") -> Schema:
    """Return a plain value."""
    return Schema(value_type, value_format=value_format)


STRING = scalar("string")
INT32 = scalar("integer", "int32")
BOOLEAN = scalar("boolean")
QUANTITY = Schema("string", name="x.resource.Quantity", value_format="quantity")
TIME = Schema("string", name="x.meta.v1.Time", value_format="date-time")


def array(items: Schema) -> Schema:
    """Return a list that is one value."""
    schema = Schema("array")
    schema.items = items
    return schema


def set_of(items: Schema) -> Schema:
    """Return a list of primitives without repetition, merged as such."""
    schema = array(items)
    schema.list_type = "set"
    schema.patch_strategies = frozenset({"merge"})
    return schema


def keyed(items: Schema, *keys: str) -> Schema:
    """Return a list of objects known by some of their members."""
    schema = array(items)
    schema.list_type = "map"
    schema.list_map_keys = keys
    schema.merge_key = keys[0]
    schema.patch_strategies = frozenset({"merge"})
    return schema


def map_of(items: Schema, *, atomic: bool = False) -> Schema:
    """Return a map with any keys."""
    schema = Schema("map")
    schema.items = items
    schema.map_type = "atomic" if atomic else "granular"
    return schema


def struct(name: str, fields: dict[str, Schema], *, always: tuple[str, ...] = ()) -> Schema:
    """Return an object with known members; ``always`` are written even when empty."""
    schema = Schema("object", name=f"io.k8s.api.core.v1.{name}")
    schema.fields = fields
    schema.required = schema.always_written = frozenset(always)
    return schema


PORT = struct("ContainerPort", {"containerPort": INT32, "name": STRING, "protocol": STRING})
PORT.required = frozenset({"containerPort"})
ENV = struct("EnvVar", {"name": STRING, "value": STRING}, always=("name",))
RESOURCES = struct("ResourceRequirements", {"requests": map_of(QUANTITY)})
CONTAINER = struct(
    "Container",
    {
        "args": array(STRING),
        "env": keyed(ENV, "name"),
        "image": STRING,
        "name": STRING,
        "ports": keyed(PORT, "containerPort", "protocol"),
        "resources": RESOURCES,
    },
    always=("name", "resources"),
)
SPEC = struct(
    "PodSpec",
    {
        "containers": keyed(CONTAINER, "name"),
        "hostNetwork": BOOLEAN,
        "nodeSelector": map_of(STRING, atomic=True),
        "priority": INT32,
        "restartPolicy": STRING,
        "tolerations": array(struct("Toleration", {"key": STRING, "operator": STRING})),
    },
)
SPEC.written_as_null = frozenset({"containers"})
METADATA = struct(
    "ObjectMeta",
    {
        "annotations": map_of(STRING),
        "creationTimestamp": TIME,
        "finalizers": set_of(STRING),
        "labels": map_of(STRING),
        "managedFields": array(ANY),
        "name": STRING,
        "namespace": STRING,
        "resourceVersion": STRING,
        "uid": STRING,
    },
)
CONDITION = struct(
    "PodCondition",
    {"message": STRING, "reason": STRING, "status": STRING, "type": STRING},
    always=("status", "type"),
)
STATUS = struct("PodStatus", {"conditions": keyed(CONDITION, "type"), "phase": STRING})
POD = struct(
    "Pod",
    {
        "apiVersion": STRING,
        "kind": STRING,
        "metadata": METADATA,
        "spec": SPEC,
        "status": STATUS,
    },
    always=("metadata", "spec", "status"),
)
CONFIG_MAP = struct(
    "ConfigMap",
    {
        "apiVersion": STRING,
        "data": map_of(STRING),
        "immutable": BOOLEAN,
        "kind": STRING,
        "metadata": METADATA,
    },
    always=("metadata",),
)
