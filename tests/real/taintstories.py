"""Random stories of devices with taints, of rules, and of pods that use such devices."""

from __future__ import annotations

import random
from typing import Any, Literal

import msgspec

from kubegang.apimachinery.errors import ApiError
from kubegang.apimachinery.times import format_time
from kubegang.base.clock import RealClock
from kubegang.client.interface import Client, Resource
from kubegang.client.resources import (
    CORE_EVENTS,
    PODS,
    RESOURCECLAIMS,
    RESOURCESLICES,
    device_taint_rules_in,
)
from tests.component.claimobjects import Json, by_name, claim, group_with, pod_with, reservation
from tests.real.taintviews import TOLD, pod_view, rule_view, told_of_pods

NODE = "n1"
_POOLS, _DEVICES, _PODS, _RULES = ("a", "b"), ("d0", "d1", "d2"), ("p0", "p1", "p2"), ("r0", "r1")
_CLAIMS = ("c0", "c1")

What = Literal["slice", "claim", "reserve", "pod", "delete_pod", "rule", "delete_rule"]


class Step(msgspec.Struct, frozen=True, omit_defaults=True):
    """Something that a user, a driver or the scheduler does.

    No pod is done: a claim with other users the real ResourceClaim controller then reserves and
    releases without end.

    Attributes:
        name: of what it happens to.
        taints: per device, of a slice.
        results: devices of a claim, with tolerations.
        users: whom a claim is reserved for.
        effect, selector: of a rule.
        ago: how long the taint is there already.
    """

    what: What
    name: str
    taints: dict[str, list[Json]] = {}
    results: list[Json] = []
    users: tuple[str, ...] = ()
    effect: str = ""
    selector: Json | None = None
    ago: int = 0


def make_story(seed: int, *, rules: bool) -> list[Step]:
    """Return what happens in one case, with rules of administrators or without."""
    return _Teller(random.Random(seed), rules=rules).tell()


class _Teller:
    def __init__(self, chance: random.Random, *, rules: bool) -> None:
        self._chance = chance
        self._rules = rules

    def tell(self) -> list[Step]:
        chance = self._chance
        first = [self._slice(pool) for pool in _POOLS]
        first += [self._claim(name) for name in _CLAIMS]
        first += [Step("pod", name, users=self._some(_CLAIMS)) for name in _PODS]
        first += [self._reserve(name) for name in _CLAIMS]
        if self._rules:
            first += [self._rule(name) for name in _RULES if chance.random() < 0.4]
        return first + [self._next() for _ in range(chance.randint(3, 6))]

    def _next(self) -> Step:
        chance = self._chance
        pick = chance.random()
        if self._rules and pick < 0.4:
            name = chance.choice(_RULES)
            return Step("delete_rule", name) if pick < 0.1 else self._rule(name)
        if pick < 0.6:
            return self._slice(chance.choice(_POOLS))
        if pick < 0.7:
            return self._reserve(chance.choice(_CLAIMS))
        if pick < 0.85:
            return Step("delete_pod", chance.choice(_PODS))
        return Step("pod", chance.choice(_PODS), users=self._some(_CLAIMS))

    def _slice(self, pool: str) -> Step:
        taints = {
            device: [self._taint() for _ in range(self._chance.choice((0, 0, 0, 1, 2)))]
            for device in self._some(_DEVICES)
        }
        return Step("slice", pool, taints=taints, ago=self._chance.choice((0, 0, 3)))

    def _taint(self) -> Json:
        effect = self._chance.choice(("NoExecute", "NoExecute", "NoSchedule", "None"))
        return {
            "key": self._chance.choice(("hot", "old")),
            "value": self._chance.choice(("", "very")),
            "effect": effect,
        }

    def _claim(self, name: str) -> Step:
        results = [
            {
                "request": "one",
                "pool": self._chance.choice(_POOLS),
                "device": self._chance.choice(_DEVICES),
                "tolerations": [
                    self._toleration() for _ in range(self._chance.choice((0, 0, 1, 2)))
                ],
            }
            for _ in range(self._chance.randint(1, 2))
        ]
        return Step("claim", name, results=results)

    def _toleration(self) -> Json:
        chance = self._chance
        found: Json = {"key": chance.choice(("hot", "hot", "old", "admin"))}
        if chance.random() < 0.5:
            found["operator"] = "Exists"
        else:
            found |= {"operator": "Equal", "value": chance.choice(("", "very"))}
        if (effect := chance.choice(("NoExecute", "NoExecute", "NoSchedule", ""))) != "":
            found["effect"] = effect
        if effect == "NoExecute" and chance.random() < 0.6:
            found["tolerationSeconds"] = chance.choice((0, 4, 7, 3600))
        return found

    def _rule(self, name: str) -> Step:
        chance = self._chance
        selector: Json | None = {}
        if chance.random() < 0.5:
            selector = {"pool": chance.choice(_POOLS)}
        if chance.random() < 0.3:
            selector = {**(selector or {}), "device": chance.choice(_DEVICES)}
        if chance.random() < 0.05:
            selector = None
        effect = chance.choice(("NoExecute", "NoExecute", "NoSchedule", "None", "None"))
        return Step("rule", name, effect=effect, selector=selector)

    def _reserve(self, name: str) -> Step:
        who = [f"pod/{pod}" for pod in _PODS] + ["group/g", "pod/gone"]
        return Step("reserve", name, users=self._some(tuple(who)))

    def _some(self, names: tuple[str, ...]) -> tuple[str, ...]:
        return tuple(name for name in names if self._chance.random() < 0.6)


