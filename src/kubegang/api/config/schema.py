"""The structure of KubeSchedulerConfiguration v1 and of the arguments of plugins.

Facts of the public Go module k8s.io/kube-scheduler 0.37.2; releases differ in the extension
points only. What a file has beyond them is an error, in Go's words. Pure data.
"""

from __future__ import annotations

import functools
from typing import Final

from kubegang.apimachinery.schema import ANY, Schema, ValueType

_CONFIG: Final = "io.k8s.kube-scheduler.config.v1"
_BASE: Final = "io.k8s.component-base.config.v1alpha1"
_CORE: Final = "io.k8s.api.core.v1"
_META: Final = "io.k8s.apimachinery.pkg.apis.meta.v1"


def _leaf(value_type: ValueType, value_format: str = "") -> Schema:
    return Schema(value_type, value_format=value_format)


_STRING = _leaf("string")
_BOOLEAN = _leaf("boolean")
_INT32 = _leaf("integer", "int32")
_INT64 = _leaf("integer", "int64")
_FLOAT = _leaf("number", "float")

DURATION: Final = _leaf("string")
"""Known by identity: the text of such a value is checked too."""


def _object(package: str, name: str, fields: dict[str, Schema]) -> Schema:
    schema = Schema("object", name=f"{package}.{name}")
    schema.fields = fields
    return schema


def _list(items: Schema) -> Schema:
    schema = Schema("array")
    schema.items = items
    return schema


def _map(items: Schema) -> Schema:
    schema = Schema("map")
    schema.items = items
    return schema


_LEADER_ELECTION = _object(
    _BASE,
    "LeaderElectionConfiguration",
    {
        "leaderElect": _BOOLEAN,
        "leaseDuration": DURATION,
        "renewDeadline": DURATION,
        "retryPeriod": DURATION,
        "resourceLock": _STRING,
        "resourceName": _STRING,
        "resourceNamespace": _STRING,
    },
)

_CLIENT_CONNECTION = _object(
    _BASE,
    "ClientConnectionConfiguration",
    {
        "kubeconfig": _STRING,
        "acceptContentTypes": _STRING,
        "contentType": _STRING,
        "qps": _FLOAT,
        "burst": _INT32,
    },
)

_PLUGIN_SET = _object(
    _CONFIG,
    "PluginSet",
    dict.fromkeys(
        ("enabled", "disabled"),
        _list(_object(_CONFIG, "Plugin", {"name": _STRING, "weight": _INT32})),
    ),
)


def _profile(points: tuple[str, ...]) -> Schema:
    plugins = _object(_CONFIG, "Plugins", dict.fromkeys(("multiPoint", *points), _PLUGIN_SET))
    plugin_config = _object(_CONFIG, "PluginConfig", {"name": _STRING, "args": ANY})
    return _object(
        _CONFIG,
        "KubeSchedulerProfile",
        {
            "schedulerName": _STRING,
            "percentageOfNodesToScore": _INT32,
            "plugins": plugins,
            "pluginConfig": _list(plugin_config),
        },
    )


_EXTENDER = _object(
    _CONFIG,
    "Extender",
    {
        "urlPrefix": _STRING,
        "filterVerb": _STRING,
        "preemptVerb": _STRING,
        "prioritizeVerb": _STRING,
        "weight": _INT64,
        "bindVerb": _STRING,
        "enableHTTPS": _BOOLEAN,
        "tlsConfig": _object(
            _CONFIG,
            "ExtenderTLSConfig",
            {
                "insecure": _BOOLEAN,
                **dict.fromkeys(("serverName", "certFile", "keyFile", "caFile"), _STRING),
                **dict.fromkeys(("certData", "keyData", "caData"), _leaf("string", "byte")),
            },
        ),
        "httpTimeout": DURATION,
        "nodeCacheCapable": _BOOLEAN,
        "managedResources": _list(
            _object(
                _CONFIG,
                "ExtenderManagedResource",
                {"name": _STRING, "ignoredByScheduler": _BOOLEAN},
            )
        ),
        "ignorable": _BOOLEAN,
    },
)

_TYPE_META = {"apiVersion": _STRING, "kind": _STRING}


