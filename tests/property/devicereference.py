"""Which devices a scene's claims get, worked out by trying everything.

Slow and plain: all answers are listed in order, each is checked as a whole, the first that
holds is the answer. Works on the wire form; shares no code with the allocator.
"""

from __future__ import annotations

from collections import Counter, defaultdict
from collections.abc import Iterator
from itertools import combinations, product
from typing import Any, NamedTuple

from tests.property.devicescenes import CLASS_SELECTORS, NODE, SELECTORS, Scene, Wire


class Place(NamedTuple):
    """A device and where it is."""

    driver: str
    pool: str
    device: Wire

    @property
    def key(self) -> tuple[str, str, str]:
        return self.driver, self.pool, self.device["name"]


class Part(NamedTuple):
    """A request, the alternative of it that is tried, and the devices it would have."""

    claim: Wire
    names: tuple[str, ...]
    what: Wire
    places: tuple[Place, ...]


TOO_MUCH = 1000
"""GiB that no device has."""

Answer = list[list[tuple[str, str, str, str]]]


class NoAnswerForAllError(Exception):
    """A request for all devices meets a pool that is not complete."""


def first_answer(scene: Scene) -> Answer | None:
    """Return request and device of each result, per claim."""
    usable, broken = _pools(scene)
    ways = [
        list(_ways(claim, request, usable, broken))
        for claim in scene.claims
        for request in claim["spec"]["devices"]["requests"]
    ]
    budget = _budget(scene)
    for parts in product(*ways):
        if _holds(parts, scene.claims, budget):
            return [
                [
                    (part.names[-1], *place.key)
                    for part in parts
                    if part.claim is claim
                    for place in part.places
                ]
                for claim in scene.claims
            ]
    return None


def _pools(scene: Scene) -> tuple[list[Place], bool]:
    pools: dict[tuple[str, str], list[Wire]] = defaultdict(list)
    for published in scene.slices:
        spec = published["spec"]
        pools[spec["driver"], spec["pool"]["name"]].append(published)
    usable: list[Place] = []
    broken = False
    for (driver, pool), slices in sorted(pools.items()):
        near = [s for s in slices if _is_near(s["spec"])]
        if not near:
            continue
        newest = max(s["spec"]["pool"]["generation"] for s in near)
        near = [s for s in near if s["spec"]["pool"]["generation"] == newest]
        wanted = near[0]["spec"]["pool"]["resourceSliceCount"]
        if len(near) != wanted:
            if any(s["spec"]["pool"]["generation"] > newest for s in slices):
                continue
            if sum(s["spec"]["pool"]["generation"] == newest for s in slices) != wanted:
                broken = True
                continue
        for published in sorted(near, key=lambda s: str(s["metadata"]["name"])):
            usable += [Place(driver, pool, d) for d in published["spec"].get("devices", ())]
    return usable, broken


def _is_near(spec: Wire) -> bool:
    return spec.get("nodeName") == NODE or bool(spec.get("allNodes") or spec.get("nodeSelector"))


def _ways(claim: Wire, request: Wire, usable: list[Place], broken: bool) -> Iterator[Part]:
    alternatives = request.get("firstAvailable") or [request["exactly"]]
    for what in alternatives:
        own = what.get("name")
        names = (request["name"], f"{request['name']}/{own}") if own else (request["name"],)
        fitting = [place for place in usable if _fits(what, place)]
        if what["allocationMode"] == "All":
            if broken:
                raise NoAnswerForAllError
            if fitting:
                yield Part(claim, names, what, tuple(fitting))
            continue
        for places in combinations(fitting, what["count"]):
            yield Part(claim, names, what, places)


def _fits(what: Wire, place: Place) -> bool:
    texts = list(CLASS_SELECTORS[what["deviceClassName"]])
    texts += [selector["cel"]["expression"] for selector in what.get("selectors", ())]
    selected = all(SELECTORS[text](place.driver, place.device) for text in texts)
    return selected and _share(what, place) <= _gib(place.device["capacity"]["memory"]["value"])


def _share(what: Wire, place: Place) -> int:
    """Return how many GiB a request takes of a device."""
    memory = place.device["capacity"]["memory"]
    policy = memory.get("requestPolicy", {})
    asked = what.get("capacity", {}).get("requests", {}).get("memory")
    if asked is None:
        return _gib(policy.get("default", memory["value"]))
    if "validRange" in policy:
        return -(-_gib(asked) // 5) * 5
    for value in policy.get("validValues", ()):
        if _gib(asked) <= _gib(value):
            return _gib(value)
    return TOO_MUCH if "validValues" in policy else _gib(asked)


def _gib(amount: str) -> int:
    return int(amount.removesuffix("Gi"))


def _budget(scene: Scene) -> dict[tuple[str, str], int]:
    return {
        (s["spec"]["driver"], s["spec"]["pool"]["name"]): int(shared["counters"]["mem"]["value"])
        for s in scene.slices
        for shared in s["spec"].get("sharedCounters", ())
    }


def _holds(parts: tuple[Part, ...], claims: list[Wire], budget: dict[tuple[str, str], int]) -> bool:
    users: dict[tuple[str, str, str], list[str]] = defaultdict(list)
    shares: Counter[tuple[str, str, str]] = Counter()
    sharers: set[tuple[str, str, str]] = set()
    taken: Counter[tuple[str, str]] = Counter()
    for part in parts:
        admin = part.what.get("adminAccess", False)
        name = part.claim["metadata"]["name"]
        for place in part.places:
            if _is_tainted(place.device) and not part.what.get("tolerations"):
                return False
            if place.device.get("allowMultipleAllocations"):
                shares[place.key] += _share(part.what, place)
                if shares[place.key] > _gib(place.device["capacity"]["memory"]["value"]):
                    return False
                if place.key in sharers:
                    continue
                sharers.add(place.key)
            elif users[place.key] and (not admin or name in users[place.key]):
                return False
            else:
                users[place.key].append(name)
            for consumption in place.device.get("consumesCounters", ()):
                taken[place.driver, place.pool] += int(consumption["counters"]["mem"]["value"])
    if any(amount > budget[pool] for pool, amount in taken.items()):
        return False
    return all(
        _constraint_holds(constraint, [p for p in parts if p.claim is claim])
        for claim in claims
        for constraint in claim["spec"]["devices"].get("constraints", ())
    )


def _is_tainted(device: Wire) -> bool:
    return any(taint["effect"] != "None" for taint in device.get("taints", ()))


def _constraint_holds(constraint: Wire, parts: list[Part]) -> bool:
    attribute = constraint.get("matchAttribute") or constraint["distinctAttribute"]
    named = constraint.get("requests")
    found: list[Any] = [
        _attribute(place, attribute)
        for part in parts
        if not named or any(name in named for name in part.names)
        for place in part.places
    ]
    if None in found:
        return False
    different = {repr(value) for value in found}
    if "matchAttribute" in constraint:
        return len(different) <= 1
    return len(different) == len(found)


def _attribute(place: Place, name: str) -> Any:
    attributes = place.device["attributes"]
    if name in attributes:
        return attributes[name]
    domain, _, short = name.partition("/")
    return attributes.get(short) if domain == place.driver else None
