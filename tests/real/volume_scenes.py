"""Random small clusters with storage, as plain API objects: the same seed draws the same one."""

from __future__ import annotations

import dataclasses
import random
from collections.abc import Sequence
from typing import Any

from kubegang.apimachinery.objects import JsonObject

ZONE = "topology.kubernetes.io/zone"
HOSTNAME = "kubernetes.io/hostname"
DRIVERS = ("d.io", "e.io")
SIZES = ("1Gi", "2Gi", "5Gi")
MODES = (
    ["ReadWriteOnce"],
    ["ReadWriteOnce"],
    ["ReadWriteMany"],
    ["ReadWriteOncePod"],
    ["ReadWriteOnce", "ReadOnlyMany"],
)


@dataclasses.dataclass
class Scene:
    """One cluster.

    Attributes:
        first: nodes, drivers, classes and room.
        volumes: made next, so that claims find them.
        claims: made when the volumes are available.
        running: pods with a node.
        waiting: pods that are decided about, one after the other.
    """

    first: list[JsonObject]
    volumes: list[JsonObject]
    claims: list[JsonObject]
    running: list[JsonObject]
    waiting: list[JsonObject]


class Painter:
    """Draws one scene; names carry its tag, so that scenes do not meet."""

    def __init__(self, seed: int, *, version: str) -> None:
        self._rng = random.Random(seed)
        self._tag = f"s{seed}"
        self._version = version
        self._nodes = [f"{self._tag}-n{i}" for i in range(self._rng.choice((2, 3, 4)))]
        self._classes = [f"{self._tag}-{kind}" for kind in ("static", "now", "dyn", "ext")]

    def scene(self) -> Scene:
        """Return the scene."""
        volumes = [self._volume(i) for i in range(self._rng.randint(2, 6))]
        claims = [self._claim(i, volumes) for i in range(self._rng.randint(2, 5))]
        names = [claim["metadata"]["name"] for claim in claims]
        return Scene(
            first=[
                *(self._node(name) for name in self._nodes),
                *(self._csi_node(name) for name in self._nodes if self._chance(0.7)),
                *self._storage_classes(),
                *(self._room(i) for i in range(self._rng.randint(0, 2))),
            ],
            volumes=volumes,
            claims=claims,
            running=[
                self._pod(f"r{i}", names, node=self._rng.choice(self._nodes))
                for i in range(self._rng.randint(0, 3))
            ],
            waiting=[self._pod(f"w{i}", names) for i in range(4)],
        )

    def drivers(self) -> list[JsonObject]:
        """Return the drivers, which are of all scenes alike in name only."""
        specs: list[JsonObject] = []
        for driver in DRIVERS:
            spec: JsonObject = {"storageCapacity": self._chance(0.5)}
            if self._version != "1.35" and self._chance(0.3):
                spec["preventPodSchedulingIfMissing"] = True
            if self._chance(0.7):
                specs.append(_object("storage.k8s.io/v1", "CSIDriver", driver, spec=spec))
        return specs

    # --- what stands there ---------------------------------------------------------------

    def _node(self, name: str) -> JsonObject:
        labels = {HOSTNAME: name}
        if self._chance(0.7):
            labels[ZONE] = self._rng.choice(("z1", "z2"))
            labels["topology.ebs.csi.aws.com/zone"] = self._rng.choice(("z1", "z2"))
        amounts = {"cpu": "4", "memory": "8Gi", "pods": "20"}
        status: JsonObject = {"allocatable": amounts, "capacity": amounts}
        if self._chance(0.5):
            status["declaredFeatures"] = ["RestartAllContainersOnContainerExits"]
        return _object("v1", "Node", name, labels=labels, status=status)

    def _csi_node(self, name: str) -> JsonObject:
        drivers = []
        for driver in (*DRIVERS, "ebs.csi.aws.com"):
            if self._chance(0.7):
                count = self._rng.choice((None, 1, 1, 2, 3))
                allocatable = {} if count is None else {"count": count}
                drivers.append({"name": driver, "nodeID": name, "allocatable": allocatable})
        obj = _object("storage.k8s.io/v1", "CSINode", name, spec={"drivers": drivers})
        if self._chance(0.4):
            key = "storage.alpha.kubernetes.io/migrated-plugins"
            obj["metadata"]["annotations"] = {key: "kubernetes.io/aws-ebs"}
        return obj

    def _storage_classes(self) -> list[JsonObject]:
        static, now, dynamic, external = self._classes
        topologies = [
            {"matchLabelExpressions": [{"key": ZONE, "values": [self._rng.choice(("z1", "z2"))]}]}
        ]
        later = "WaitForFirstConsumer"
        none = "kubernetes.io/no-provisioner"
        return [
            _class(static, none, later),
            _class(now, none, "Immediate"),
            _class(dynamic, "d.io", later, topologies if self._chance(0.4) else None),
            _class(external, self._rng.choice(("e.io", "kubernetes.io/aws-ebs")), later),
        ]

    def _room(self, number: int) -> JsonObject:
        labels = {ZONE: self._rng.choice(("z1", "z2"))} if self._chance(0.7) else {}
        obj = _object("storage.k8s.io/v1", "CSIStorageCapacity", f"{self._tag}-room{number}")
        obj["metadata"]["namespace"] = "default"
        obj["storageClassName"] = self._rng.choice(self._classes[2:])
        obj["capacity"] = self._rng.choice(("1Gi", "4Gi", "10Gi"))
        obj["nodeTopology"] = {"matchLabels": labels}
        if self._chance(0.3):
            obj["maximumVolumeSize"] = "2Gi"
        return obj

    def _volume(self, number: int) -> JsonObject:
        name = f"{self._tag}-v{number}"
        spec: JsonObject = {
            "capacity": {"storage": self._rng.choice(SIZES)},
            "accessModes": self._rng.choice(MODES),
            "persistentVolumeReclaimPolicy": "Retain",
            "storageClassName": self._rng.choice((*self._classes[:2], self._classes[0], "")),
            **self._source(name),
        }
        labels = {"tier": self._rng.choice(("fast", "slow"))}
        if self._chance(0.2):
            labels[ZONE] = self._rng.choice(("z1", "z2", "z1__z2"))
        if self._chance(0.15):
            spec["volumeMode"] = "Block"
        if self._chance(0.5):
            where = self._rng.choice(((HOSTNAME, self._nodes), (ZONE, ("z1", "z2"))))
            spec["nodeAffinity"] = _affinity(where[0], self._rng.choice(where[1]))
        if self._chance(0.15):
            claim = f"{self._tag}-c{self._rng.randint(0, 4)}"
            spec["claimRef"] = {"namespace": "default", "name": claim}
        return _object("v1", "PersistentVolume", name, labels=labels, spec=spec)

    def _source(self, name: str) -> JsonObject:
        kind = self._rng.choice(("csi", "csi", "csi", "hostPath", "ebs"))
        if kind == "csi":
            return {"csi": {"driver": self._rng.choice(DRIVERS), "volumeHandle": name}}
        if kind == "ebs":
            return {"awsElasticBlockStore": {"volumeID": f"vol-{name}"}}
        return {"hostPath": {"path": "/tmp"}}

    def _claim(self, number: int, volumes: Sequence[JsonObject]) -> JsonObject:
        name = f"{self._tag}-c{number}"
        classes = (*self._classes, *self._classes[:1] * 2, "", f"{self._tag}-missing")
        spec: JsonObject = {
            "accessModes": self._rng.choice(MODES),
            "storageClassName": self._rng.choice(classes),
            "resources": {"requests": {"storage": self._rng.choice(SIZES[:2])}},
        }
        if self._chance(0.15):
            spec["selector"] = {"matchLabels": {"tier": "fast"}}
        if self._chance(0.1):
            spec["volumeMode"] = "Block"
        if self._chance(0.3):
            volume = self._rng.choice(volumes)
            spec["volumeName"] = volume["metadata"]["name"]
            spec["storageClassName"] = volume["spec"]["storageClassName"]
            spec["accessModes"] = volume["spec"]["accessModes"]
        obj = _object("v1", "PersistentVolumeClaim", name, spec=spec)
        obj["metadata"]["namespace"] = "default"
        return obj

    def _pod(self, name: str, claims: Sequence[str], *, node: str = "") -> JsonObject:
        chosen = self._rng.sample(claims, k=min(len(claims), self._rng.choice((1, 1, 1, 2))))
        volumes: list[JsonObject] = [
            {"name": f"v{i}", "persistentVolumeClaim": {"claimName": claim}}
            for i, claim in enumerate(chosen)
        ]
        if self._chance(0.05):
            volumes.append({"name": "m", "persistentVolumeClaim": {"claimName": "missing"}})
        if self._chance(0.2):
            volumes.append({"name": "d", **self._disk()})
        spec: JsonObject = {
            "containers": [{"name": "c", "image": "registry.example/app:1"}],
            "volumes": volumes,
            "terminationGracePeriodSeconds": 0,
        }
        if node:
            spec["nodeName"] = node
        if self._version != "1.35" and self._chance(0.1):
            exits = {"operator": "In", "values": [1]}
            rules = [{"action": "RestartAllContainers", "exitCodes": exits}]
            spec["containers"][0].update(restartPolicy="Never", restartPolicyRules=rules)
        obj = _object("v1", "Pod", f"{self._tag}-{name}", spec=spec)
        obj["metadata"]["namespace"] = "default"
        return obj

    def _disk(self) -> dict[str, Any]:
        read_only = self._chance(0.5)
        return self._rng.choice(
            (
                {"gcePersistentDisk": {"pdName": "disk", "readOnly": read_only}},
                {"awsElasticBlockStore": {"volumeID": "vol-x", "readOnly": read_only}},
                {"iscsi": _iscsi(read_only=read_only)},
                {"rbd": {"monitors": ["m1", "m2"], "image": "i", "readOnly": read_only}},
            )
        )

    def _chance(self, probability: float) -> bool:
        return self._rng.random() < probability


def _iscsi(*, read_only: bool) -> JsonObject:
    return {
        "targetPortal": "10.0.0.1:3260",
        "iqn": "iqn.2020-01.example:disk",
        "lun": 0,
        "readOnly": read_only,
    }


def _object(api_version: str, kind: str, name: str, **parts: Any) -> JsonObject:
    metadata: JsonObject = {"name": name, "labels": parts.pop("labels", {})}
    return {"apiVersion": api_version, "kind": kind, "metadata": metadata, **parts}


def _class(
    name: str, provisioner: str, mode: str, topologies: list[JsonObject] | None = None
) -> JsonObject:
    obj = _object("storage.k8s.io/v1", "StorageClass", name)
    obj.update(provisioner=provisioner, volumeBindingMode=mode, reclaimPolicy="Retain")
    if topologies is not None:
        obj["allowedTopologies"] = topologies
    return obj


def _affinity(key: str, value: str) -> JsonObject:
    expression = {"key": key, "operator": "In", "values": [value]}
    return {"required": {"nodeSelectorTerms": [{"matchExpressions": [expression]}]}}
