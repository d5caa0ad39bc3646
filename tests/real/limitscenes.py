"""Stories of limit ranges and quotas, with no controllers: counts are set by an administrator."""

from __future__ import annotations

from typing import Any

from tests.real.identityscenes import Scene, Step

LIMITS = [
    {
        "type": "Container",
        "default": {"cpu": "200m", "memory": "512Mi"},
        "defaultRequest": {"cpu": "100m"},
        "min": {"cpu": "50m", "memory": "4Mi"},
        "max": {"cpu": "1", "memory": "1Gi"},
        "maxLimitRequestRatio": {"cpu": "4"},
    },
    {
        "type": "Pod",
        "max": {"cpu": "2", "memory": "2Gi"},
        "min": {"cpu": "20m"},
        "maxLimitRequestRatio": {"memory": "2"},
    },
    {"type": "PersistentVolumeClaim", "min": {"storage": "1Gi"}, "max": {"storage": "10Gi"}},
]
HARD = {
    "pods": "2",
    "requests.cpu": "1",
    "limits.memory": "1Gi",
    "count/configmaps": "2",
    "secrets": "1",
    "services": "2",
    "services.nodeports": "1",
    "services.loadbalancers": "0",
    "persistentvolumeclaims": "1",
    "requests.storage": "5Gi",
    "count/jobs.batch": "1",
    "requests.nvidia.com/gpu": "1",
}


def limit_scenes(suffix: str = "0") -> dict[str, Scene]:
    """Return the stories by name; ``suffix`` keeps runs on one server apart."""
    return {"limits": _limits(f"limits-{suffix}"), "quota": _quota(f"quota-{suffix}")}


def _limits(namespace: str) -> Scene:
    home = f"/api/v1/namespaces/{namespace}"
    limits = {"metadata": {"name": "lr"}, "spec": {"limits": LIMITS}}
    pods = [
        _pod([{}, {"requests": {"cpu": "150m"}}], init=[{}]),
        _pod([{"requests": {"cpu": "10m", "memory": "1Mi"}, "limits": {"cpu": "3"}}]),
        _pod([{"requests": {"cpu": "100m"}, "limits": {"cpu": "900m", "memory": "1000Mi"}}]),
        _pod([{"limits": {"cpu": "1", "memory": "900Mi"}}] * 3),
        _pod([{"requests": {"cpu": "0"}}]),
    ]
    claims = [_claim(size) for size in ("100Mi", "1Gi", "100Gi")]
    return Scene(
        (_namespace(namespace), Step("POST", f"{home}/limitranges", limits)),
        (
            *(Step("POST", f"{home}/pods?dryRun=All", pod) for pod in pods),
            *(Step("POST", f"{home}/persistentvolumeclaims?dryRun=All", one) for one in claims),
        ),
    )


def _quota(namespace: str) -> Scene:
    home = f"/api/v1/namespaces/{namespace}"
    cpu = {"requests": {"cpu": "700m"}, "limits": {"memory": "512Mi"}}
    small = {"requests": {"cpu": "1m"}, "limits": {"memory": "1Mi"}}
    large = {"requests": {"cpu": "700m"}, "limits": {"memory": "1Gi"}}
    gpu = {
        "requests": {"cpu": "1m", "nvidia.com/gpu": "2"},
        "limits": {"memory": "1Mi", "nvidia.com/gpu": "2"},
    }
    pods = [_pod([{}]), _pod([{"requests": {"cpu": "1m"}}, small]), _pod([gpu]), _pod([cpu], "a")]
    pods += [_pod([large], "b"), _pod([small], "b"), _pod([small], "c")]
    quota = {"metadata": {"name": "q"}, "spec": {"hard": HARD}}
    counted = {**quota, "status": {"hard": HARD, "used": dict.fromkeys(HARD, "0")}}
    named = [{"metadata": {"name": name}} for name in ("a", "b", "c")]
    ports: list[dict[str, Any]] = [
        {"metadata": {"name": name}, "spec": {"type": kind, "ports": [{"port": 80}]}}
        for name, kind in (("a", "NodePort"), ("b", "NodePort"), ("c", "LoadBalancer"), ("d", ""))
    ]
    ports[-1]["spec"].pop("type")
    return Scene(
        (
            _namespace(namespace),
            Step("POST", f"{home}/resourcequotas", quota),
            Step("PUT", f"{home}/resourcequotas/q/status", counted),
        ),
        (
            *(Step("POST", f"{home}/pods", pod) for pod in pods),
            *(Step("POST", f"{home}/configmaps", one) for one in named),
            *(Step("POST", f"{home}/secrets", one) for one in named[:2]),
            Step("POST", f"{home}/persistentvolumeclaims", _claim("100Gi")),
            Step("POST", f"{home}/persistentvolumeclaims", _claim("1Gi")),
            *(Step("POST", f"{home}/services?dryRun=All", one) for one in ports),
            Step("GET", f"{home}/resourcequotas/q"),
        ),
    )


def _namespace(name: str) -> Step:
    return Step("POST", "/api/v1/namespaces", {"metadata": {"name": name}})


def _pod(
    resources: list[dict[str, Any]], name: str = "p", *, init: list[dict[str, Any]] | None = None
) -> dict[str, Any]:
    def containers(prefix: str, lists: list[dict[str, Any]]) -> list[dict[str, Any]]:
        return [
            {"name": f"{prefix}{number}", "image": "registry.example/app:1", "resources": one}
            for number, one in enumerate(lists)
        ]

    spec: dict[str, Any] = {"containers": containers("c", resources)}
    if init:
        spec["initContainers"] = containers("i", init)
    return {"metadata": {"name": name}, "spec": spec}


def _claim(size: str) -> dict[str, Any]:
    spec = {"accessModes": ["ReadWriteOnce"], "resources": {"requests": {"storage": size}}}
    return {"metadata": {"name": "claim"}, "spec": spec}
