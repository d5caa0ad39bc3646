"""Random small clusters with device claims, as plain API objects: the same seed, the same one.

Pods like some nodes better than others, so that one is the best for each and chance decides
nothing.
"""

from __future__ import annotations

import random
from typing import Any, NamedTuple

from kubegang.apimachinery.objects import JsonObject

DRIVER = "gpu.example.com"
RESOURCE = "resource.k8s.io/v1"
MISSING_CLASS = "missing"
CPUS = (3, 6, 12, 24)
WEIGHTS = (100, 61, 23)


class Group(NamedTuple):
    """A pod group with all its members.

    Attributes:
        minimum: of the gang; ``None`` for a basic group.
        topology: the label whose value its pods must share, or empty.
        claims: what its members share.
    """

    name: str
    minimum: int | None
    topology: str
    claims: list[JsonObject]
    pods: list[JsonObject]


class Scene(NamedTuple):
    """One cluster.

    Attributes:
        tag: in the names of all that is in no namespace.
        first: nodes, classes, slices, a priority and claim templates.
        claims: made before the pods that name them, but for one that may come last.
        units: single pods, and groups; made one after the other.
        late: made at the end: what somebody may wait for.
        freed: names of pods that are deleted at the end.
    """

    tag: str
    first: list[JsonObject]
    claims: list[JsonObject]
    units: list[JsonObject | Group]
    late: list[JsonObject]
    freed: list[str]


