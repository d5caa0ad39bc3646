"""Random stories of pods, PodGroups, templates and ResourceClaims, and what is left of them."""

from __future__ import annotations

import random
import re
from collections.abc import Sequence
from typing import Any, Literal

import msgspec

from kubegang.apimachinery.errors import ApiError, ConflictError, NotFoundError
from kubegang.client.interface import Client, Resource
from kubegang.client.resources import (
    CORE_EVENTS,
    PODS,
    RESOURCECLAIMS,
    RESOURCECLAIMTEMPLATES,
    pod_groups_in,
)
from tests.component.claimobjects import (
    FINALIZER,
    Json,
    allocation,
    by_name,
    by_template,
    claim,
    group_with,
    pod_with,
    reservation,
    template,
)

ENTRY = "resource.kubernetes.io/pod-claim-name"
NODE = "n1"
_TEMPLATES, _CLAIMS, _GROUPS = ("t0", "t1"), ("c0", "c1"), ("g0", "g1")

What = Literal["create", "delete", "allocate", "phase", "bind"]


class Step(msgspec.Struct, frozen=True, omit_defaults=True):
    """Something that a user, the scheduler or a kubelet does.

    Attributes:
        kind: template, claim, group or pod; a claim may be a made one, by its role.
        name: the name, or the role of a made claim: ``Pod/p0/x``.
        body: what is created.
        phase: of a pod.
        consumers: of a claim that is allocated: ``pod/p0``, ``group/g0``, ``pod/gone``.
    """

    what: What
    kind: str
    name: str
    body: Json = {}
    phase: str = ""
    consumers: tuple[str, ...] = ()


def make_story(seed: int, *, group_version: str, made_per_pod: int) -> list[Step]:
    """Return what happens in one case.

    Args:
        seed: of the case.
        group_version: in which PodGroups are written; empty where there are none.
        made_per_pod: so many claims of a pod are made from templates at most: 1.36.3 and 1.35.4
            lose the names of some where there are more, and write them again and again.
    """
    return _Teller(random.Random(seed), group_version, made_per_pod).tell()


class _Teller:
    def __init__(self, chance: random.Random, group_version: str, made_per_pod: int) -> None:
        self._chance = chance
        self._version = group_version
        # The names of a group's claims get lost in each release.
        self._most_made = {"Pod": made_per_pod, "PodGroup": 1}
        self._made: list[tuple[str, str]] = []
        self._roles: list[str] = []
        self._pods: list[Json] = []
        self._bound: set[str] = set()
        self._done: set[str] = set()

    def tell(self) -> list[Step]:
        chance = self._chance
        first = [self._template(name) for name in _TEMPLATES if chance.random() < 0.8]
        first += [self._claim(name) for name in _CLAIMS if chance.random() < 0.6]
        if self._version:
            first += [self._group(name) for name in _GROUPS if chance.random() < 0.7]
        first += [self._pod(f"p{i}") for i in range(chance.randint(1, 3))]
        chance.shuffle(first)
        # A pod that waits for its group is looked at again after a pause, whenever that ends.
        first.sort(key=lambda step: step.kind != "group")
        return first + [self._next() for _ in range(chance.randint(4, 9))]

    def _next(self) -> Step:
        chance = self._chance
        pick = chance.random()
        pods = [name for kind, name in self._made if kind == "pod"]
        if pick < 0.3:
            consumers = [f"{kind}/{name}" for kind, name in self._made if kind in ("pod", "group")]
            consumers += ["pod/gone", "thing/x"]
            chosen = chance.sample(consumers, min(len(consumers), chance.choice((0, 1, 1, 2))))
            role = chance.choice([*_CLAIMS, *self._roles])
            if self._is_wanted(role):
                # Whoever is not there is taken off first, or who is on a node is put on: chance.
                chosen = [consumer for consumer in chosen if consumer == "thing/x"]
            return Step("allocate", "claim", role, consumers=tuple(chosen))
        if pick < 0.45 and pods:
            phase = chance.choice(("Running", "Succeeded", "Failed"))
            name = chance.choice(pods)
            if phase == "Running" and name in self._done:
                phase = "Succeeded"
            elif phase != "Running":
                self._done.add(name)
            return Step("phase", "pod", name, phase=phase)
        if pick < 0.55 and pods:
            name = chance.choice(pods)
            self._bound.add(name)
            return Step("bind", "pod", name)
        if pick < 0.8:
            # A made claim that is deleted comes back or does not: with the real one by chance.
            return Step("delete", *chance.choice(self._made))
        return self._one_more()

    def _one_more(self) -> Step:
        chance = self._chance
        kinds = ["pod", "template", "claim", *(["group"] if self._version else [])]
        kind = chance.choice(kinds)
        if kind == "pod":
            return self._pod(f"p{chance.randrange(4)}")
        names = {"template": _TEMPLATES, "claim": _CLAIMS, "group": _GROUPS}[kind]
        make = {"template": self._template, "claim": self._claim, "group": self._group}[kind]
        return make(chance.choice(names))

    def _template(self, name: str) -> Step:
        about: dict[str, Any] = {}
        if self._chance.random() < 0.5:
            about = {"labels": {"from": name}, "annotations": {"note": name}}
        return self._create("template", name, template(name, **about))

    def _claim(self, name: str) -> Step:
        return self._create("claim", name, claim(name))

    def _group(self, name: str) -> Step:
        entries = self._entries("PodGroup", name, 0)
        version = f"scheduling.k8s.io/{self._version}"
        return self._create("group", name, group_with(name, *entries, version=version))

    def _pod(self, name: str) -> Step:
        chance = self._chance
        group = chance.choice((*_GROUPS, "none", "", "")) if self._version else ""
        node = NODE if chance.random() < 0.25 else ""
        entries = self._entries("Pod", name, 1)
        pod = pod_with(name, *entries, group=group, node=node)
        self._pods.append(pod)
        if node:
            self._bound.add(name)
        return self._create("pod", name, pod)

    def _is_wanted(self, role: str) -> bool:
        """Return whether a pod that is on a node, or was, may use a claim."""
        kind, _, owner = role.partition("/")
        owner = owner.partition("/")[0]
        for pod in self._pods:
            name, spec = pod["metadata"]["name"], pod["spec"]
            if name not in self._bound:
                continue
            named = {entry.get("resourceClaimName") for entry in spec["resourceClaims"]}
            group = spec.get("schedulingGroup", {}).get("podGroupName")
            if role in named or (kind, owner) in (("Pod", name), ("PodGroup", group)):
                return True
        return False

    def _entries(self, kind: str, owner: str, least: int) -> list[Json]:
        chance = self._chance
        found: list[Json] = []
        for entry in chance.sample(("x", "y", "z"), chance.randint(least, 3)):
            made = sum(1 for other in found if "resourceClaimTemplateName" in other)
            if chance.random() < 0.65 and made < self._most_made[kind]:
                found.append(by_template(entry, chance.choice(_TEMPLATES)))
                self._roles.append(f"{kind}/{owner}/{entry}")
            else:
                found.append(by_name(entry, chance.choice(_CLAIMS)))
        return found

    def _create(self, kind: str, name: str, body: Json) -> Step:
        self._made.append((kind, name))
        return Step("create", kind, name, body)