class World:
    """One cluster in which a story is played, with a namespace and a driver of its own."""

    def __init__(self, client: Client, namespace: str, *, rules_version: str, group: str) -> None:
        self._client = client
        self._namespace = namespace
        self._driver = f"{namespace}.example.com"
        self._rules = device_taint_rules_in(rules_version)
        self._group_version = group
        self._generations: dict[str, int] = {}

    async def do(self, step: Step) -> str:
        """Do one step; return what the API said if it was no."""
        try:
            await getattr(self, f"_{step.what}")(step)
        except ApiError as error:
            return f"{type(error).__name__}"
        return ""

    async def _slice(self, step: Step) -> None:
        self._generations[step.name] = generation = self._generations.get(step.name, 0) + 1
        added = format_time(RealClock().now() - step.ago) if step.ago else None
        devices = [
            {"name": name, "taints": [_dated(taint, added) for taint in taints]}
            for name, taints in step.taints.items()
        ]
        pool = {"name": step.name, "generation": generation, "resourceSliceCount": 1}
        spec = {"driver": self._driver, "nodeName": NODE, "pool": pool, "devices": devices}
        name = f"{self._namespace}-{step.name}"
        body = _object("resource.k8s.io/v1", "ResourceSlice", name, spec=spec)
        await self._put(RESOURCESLICES, body, "")

    async def _claim(self, step: Step) -> None:
        await self._client.create(RESOURCECLAIMS, claim(step.name), self._namespace)
        results = [{"driver": self._driver, **result} for result in step.results]
        status = {"allocation": {"devices": {"results": results}}}
        await self._status(step.name, status)

    async def _reserve(self, step: Step) -> None:
        known = {pod["metadata"]["name"]: pod for pod in await self._all(PODS)}
        entries: list[Json] = []
        for user in step.users:
            kind, _, name = user.partition("/")
            if kind == "group":
                group = group_with(name)
                entries.append(reservation({**group, "metadata": {"name": name, "uid": "g"}}))
            elif name in known:
                entries.append(reservation(known[name]))
            elif name == "gone":
                entries.append({"resource": "pods", "name": "gone", "uid": "gone"})
        await self._status(step.name, {"reservedFor": entries})

    async def _pod(self, step: Step) -> None:
        entries = [by_name(f"e{i}", name) for i, name in enumerate(step.users)]
        group = "g" if self._group_version and step.name == "p2" else ""
        body = pod_with(step.name, *entries, group=group, node=NODE)
        await self._client.create(PODS, body, self._namespace)

    async def _delete_pod(self, step: Step) -> None:
        await self._client.delete(PODS, step.name, self._namespace, grace_period_seconds=0)

    async def _rule(self, step: Step) -> None:
        spec: Json = {"taint": {"key": "admin", "effect": step.effect}}
        if step.selector is not None:
            spec["deviceSelector"] = {"driver": self._driver, **step.selector}
        name = f"{self._namespace}-{step.name}"
        body = _object(self._rules.api_version, "DeviceTaintRule", name, spec=spec)
        await self._put(self._rules, body, "")

    async def _delete_rule(self, step: Step) -> None:
        await self._client.delete(self._rules, f"{self._namespace}-{step.name}")

    async def _put(self, resource: Resource, body: Json, namespace: str) -> None:
        name = body["metadata"]["name"]
        found = (await self._client.list(resource, field_selector=f"metadata.name={name}")).items
        if not found:
            await self._client.create(resource, body, namespace)
            return
        changed = {**found[0], "spec": body["spec"]}
        await self._client.update(resource, changed)

    async def _status(self, name: str, status: Json) -> None:
        await self._client.patch(
            RESOURCECLAIMS,
            name,
            self._namespace,
            patch={"status": status},
            subresource="status",
        )

    async def _all(self, resource: Resource) -> list[Json]:
        return (await self._client.list(resource, self._namespace)).items

    async def see(self, *, rules: bool) -> Json:
        """Return what is there, in a form that is equal on both clusters."""
        found: Json = {}
        for pod in await self._all(PODS):
            found[f"pod {pod['metadata']['name']}"] = pod_view(pod)
        for one in await self._all(RESOURCECLAIMS):
            users = (one.get("status") or {}).get("reservedFor") or ()
            found[f"claim {one['metadata']['name']}"] = sorted(user["name"] for user in users)
        events = [event for event in await self._all(CORE_EVENTS) if event["reason"] == TOLD]
        found["events"] = told_of_pods(events)
        if rules:
            for rule in (await self._client.list(self._rules)).items:
                if rule["metadata"]["name"].startswith(f"{self._namespace}-"):
                    found[f"rule {rule['metadata']['name'][-2:]}"] = rule_view(rule)
        return found

    async def end(self) -> None:
        """Remove what is in no namespace."""
        for resource in (RESOURCESLICES, self._rules):
            for obj in (await self._client.list(resource)).items:
                if obj["metadata"]["name"].startswith(f"{self._namespace}-"):
                    await self._client.delete(resource, obj["metadata"]["name"])


def _dated(taint: Json, added: str | None) -> Json:
    return taint if added is None else {**taint, "timeAdded": added}


def _object(api_version: str, kind: str, name: str, **parts: Any) -> Json:
    return {"apiVersion": api_version, "kind": kind, "metadata": {"name": name}, **parts}
