"""Definitions shaped like those of well-known projects, and objects for them.

The fields are the public ones of JobSet, LeaderWorkerSet, PyTorchJob and RayCluster, a part of
them each; pods are left to the API server to keep as they are.
"""

from __future__ import annotations

from typing import Any

Json = dict[str, Any]

KEEPS = "x-kubernetes-preserve-unknown-fields"
RULES = "x-kubernetes-validations"
IMMUTABLE = "Value is immutable"
COUNT: Json = {"type": "integer", "format": "int32"}
TEXT: Json = {"type": "string"}
OPEN: Json = {"type": "object", KEEPS: True}


def thing(properties: Json, **others: Any) -> Json:
    """Return the schema of an object."""
    return {"type": "object", "properties": properties, **others}


def listed(items: Json, *keys: str, **others: Any) -> Json:
    """Return the schema of a list: a map by keys, or replaced as a whole."""
    if keys:
        others |= {"x-kubernetes-list-type": "map", "x-kubernetes-list-map-keys": list(keys)}
    return {"type": "array", "items": items, **others}


def conditions() -> Json:
    """Return the schema of conditions."""
    names = ("type", "status", "reason", "message", "lastTransitionTime")
    one = thing(dict.fromkeys(names, TEXT), required=["type", "status"])
    return listed(one, "type")


def definition(group: str, kind: str, plural: str, *versions: Json, **names: Any) -> Json:
    """Return a CustomResourceDefinition."""
    return {
        "apiVersion": "apiextensions.k8s.io/v1",
        "kind": "CustomResourceDefinition",
        "metadata": {"name": f"{plural}.{group}"},
        "spec": {
            "group": group,
            "scope": "Namespaced",
            "names": {"kind": kind, "plural": plural, **names},
            "versions": list(versions),
        },
    }


def version(
    name: str, spec: Json, status: Json, *columns: tuple[str, str, str], **others: Any
) -> Json:
    """Return a version with a status of its own; columns are name, type and path."""
    described = {"description": "As its name says.", **TEXT}
    root = thing(
        {
            "apiVersion": described,
            "kind": described,
            "metadata": {"type": "object"},
            "spec": spec,
            "status": status,
        }
    )
    return {
        "name": name,
        "served": True,
        "storage": True,
        "schema": {"openAPIV3Schema": root},
        "subresources": {"status": {}},
        "additionalPrinterColumns": [
            {"name": name, "type": kind, "jsonPath": path} for name, kind, path in columns
        ],
        **others,
    }


def _unchanging(schema: Json) -> Json:
    return {**schema, RULES: [{"rule": "self == oldSelf", "message": IMMUTABLE}]}


def job_set() -> Json:
    """Return a definition like JobSet's."""
    job = thing(
        {
            "name": {"type": "string", "maxLength": 63},
            "groupName": {"type": "string", "default": "default"},
            "replicas": {**COUNT, "default": 1},
            "template": thing({"metadata": OPEN, "spec": OPEN}),
        },
        required=["name", "template"],
    )
    targets = {"type": "array", "items": TEXT, "x-kubernetes-list-type": "atomic"}
    policy = thing(
        {
            "operator": {"type": "string", "enum": ["All", "Any"]},
            "targetReplicatedJobs": targets,
        },
        required=["operator"],
    )
    spec = thing(
        {
            "replicatedJobs": listed(job, "name", maxItems=20),
            "network": thing({"enableDNSHostnames": {"type": "boolean"}, "subdomain": TEXT}),
            "successPolicy": _unchanging(policy),
            "failurePolicy": thing({"maxRestarts": {**COUNT, "default": 0}}),
            "startupPolicy": thing(
                {"startupPolicyOrder": {"type": "string", "enum": ["AnyOrder", "InOrder"]}},
                required=["startupPolicyOrder"],
            ),
            "suspend": {"type": "boolean"},
            "managedBy": _unchanging(TEXT),
            "ttlSecondsAfterFinished": {**COUNT, "minimum": 0},
        }
    )
    numbers = ("active", "failed", "ready", "succeeded", "suspended")
    shown = thing({"name": TEXT, **dict.fromkeys(numbers, COUNT)}, required=["name", *numbers])
    status = thing(
        {
            "conditions": conditions(),
            "restarts": COUNT,
            "terminalState": TEXT,
            "replicatedJobsStatus": listed(shown, "name"),
        }
    )
    made = version(
        "v1alpha2",
        spec,
        status,
        ("TerminalState", "string", ".status.terminalState"),
        ("Restarts", "string", ".status.restarts"),
        ("Completed", "string", '.status.conditions[?(@.type=="Completed")].status'),
        ("Suspended", "string", ".spec.suspend"),
        ("Age", "date", ".metadata.creationTimestamp"),
    )
    return definition("jobset.example.com", "JobSet", "jobsets", made, shortNames=["js"])