@functools.cache
def configuration_schema(points: tuple[str, ...]) -> Schema:
    """Return the structure of a configuration in a release with these extension points."""
    return _object(
        _CONFIG,
        "KubeSchedulerConfiguration",
        {
            **_TYPE_META,
            "parallelism": _INT32,
            "leaderElection": _LEADER_ELECTION,
            "clientConnection": _CLIENT_CONNECTION,
            "enableProfiling": _BOOLEAN,
            "enableContentionProfiling": _BOOLEAN,
            "percentageOfNodesToScore": _INT32,
            "podInitialBackoffSeconds": _INT64,
            "podMaxBackoffSeconds": _INT64,
            "profiles": _list(_profile(points)),
            "extenders": _list(_EXTENDER),
            "delayCacheUntilActive": _BOOLEAN,
        },
    )


_SHAPE = _list(_object(_CONFIG, "UtilizationShapePoint", {"utilization": _INT32, "score": _INT32}))
_RESOURCES = _list(_object(_CONFIG, "ResourceSpec", {"name": _STRING, "weight": _INT64}))
_STRINGS = _list(_STRING)

_REQUIREMENTS = _list(
    _object(
        _CORE,
        "NodeSelectorRequirement",
        {"key": _STRING, "operator": _STRING, "values": _STRINGS},
    )
)
_TERM = _object(
    _CORE, "NodeSelectorTerm", {"matchExpressions": _REQUIREMENTS, "matchFields": _REQUIREMENTS}
)
_NODE_AFFINITY = _object(
    _CORE,
    "NodeAffinity",
    {
        "requiredDuringSchedulingIgnoredDuringExecution": _object(
            _CORE, "NodeSelector", {"nodeSelectorTerms": _list(_TERM)}
        ),
        "preferredDuringSchedulingIgnoredDuringExecution": _list(
            _object(_CORE, "PreferredSchedulingTerm", {"weight": _INT32, "preference": _TERM})
        ),
    },
)

_LABEL_SELECTOR = _object(
    _META,
    "LabelSelector",
    {
        "matchLabels": _map(_STRING),
        "matchExpressions": _list(
            _object(
                _META,
                "LabelSelectorRequirement",
                {"key": _STRING, "operator": _STRING, "values": _STRINGS},
            )
        ),
    },
)
_SPREAD_CONSTRAINT = _object(
    _CORE,
    "TopologySpreadConstraint",
    {
        "maxSkew": _INT32,
        "topologyKey": _STRING,
        "whenUnsatisfiable": _STRING,
        "labelSelector": _LABEL_SELECTOR,
        "minDomains": _INT32,
        "nodeAffinityPolicy": _STRING,
        "nodeTaintsPolicy": _STRING,
        "matchLabelKeys": _STRINGS,
    },
)


def _arguments(plugin: str, fields: dict[str, Schema]) -> Schema:
    return _object(_CONFIG, f"{plugin}Args", {**_TYPE_META, **fields})


ARGUMENTS: Final = {
    "DefaultPreemption": _arguments(
        "DefaultPreemption",
        {"minCandidateNodesPercentage": _INT32, "minCandidateNodesAbsolute": _INT32},
    ),
    "DynamicResources": _arguments(
        "DynamicResources", {"filterTimeout": DURATION, "bindingTimeout": DURATION}
    ),
    "InterPodAffinity": _arguments(
        "InterPodAffinity",
        {"hardPodAffinityWeight": _INT32, "ignorePreferredTermsOfExistingPods": _BOOLEAN},
    ),
    "NodeAffinity": _arguments("NodeAffinity", {"addedAffinity": _NODE_AFFINITY}),
    "NodeResourcesBalancedAllocation": _arguments(
        "NodeResourcesBalancedAllocation", {"resources": _RESOURCES}
    ),
    "NodeResourcesFit": _arguments(
        "NodeResourcesFit",
        {
            "ignoredResources": _STRINGS,
            "ignoredResourceGroups": _STRINGS,
            "scoringStrategy": _object(
                _CONFIG,
                "ScoringStrategy",
                {
                    "type": _STRING,
                    "resources": _RESOURCES,
                    "requestedToCapacityRatio": _object(
                        _CONFIG, "RequestedToCapacityRatioParam", {"shape": _SHAPE}
                    ),
                },
            ),
        },
    ),
    "PodTopologySpread": _arguments(
        "PodTopologySpread",
        {"defaultConstraints": _list(_SPREAD_CONSTRAINT), "defaultingType": _STRING},
    ),
    "VolumeBinding": _arguments("VolumeBinding", {"bindTimeoutSeconds": _INT64, "shape": _SHAPE}),
}
"""The plugins whose arguments have a form; those of others are free."""