class World:
    """One cluster in which a story is played, in a namespace of its own."""

    def __init__(self, client: Client, namespace: str, *, group_version: str) -> None:
        self.client = client
        self._namespace = namespace
        self._done: set[str] = set()
        self._resources: dict[str, Resource] = {
            "template": RESOURCECLAIMTEMPLATES,
            "claim": RESOURCECLAIMS,
            "pod": PODS,
        }
        if group_version:
            self._resources["group"] = pod_groups_in(group_version)

    async def do(self, step: Step) -> str:
        """Do one step; return what the API said if it was no."""
        try:
            await self._do(step)
        except (NotFoundError, ConflictError) as error:
            return type(error).__name__
        except ApiError as error:
            return _without_chance(str(error), {})
        return ""

    async def _do(self, step: Step) -> None:
        resource = self._resources[step.kind]
        name = step.name
        if step.what == "create":
            await self.client.create(resource, step.body, self._namespace)
        elif step.what == "bind":
            body: Json = {"apiVersion": "v1", "kind": "Binding", "metadata": {"name": name}}
            body["target"] = {"kind": "Node", "name": NODE}
            await self.client.create(PODS, body, self._namespace, subresource="binding", name=name)
        elif step.what == "phase":
            if step.phase in ("Succeeded", "Failed"):
                self._done.add(f"Pod {name}")
            patch = {"status": {"phase": step.phase}}
            await self.client.patch(PODS, name, self._namespace, patch=patch, subresource="status")
        elif step.what == "delete":
            name = await self._name(step)
            grace = 0 if step.kind == "pod" else None
            await self.client.delete(resource, name, self._namespace, grace_period_seconds=grace)
        else:
            await self._allocate(await self._name(step), step.consumers)

    async def _name(self, step: Step) -> str:
        if "/" not in step.name:
            return step.name
        for obj in (await self.client.list(RESOURCECLAIMS, self._namespace)).items:
            if role_of(obj) == step.name and "deletionTimestamp" not in obj["metadata"]:
                return str(obj["metadata"]["name"])
        raise NotFoundError("no claim has this role")

    async def _allocate(self, name: str, consumers: Sequence[str]) -> None:
        """Give a claim a device as the scheduler does."""
        found = await self.client.get(RESOURCECLAIMS, name, self._namespace)
        if "allocation" in found.get("status", {}) or "deletionTimestamp" in found["metadata"]:
            raise ConflictError("it has one, or goes")
        listed = [await self._consumer(consumer) for consumer in consumers]
        found["metadata"]["finalizers"] = [FINALIZER]
        found = await self.client.update(RESOURCECLAIMS, found)
        found["status"] = {"allocation": allocation(), "reservedFor": listed}
        await self.client.update(RESOURCECLAIMS, found, subresource="status")

    async def _consumer(self, text: str) -> Json:
        kind, _, name = text.partition("/")
        if kind == "thing":
            return {"apiGroup": "example.com", "resource": "things", "name": name, "uid": "u-thing"}
        try:
            found = await self.client.get(self._resources[kind], name, self._namespace)
        except NotFoundError:
            return {"resource": "pods", "name": name, "uid": "u-gone"}
        return reservation(found)

    async def see(self) -> Json:
        """Return what is comparable of everything."""
        objects = {
            kind: (await self.client.list(resource, self._namespace)).items
            for kind, resource in self._resources.items()
        }
        roles = _roles(objects["claim"])
        uids = {obj["metadata"]["uid"] for some in objects.values() for obj in some}
        seen: Json = {}
        for kind, some in objects.items():
            for obj in some:
                name = obj["metadata"]["name"]
                seen[f"{kind} {roles.get(name, name)}"] = _comparable(obj, roles, uids)
        events = (await self.client.list(CORE_EVENTS, self._namespace)).items
        told = {_telling(event, roles) for event in events}
        # What a done pod had is made again, or told to have no template, by chance.
        seen["events"] = sorted(event for event in told if event[0] not in self._done)
        return seen