def leader_worker_set() -> Json:
    """Return a definition like LeaderWorkerSet's: with a scale, and numbers that may be texts."""
    amount = {
        "anyOf": [{"type": "integer"}, {"type": "string"}],
        "x-kubernetes-int-or-string": True,
    }
    rolling = thing(
        {"maxUnavailable": {**amount, "default": 1}, "maxSurge": {**amount, "default": 0}}
    )
    template = thing(
        {
            "size": {**COUNT, "default": 1, "minimum": 1},
            "leaderTemplate": OPEN,
            "workerTemplate": OPEN,
            "restartPolicy": {
                "type": "string",
                "enum": ["RecreateGroupOnPodRestart", "None"],
                "default": "RecreateGroupOnPodRestart",
            },
        },
        required=["workerTemplate"],
    )
    spec = thing(
        {
            "replicas": {**COUNT, "default": 1},
            "leaderWorkerTemplate": template,
            "rolloutStrategy": thing(
                {
                    "type": {**TEXT, "default": "RollingUpdate"},
                    "rollingUpdateConfiguration": rolling,
                },
                required=["type"],
                default={"type": "RollingUpdate", "rollingUpdateConfiguration": {}},
            ),
            "startupPolicy": {**TEXT, "default": "LeaderCreated"},
        },
        required=["leaderWorkerTemplate"],
    )
    numbers = dict.fromkeys(("readyReplicas", "updatedReplicas", "replicas"), COUNT)
    status = thing({"conditions": conditions(), "hpaPodSelector": TEXT, **numbers})
    scale = {
        "specReplicasPath": ".spec.replicas",
        "statusReplicasPath": ".status.replicas",
        "labelSelectorPath": ".status.hpaPodSelector",
    }
    made = version(
        "v1",
        spec,
        status,
        ("Ready", "integer", ".status.readyReplicas"),
        ("Desired", "integer", ".spec.replicas"),
        subresources={"status": {}, "scale": scale},
    )
    group = "leaderworkerset.example.com"
    return definition(group, "LeaderWorkerSet", "leaderworkersets", made, shortNames=["lws"])


def torch_job() -> Json:
    """Return a definition like PyTorchJob's: pods by role, in a map."""
    role = thing(
        {
            "replicas": COUNT,
            "restartPolicy": TEXT,
            "template": thing({"metadata": OPEN, "spec": OPEN}),
        }
    )
    elastic = thing(
        {"minReplicas": COUNT, "maxReplicas": COUNT, "rdzvBackend": TEXT},
        **{
            RULES: [
                {
                    "rule": "!has(self.minReplicas) || !has(self.maxReplicas)"
                    " || self.minReplicas <= self.maxReplicas",
                    "messageExpression": "'at least %d, at most %d'"
                    ".format([self.minReplicas, self.maxReplicas])",
                    "fieldPath": ".minReplicas",
                }
            ]
        },
    )
    policy = thing(
        {
            "cleanPodPolicy": TEXT,
            "backoffLimit": COUNT,
            "schedulingPolicy": thing({"minAvailable": COUNT, "queue": TEXT}),
            "suspend": {"type": "boolean"},
        }
    )
    spec = thing(
        {
            "pytorchReplicaSpecs": {"type": "object", "additionalProperties": role},
            "elasticPolicy": elastic,
            "nprocPerNode": TEXT,
            "runPolicy": policy,
        },
        required=["pytorchReplicaSpecs"],
    )
    status = thing(
        {
            "conditions": {"type": "array", "items": OPEN},
            "replicaStatuses": {"type": "object", "additionalProperties": OPEN},
            "startTime": {"type": "string", "format": "date-time"},
        }
    )
    made = version("v1", spec, status, ("State", "string", ".status.conditions[-1:].type"))
    names = {"singular": "pytorchjob", "categories": ["all"]}
    return definition("training.example.com", "PyTorchJob", "pytorchjobs", made, **names)