class Painter:
    """Draws one scene; names of what is not in a namespace carry its tag."""

    def __init__(self, seed: int, *, number: int, with_groups: bool, full: bool) -> None:
        """Begin.

        Args:
            seed: says which scene.
            number: so often it was drawn before.
            with_groups: whether groups and their claims may occur.
            full: whether taints and partitions may occur, which need gates in 1.35.
        """
        self._rng = random.Random(seed)
        self._tag = f"s{seed}r{number}"
        self._groups = with_groups
        self._full = full
        cpus = self._rng.sample(CPUS, self._rng.choice((1, 2, 2, 3)))
        self._nodes = {f"{self._tag}-n{i}": cpu for i, cpu in enumerate(cpus)}
        self._classes = [f"{self._tag}-any", f"{self._tag}-big"]
        self._claims: list[str] = []
        self._pods = 0

    def scene(self) -> Scene:
        """Return the scene."""
        slices = [s for node in self._nodes for s in self._slices(node)]
        claims = [self._claim(f"c{i}") for i in range(self._rng.randint(1, 4))]
        self._claims = [claim["metadata"]["name"] for claim in claims]
        units = [self._unit(i) for i in range(self._rng.randint(2, 4))]
        late: list[JsonObject] = []
        if self._chance(0.3):
            late.append(claims.pop())
        if self._chance(0.4):
            late += self._slices(next(iter(self._nodes)), name="late")
        names = [f"p{i}" for i in range(self._pods)]
        return Scene(
            tag=self._tag,
            first=[
                *(self._node(name, cpu) for name, cpu in self._nodes.items()),
                *self._device_classes(),
                _object("scheduling.k8s.io/v1", "PriorityClass", f"{self._tag}-strong", value=1000),
                *slices,
                *(self._template(f"t{i}") for i in range(2)),
            ],
            claims=claims,
            units=units,
            late=late,
            freed=self._rng.sample(names, min(len(names), self._rng.choice((0, 1, 2)))),
        )

    # --- what is there -------------------------------------------------------------------

    def _node(self, name: str, cpu: int) -> JsonObject:
        amounts = {"cpu": str(cpu), "memory": "64Gi", "pods": "20"}
        node = _object("v1", "Node", name)
        node["metadata"]["labels"] = {
            "kubernetes.io/hostname": name,
            "zone": self._rng.choice(("a", "b")),
        }
        node["status"] = {"allocatable": amounts, "capacity": amounts}
        return node

    def _device_classes(self) -> list[JsonObject]:
        every, big = self._classes
        expressions = {
            every: f'device.driver == "{DRIVER}"',
            big: f'device.attributes["{DRIVER}"].size >= 2',
        }
        return [
            _object(
                RESOURCE,
                "DeviceClass",
                name,
                spec={"selectors": [{"cel": {"expression": expression}}]},
            )
            for name, expression in expressions.items()
        ]

    def _slices(self, node: str, *, name: str = "pool") -> list[JsonObject]:
        """Return what a node has: nothing, its own devices, or some that a zone can reach."""
        if self._chance(0.15):
            return []
        full = f"{node}-{name}"
        spec: JsonObject = {
            "driver": DRIVER,
            "pool": {"name": full, "generation": 1, "resourceSliceCount": 1},
            "devices": [self._device(i) for i in range(self._rng.choice((1, 2, 2, 3, 4)))],
        }
        if self._chance(0.85):
            spec["nodeName"] = node
        else:
            expression = {"key": "zone", "operator": "In", "values": [self._rng.choice("ab")]}
            spec["nodeSelector"] = {"nodeSelectorTerms": [{"matchExpressions": [expression]}]}
        return [_object(RESOURCE, "ResourceSlice", full, spec=spec)]

    def _device(self, number: int) -> JsonObject:
        device: JsonObject = {
            "name": f"d{number}",
            "attributes": {
                "size": {"int": self._rng.choice((1, 1, 2, 3))},
                "model": {"string": self._rng.choice("xy")},
            },
        }
        if self._full and self._chance(0.15):
            device["taints"] = [{"key": "worn", "value": "yes", "effect": "NoSchedule"}]
        return device

    # --- what is claimed -----------------------------------------------------------------

    def _claim(self, name: str) -> JsonObject:
        return _object(RESOURCE, "ResourceClaim", name, spec=self._claim_spec())

    def _template(self, name: str) -> JsonObject:
        spec = {"spec": self._claim_spec()}
        return _object(RESOURCE, "ResourceClaimTemplate", name, spec=spec)

    def _claim_spec(self) -> JsonObject:
        requests = [self._request(f"r{i}") for i in range(self._rng.choice((1, 1, 1, 2)))]
        devices: JsonObject = {"requests": requests}
        if self._chance(0.2):
            devices["constraints"] = [{"requests": [], "matchAttribute": f"{DRIVER}/model"}]
        return {"devices": devices}

    def _request(self, name: str) -> JsonObject:
        if self._chance(0.2):
            first = [{"name": f"a{i}", **self._wanted()} for i in range(2)]
            return {"name": name, "firstAvailable": first}
        return {"name": name, "exactly": self._wanted()}

    def _wanted(self) -> JsonObject:
        choices = (*self._classes, self._classes[0], self._classes[0])
        wanted: JsonObject = {"deviceClassName": self._rng.choice(choices)}
        if self._chance(0.05):
            wanted["deviceClassName"] = MISSING_CLASS
        if self._chance(0.1):
            wanted["allocationMode"] = "All"
        elif self._chance(0.3):
            wanted["count"] = 2
        if self._chance(0.2):
            expression = f'device.attributes["{DRIVER}"].model == "{self._rng.choice("xy")}"'
            wanted["selectors"] = [{"cel": {"expression": expression}}]
        if self._full and self._chance(0.2):
            wanted["tolerations"] = [{"key": "worn", "operator": "Exists"}]
        return wanted

    # --- who wants it --------------------------------------------------------------------

    def _unit(self, number: int) -> JsonObject | Group:
        if not self._groups or self._chance(0.4):
            pod = self._pod(_each_once(self._own_claims()))
            if self._chance(0.25):
                # Strong enough to have others evicted.
                pod["spec"]["priorityClassName"] = f"{self._tag}-strong"
                amount = self._rng.choice(("1", "3", "5"))
                pod["spec"]["containers"][0]["resources"]["requests"]["cpu"] = amount
            return pod
        size = self._rng.choice((2, 2, 3))
        shared = [self._entry("shared")] if self._chance(0.75) else []
        own = self._own_claims() if self._chance(0.5) else []
        if self._chance(0.5):
            own = [*shared, *own]
        elif shared:
            own = [*own, *shared]
        name = f"g{number}"
        own = _each_once(own)
        pods = [self._pod(own, group=name) for _ in range(size)]
        minimum = size if self._chance(0.75) else None
        return Group(name, minimum, "zone" if self._chance(0.2) else "", shared, pods)

    def _own_claims(self) -> list[JsonObject]:
        return [self._entry(f"own{i}") for i in range(self._rng.choice((0, 1, 1, 1, 2)))]

    def _entry(self, name: str) -> JsonObject:
        if self._chance(0.4):
            return {"name": name, "resourceClaimTemplateName": self._rng.choice(("t0", "t1"))}
        return {"name": name, "resourceClaimName": self._rng.choice(self._claims)}

    def _pod(self, claims: list[JsonObject], *, group: str = "") -> JsonObject:
        spec: JsonObject = {
            "affinity": {"nodeAffinity": self._liking()},
            "terminationGracePeriodSeconds": 0,
            "containers": [{"name": "c", "image": "img", "resources": {"requests": {"cpu": "1"}}}],
        }
        if claims:
            spec["resourceClaims"] = claims
        if group:
            spec["schedulingGroup"] = {"podGroupName": group}
        name = f"p{self._pods}"
        self._pods += 1
        return _object("v1", "Pod", name, spec=spec)

    def _liking(self) -> JsonObject:
        """Return an order of nodes."""
        return {
            "preferredDuringSchedulingIgnoredDuringExecution": [
                {"weight": weight, "preference": {"matchExpressions": [_named(node)]}}
                for node, weight in zip(self._nodes, WEIGHTS, strict=False)
            ]
        }

    def _chance(self, probability: float) -> bool:
        return self._rng.random() < probability


def _named(node: str) -> JsonObject:
    return {"key": "kubernetes.io/hostname", "operator": "In", "values": [node]}


def _each_once(entries: list[JsonObject]) -> list[JsonObject]:
    """Leave out entries that name a claim once more: upstream fails to reserve it twice."""
    claims = [entry.get("resourceClaimName") for entry in entries]
    return [
        entry
        for position, entry in enumerate(entries)
        if claims[position] is None or claims[position] not in claims[:position]
    ]


def _object(version: str, kind: str, name: str, **parts: Any) -> JsonObject:
    return {"apiVersion": version, "kind": kind, "metadata": {"name": name}, **parts}
