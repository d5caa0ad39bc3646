"""What the API shows of claims, slices and rules, and when a pod has to go for it. Pure."""

from __future__ import annotations

from collections.abc import Callable, Collection, Iterable, Iterator

from kubegang.apimachinery.objects import JsonObject
from kubegang.controllers.devicetainteviction.pools import Pools
from kubegang.controllers.devicetainteviction.settings import DeviceTaintSettings
from kubegang.controllers.devicetainteviction.taints import (
    Device,
    Eviction,
    Reason,
    allocated_devices,
    device_of,
    eviction_by,
    evicts,
    is_about,
    reason_of,
)
from kubegang.controllers.resourceclaim.references import (
    entries,
    is_allocated,
    is_made_for,
    is_reserved_for,
    name_of,
)

_Key = tuple[str, str]


class Standing:
    """Answers of which pods are to go, kept up to date by whoever follows the API."""

    def __init__(self, settings: DeviceTaintSettings) -> None:
        self.pools = Pools()
        self._settings = settings
        self._rules: dict[str, JsonObject] = {}
        self._claims: dict[_Key, JsonObject] = {}
        self._evictions: dict[_Key, Eviction] = {}

    def claims(self) -> Collection[JsonObject]:
        """Return every claim that has devices."""
        return self._claims.values()

    def set_claim(self, claim: JsonObject) -> None:
        """Take over a claim; only another allocation is judged anew."""
        key = _key(claim)
        if not is_allocated(claim):
            self.drop_claim(claim)
            return
        known = self._claims.get(key)
        self._claims[key] = claim
        if known is None or allocated_devices(known) != allocated_devices(claim):
            self._judge(key, claim)

    def drop_claim(self, claim: JsonObject) -> None:
        """Forget a claim, or that it had devices."""
        self._claims.pop(_key(claim), None)
        self._evictions.pop(_key(claim), None)

    def set_slice(self, old: JsonObject | None, new: JsonObject | None) -> list[JsonObject]:
        """Take over what became of a slice; return the claims whose users fare otherwise."""
        changed = self.pools.replace(old, new)
        if not changed:
            return []
        return self._judge_all(lambda claim: any(d in changed for d in _devices(claim)))

    def set_rule(self, old: JsonObject | None, new: JsonObject | None) -> list[JsonObject]:
        """Take over what became of a rule; return the claims whose users fare otherwise."""
        if old is not None:
            self._rules.pop(old["metadata"]["name"], None)
        if new is not None and evicts(new):
            self._rules[new["metadata"]["name"]] = new
        return self._judge_all(lambda _: True)

    def pod_eviction(self, pod: JsonObject) -> Eviction | None:
        """Return when a pod has to go, ``None`` if it may stay, or is on no node."""
        if not pod["spec"].get("nodeName"):
            return None
        found: Eviction | None = None
        for name, made in self._names(pod):
            key = (pod["metadata"]["namespace"], name)
            eviction = self._evictions.get(key)
            if eviction is not None and self._uses(pod, self._claims[key], made=made):
                found = eviction.joined(found)
        return found

    def if_evicting(self, rule: JsonObject) -> Standing:
        """Return what would be if a rule's effect, and no other rule's, drove pods away."""
        supposed = Standing(self._settings)
        supposed.pools = self.pools
        supposed._claims = self._claims
        effect = {**rule["spec"]["taint"], "effect": "NoExecute"}
        supposed.set_rule(None, {**rule, "spec": {**rule["spec"], "taint": effect}})
        return supposed

    def _judge_all(self, concerned: Callable[[JsonObject], bool]) -> list[JsonObject]:
        chosen = [(key, claim) for key, claim in self._claims.items() if concerned(claim)]
        return [claim for key, claim in chosen if self._judge(key, claim)]

    def _judge(self, key: _Key, claim: JsonObject) -> bool:
        """Find out anew when a claim's users have to go; return whether that changed."""
        before = self._evictions.pop(key, None)
        found: Eviction | None = None
        for result in allocated_devices(claim):
            device = device_of(result)
            taints = [*self.pools.taints(device), *_of_rules(self._rules.values(), device)]
            eviction = eviction_by(taints, result.get("tolerations") or ())
            found = found if eviction is None else eviction.joined(found)
        if found is not None:
            self._evictions[key] = found
        return found != before

    def _names(self, pod: JsonObject) -> Iterator[tuple[str, bool]]:
        """Yield the names of a pod's claims, and whether they were made for it."""
        for entry in entries(pod):
            found = name_of(pod, entry)
            if found is not None and found.name:
                yield found.name, found.made
        extended = (pod.get("status") or {}).get("extendedResourceClaimStatus") or {}
        if self._settings.rules.looks_at_extended_resources and extended.get("resourceClaimName"):
            yield extended["resourceClaimName"], True

    def _uses(self, pod: JsonObject, claim: JsonObject, *, made: bool) -> bool:
        or_group = self._settings.group_claims
        if made and not is_made_for(pod, claim, or_group=or_group):
            return False
        return is_reserved_for(pod, claim, or_group=or_group)


def _of_rules(rules: Iterable[JsonObject], device: Device) -> list[tuple[Reason, JsonObject]]:
    return [(reason_of(rule), rule["spec"]["taint"]) for rule in rules if is_about(rule, device)]


def _devices(claim: JsonObject) -> Iterator[Device]:
    return (device_of(result) for result in allocated_devices(claim))


def _key(claim: JsonObject) -> _Key:
    return claim["metadata"]["namespace"], claim["metadata"]["name"]