def ray_cluster() -> Json:
    """Return a definition like RayCluster's, in two versions of which the older is deprecated."""
    pod = thing(
        {"rayStartParams": {"type": "object", "additionalProperties": TEXT}, "template": OPEN}
    )
    worker = thing(
        {
            **pod["properties"],
            "groupName": TEXT,
            "replicas": {**COUNT, "default": 0},
            "minReplicas": {**COUNT, "default": 0},
            "maxReplicas": {**COUNT, "default": 2147483647},
        },
        required=["groupName", "template"],
    )
    spec = thing(
        {
            "rayVersion": TEXT,
            "enableInTreeAutoscaling": {"type": "boolean"},
            "headGroupSpec": pod,
            "workerGroupSpecs": {"type": "array", "items": worker},
            "suspend": {"type": "boolean"},
        },
        required=["headGroupSpec"],
    )
    status = thing(
        {"state": TEXT, "desiredWorkerReplicas": COUNT, "availableWorkerReplicas": COUNT}
    )
    columns = (
        ("desired workers", "integer", ".status.desiredWorkerReplicas"),
        ("status", "string", ".status.state"),
    )
    fields = [{"jsonPath": ".spec.rayVersion"}]
    new = version("v1", spec, status, *columns, selectableFields=fields)
    old = version("v1alpha1", spec, status, storage=False, deprecated=True, selectableFields=fields)
    group = "ray.example.com"
    return definition(group, "RayCluster", "rayclusters", new, old, categories=["all"])


def pods(image: str = "registry.example/trainer:1") -> Json:
    """Return a pod template."""
    containers = [{"name": "main", "image": image, "resources": {"requests": {"cpu": "1"}}}]
    return {"spec": {"containers": containers}}


def custom(made: Json, name: str, spec: Json, **metadata: Any) -> Json:
    """Return an object of a definition, in its first version."""
    parts = made["spec"]
    return {
        "apiVersion": f"{parts['group']}/{parts['versions'][0]['name']}",
        "kind": parts["names"]["kind"],
        "metadata": {"name": name, **metadata},
        "spec": spec,
    }


def examples() -> list[tuple[Json, Json]]:
    """Return each definition with an object that it accepts."""
    sets, leaders, torch, ray = job_set(), leader_worker_set(), torch_job(), ray_cluster()
    jobs = [{"name": "driver", "template": pods()}, {"name": "workers", "template": pods()}]
    roles = {"Master": {"replicas": 1, "template": pods()}}
    groups = [{"groupName": "small", "template": pods()}]
    return [
        (sets, custom(sets, "train", {"replicatedJobs": jobs, "suspend": True})),
        (leaders, custom(leaders, "serve", {"leaderWorkerTemplate": {"workerTemplate": pods()}})),
        (torch, custom(torch, "tune", {"pytorchReplicaSpecs": roles})),
        (
            ray,
            custom(
                ray,
                "ray",
                {
                    "headGroupSpec": {"template": pods()},
                    "workerGroupSpecs": groups,
                    "rayVersion": "2",
                },
            ),
        ),
    ]