def role_of(obj: Json) -> str:
    """Return for whom a claim was made, or its name."""
    metadata = obj["metadata"]
    owner = next((o for o in metadata.get("ownerReferences", ()) if o.get("controller")), None)
    entry = metadata.get("annotations", {}).get(ENTRY)
    if owner is None or entry is None:
        return str(metadata["name"])
    return f"{owner['kind']}/{owner['name']}/{entry}"


def _roles(claims: Sequence[Json]) -> dict[str, str]:
    """Return each claim's role; several of one role are counted."""
    found: dict[str, str] = {}
    for obj in sorted(claims, key=lambda obj: str(obj["metadata"]["creationTimestamp"])):
        role = role_of(obj)
        number = sum(1 for other in found.values() if other.split("#")[0] == role)
        found[obj["metadata"]["name"]] = f"{role}#{number}" if number else role
    return found


def _comparable(obj: Json, roles: dict[str, str], uids: set[str]) -> Json:
    metadata, status = obj["metadata"], obj.get("status") or {}
    seen: Json = {
        "labels": metadata.get("labels", {}),
        "annotations": metadata.get("annotations", {}),
        "finalizers": metadata.get("finalizers", []),
        "generateName": metadata.get("generateName"),
        "terminating": "deletionTimestamp" in metadata,
        "phase": status.get("phase"),
        "allocated": "allocation" in status,
        "owners": [
            {k: v for k, v in owner.items() if k != "uid"} | {"there": owner["uid"] in uids}
            for owner in metadata.get("ownerReferences", ())
        ],
        # Of two pods that are on a node either may be the first.
        "reservedFor": sorted(
            (
                {k: v for k, v in entry.items() if k != "uid"} | {"there": entry["uid"] in uids}
                for entry in status.get("reservedFor", ())
            ),
            key=lambda entry: (entry["resource"], entry["name"]),
        ),
        # In 1.36, and for groups in 1.37, the order is that of a Go map.
        "claims": sorted(
            (entry["name"], _without_chance(entry["resourceClaimName"], roles))
            for entry in status.get("resourceClaimStatuses", ())
        ),
        "managers": sorted(
            entry["manager"] + "/" + entry["operation"]
            for entry in metadata.get("managedFields", ())
            if entry["manager"] == "ResourceClaimController"
        ),
    }
    return {key: value for key, value in seen.items() if value}


def _telling(event: Json, roles: dict[str, str]) -> tuple[str, ...]:
    about = event["involvedObject"]
    name = f"{about['kind']} {about['name']}"
    component = event["source"].get("component", "")
    return name, event["type"], event["reason"], _without_chance(event["message"], roles), component


def _without_chance(text: str, roles: dict[str, str]) -> str:
    """Return a text without what the server made up."""
    if text in roles:
        return roles[text]
    text = re.sub(r'"uid":"[-0-9a-f]{36}"', '"uid":"?"', text)
    text = re.sub(r"\bcase-\d+-[0-9a-f]{6}\b", "NS", text)
    return re.sub(r"\b([pg]\d-[xyz])-[a-z0-9]{5}\b", r"\1-?", text)
