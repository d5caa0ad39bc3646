"""Reports of rules whether pods are being evicted for them.

A rule is reported at once when it is new or changed, and then every ten seconds at most while
something happens.
"""

from __future__ import annotations

from collections import Counter

from kubegang.apimachinery.conditions import find_condition
from kubegang.apimachinery.objects import JsonObject
from kubegang.apimachinery.times import format_time, parse_time
from kubegang.base.clock import Clock
from kubegang.client.informer import Informer
from kubegang.client.interface import Client, Resource
from kubegang.controllers.devicetainteviction.conditions import (
    IN_PROGRESS,
    Counts,
    eviction_condition,
)
from kubegang.controllers.devicetainteviction.standing import Standing
from kubegang.controllers.devicetainteviction.taints import (
    NO_EXECUTE,
    Eviction,
    allocated_devices,
    device_of,
    is_about,
)

CONTROLLER = "device-taint-eviction-controller"
PERIOD_SECONDS = 10.0


class RuleStatus:
    """Writes the condition of rules.

    ``_evicted`` counts the pods that went for a rule since the controller was started.
    """

    def __init__(
        self,
        client: Client,
        *,
        resource: Resource,
        rules: Informer[JsonObject],
        pods: Informer[JsonObject],
        standing: Standing,
        clock: Clock,
    ) -> None:
        self._client = client
        self._resource = resource
        self._rules = rules
        self._pods = pods
        self._standing = standing
        self._clock = clock
        self._evicted: Counter[str] = Counter()

    def count(self, eviction: Eviction) -> None:
        """Count a pod that went, for each of the rules it went for."""
        self._evicted.update(r.rule_uid for r in eviction.reasons if r.rule_uid)

    def forget(self, rule: JsonObject) -> None:
        """Forget a rule that is gone."""
        self._evicted.pop(rule["metadata"]["uid"], None)

    async def report(self, name: str, uid: str) -> float:
        """Write a rule's condition if it says something new.

        Returns after how many seconds it is time to look again, nothing if it is not.
        """
        rule = self._rules.get("", name)
        if rule is None or rule["metadata"]["uid"] != uid:
            return 0.0
        now = self._clock.now()
        before = find_condition((rule.get("status") or {}).get("conditions"), IN_PROGRESS) or {}
        if before and before.get("observedGeneration", 0) == rule["metadata"].get("generation"):
            since = now - parse_time(before["lastTransitionTime"])
            if since < PERIOD_SECONDS:
                return PERIOD_SECONDS - since
        condition = eviction_condition(rule, self._counts(rule))
        if any(before.get(field) != value for field, value in condition.items()):
            await self._write(rule, {**condition, "lastTransitionTime": format_time(now)})
        return 0.0

    async def _write(self, rule: JsonObject, condition: JsonObject) -> None:
        name, uid = rule["metadata"]["name"], rule["metadata"]["uid"]
        applied = {
            "apiVersion": self._resource.api_version,
            "kind": self._resource.kind,
            "metadata": {"name": name, "uid": uid},
            "status": {"conditions": [condition]},
        }
        await self._client.patch(
            self._resource,
            name,
            patch=applied,
            patch_type="apply",
            subresource="status",
            field_manager=CONTROLLER,
            force=True,
        )

    def _counts(self, rule: JsonObject) -> Counts:
        evicted = self._evicted[rule["metadata"]["uid"]]
        match rule["spec"]["taint"]["effect"]:
            case "None":
                pods = self._pods_for(rule, self._standing.if_evicting(rule))
                published = sum(is_about(rule, d) for d in self._standing.pools.devices())
                allocated = sum(
                    is_about(rule, device_of(result))
                    for claim in self._standing.claims()
                    for result in allocated_devices(claim)
                )
            case effect:
                pods = self._pods_for(rule, self._standing) if effect == NO_EXECUTE else []
                published = allocated = 0
        return Counts(
            pods=len(pods),
            namespaces=len(set(pods)),
            published=published,
            allocated=allocated,
            evicted=evicted,
        )

    def _pods_for(self, rule: JsonObject, standing: Standing) -> list[str]:
        """Return the namespaces of the pods that have to go for a rule, once per pod."""
        uid = rule["metadata"]["uid"]
        return [
            pod["metadata"]["namespace"]
            for pod in self._pods.items()
            if pod["metadata"].get("deletionTimestamp") is None
            and (eviction := standing.pod_eviction(pod)) is not None
            and any(reason.rule_uid == uid for reason in eviction.reasons)
        ]
