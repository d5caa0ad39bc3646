"""Pods that are valid, mostly, and odd: what an API server has a warning for, by chance."""

from __future__ import annotations

from collections.abc import Callable
from random import Random
from typing import Any, Final

Json = dict[str, Any]

_PATHS: Final = ("a", "b", "a/b", "a/b/c", "a/", "b//", "ab", "..a", "c/d/e", "c")
_AMOUNTS: Final = ("100m", "1", "1500m", "1Gi", "1.5", "0.5Gi", "1234567u", "1e-1", "10Pi")
_ADDRESSES: Final = ("1.1.1.1", "2001:DB8::1", "::1", "fd00:0::1")
_LABELS: Final = (
    "beta.kubernetes.io/arch",
    "failure-domain.beta.kubernetes.io/zone",
    "node-role.kubernetes.io/master",
    "example.com/fine",
)
_SOURCES: Final[tuple[Json, ...]] = (
    {"gitRepo": {"repository": "r"}},
    {"storageos": {"volumeName": "v"}},
    {"glusterfs": {"endpoints": "e", "path": "p"}},
    {"cephfs": {"monitors": ["m"]}},
    {"rbd": {"monitors": ["m"], "image": "i"}},
    {"photonPersistentDisk": {"pdID": "x"}},
)
_ANNOTATIONS: Final = {
    "scheduler.alpha.kubernetes.io/critical-pod": "",
    "security.alpha.kubernetes.io/sysctls": "",
    "seccomp.security.alpha.kubernetes.io/pod": "runtime/default",
    "container.seccomp.security.alpha.kubernetes.io/c": "runtime/default",
    "container.apparmor.security.beta.kubernetes.io/c": "localhost/x",
    "container.apparmor.security.beta.kubernetes.io/d": "unconfined",
}
_REQUIRED: Final = "requiredDuringSchedulingIgnoredDuringExecution"
_PREFERRED: Final = "preferredDuringSchedulingIgnoredDuringExecution"


class OddPods:
    """Makes pods, and templates of the same form."""

    def __init__(self, seed: int) -> None:
        self._rng = Random(seed)

    def template(self) -> Json:
        """Return metadata and spec."""
        annotations = {key: text for key, text in _ANNOTATIONS.items() if self._rarely()}
        metadata = {"labels": {"app": "a"}, "annotations": annotations}
        return {"metadata": metadata, "spec": self._spec()}

    def _spec(self) -> Json:
        spec: Json = {"containers": [self._container(name) for name in self._some("c", "d", "e")]}
        members: dict[str, Callable[[], Any]] = {
            "initContainers": lambda: [self._container("i")],
            "volumes": lambda: [self._volume(f"v{i}") for i in range(self._few())],
            "hostAliases": lambda: [self._alias() for _ in range(self._few())],
            "imagePullSecrets": lambda: [self._secret() for _ in range(self._few())],
            "terminationGracePeriodSeconds": lambda: self._rng.choice((-1, 0, 5)),
            "nodeSelector": lambda: {self._rng.choice(_LABELS): "x"},
            "topologySpreadConstraints": lambda: [self._constraint()],
            "affinity": self._affinity,
            "dnsConfig": lambda: {"nameservers": [self._rng.choice(_ADDRESSES)]},
        }
        for name, make in members.items():
            if self._rng.random() < 0.3:
                spec[name] = make()
        return spec

    def _container(self, name: str) -> Json:
        container: Json = {"name": name, "image": "i"}
        if self._rng.random() < 0.6:
            container["ports"] = [self._port() for _ in range(self._few())]
        if self._rng.random() < 0.4:
            container["env"] = [self._variable() for _ in range(self._few())]
        if self._rng.random() < 0.4:
            member = self._rng.choice(("limits", "requests"))
            names = self._some("memory", "ephemeral-storage")
            container["resources"] = {member: {one: self._amount() for one in names}}
        return container

    def _port(self) -> Json:
        port: Json = {"containerPort": self._rng.choice((80, 80, 81))}
        if self._rng.random() < 0.5:
            port["hostPort"] = self._rng.choice((80, 80, 81))
        if self._rng.random() < 0.4:
            port["hostIP"] = self._rng.choice(("1.2.3.4", "::1"))
        if self._rng.random() < 0.4:
            port["name"] = self._rng.choice("abc")
        return port

    def _variable(self) -> Json:
        values = ("1", "$(A)", "$(A)x", "x$(B)y", "")
        return {"name": self._rng.choice("AB"), "value": self._rng.choice(values)}

    def _volume(self, name: str) -> Json:
        claim = {
            "accessModes": ["ReadWriteOnce"],
            "resources": {"requests": {"storage": self._amount()}},
        }
        sources: tuple[Json, ...] = (
            {"configMap": {"name": "m", "items": self._items()}},
            {"secret": {"secretName": "s", "items": self._items()}},
            {"projected": {"sources": [self._projection() for _ in range(self._few())]}},
            {"ephemeral": {"volumeClaimTemplate": {"spec": claim}}},
            self._rng.choice(_SOURCES),
        )
        return {"name": name, **self._rng.choice(sources)}

    def _projection(self) -> Json:
        items = [{"path": self._path(), "fieldRef": {"fieldPath": "metadata.name"}}]
        sources: tuple[Json, ...] = (
            {},
            {"configMap": {"name": self._rng.choice("mn"), "items": self._items()}},
            {"secret": {"name": "s", "items": self._items()}},
            {"downwardAPI": {"items": items}},
        )
        return self._rng.choice(sources)

    def _items(self) -> list[Json]:
        return [{"key": f"k{i}", "path": self._path()} for i in range(self._few())]

    def _alias(self) -> Json:
        return {"ip": self._rng.choice(_ADDRESSES), "hostnames": ["a"]}

    def _secret(self) -> Json:
        secrets: tuple[Json, ...] = ({"name": "a"}, {"name": "b"}, {})
        return self._rng.choice(secrets)

    def _constraint(self) -> Json:
        key = self._rng.choice(_LABELS)
        return {"maxSkew": 1, "topologyKey": key, "whenUnsatisfiable": "DoNotSchedule"}

    def _affinity(self) -> Json:
        key = self._rng.choice(_LABELS)
        odd = {"key": key, "operator": "In", "values": [self._rng.choice(("a", "-b", "b c"))]}
        term: Json = {"topologyKey": "zone"}
        if self._rarely():
            term["labelSelector"] = {}
        preferred = [{"weight": 1, "preference": {"matchExpressions": [odd]}}]
        return {
            "nodeAffinity": {_PREFERRED: preferred},
            "podAffinity": {_REQUIRED: [term]},
            "podAntiAffinity": {_PREFERRED: [{"weight": 1, "podAffinityTerm": term}]},
        }

    def _path(self) -> str:
        return self._rng.choice(_PATHS)

    def _amount(self) -> str:
        return self._rng.choice(_AMOUNTS)

    def _few(self) -> int:
        return self._rng.randint(1, 4)

    def _some(self, *names: str) -> tuple[str, ...]:
        return names[: self._rng.randint(1, len(names))]

    def _rarely(self) -> bool:
        return self._rng.random() < 0.2
