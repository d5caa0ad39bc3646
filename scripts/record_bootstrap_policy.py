"""Write the table of roles and bindings that every cluster of a release has.

Input: what two running kube-apiservers of one release list, with the gang-scheduling gates on
and off (``kubectl get clusterroles,clusterrolebindings,roles,rolebindings -A -o json``), taken
before a controller manager has filled in the aggregated roles, or after: their rules are left
out. A rule that only the first has is noted with the gate that it follows.

    scripts/record_bootstrap_policy.py on.json off.json src/kubegang/api/schema/policy_v1_37.json
"""

from __future__ import annotations

import json
import sys
from pathlib import Path
from typing import Any

# Measured by turning on single gates.
_GATES_BY_ROLE = {
    "system:controller:job-controller": "WorkloadWithJob",
    "system:controller:resource-claim-controller": "DRAWorkloadResourceClaims",
}

# Named whether they are on by default or not: record both listings with these gates on.
_OF_OTHER_GATES = {"system:controller:device-taint-eviction-controller": "DRADeviceTaints"}


def main() -> None:
    """Read two listings and write the table."""
    on, off, target = (Path(argument) for argument in sys.argv[1:])
    without = {_key(item): item for item in _items(off)}
    objects = [_entry(item, without.get(_key(item))) for item in _items(on)]
    objects.sort(key=lambda entry: (entry["kind"], entry.get("namespace", ""), entry["name"]))
    target.write_text(json.dumps({"objects": objects}, separators=(",", ":"), sort_keys=True))


def _items(path: Path) -> list[dict[str, Any]]:
    items: list[dict[str, Any]] = json.loads(path.read_text())["items"]
    return items


def _key(item: dict[str, Any]) -> tuple[str, str, str]:
    metadata = item["metadata"]
    return item["kind"], metadata.get("namespace", ""), metadata["name"]


def _entry(item: dict[str, Any], without: dict[str, Any] | None) -> dict[str, Any]:
    metadata = item["metadata"]
    entry: dict[str, Any] = {"kind": item["kind"], "name": metadata["name"]}
    if "namespace" in metadata:
        entry["namespace"] = metadata["namespace"]
    entry["labels"] = metadata.get("labels", {})
    if "aggregationRule" in item:
        entry["aggregation"] = item["aggregationRule"]
    elif item["kind"].endswith("Role"):
        kept = (without or {}).get("rules") or []
        rules = item.get("rules") or []
        entry["rules"] = [_rule(entry["name"], rule, always=rule in kept) for rule in rules]
    if "roleRef" in item:
        entry["role"] = item["roleRef"]["name"]
        entry["role_kind"] = item["roleRef"]["kind"]
        entry["subjects"] = item.get("subjects") or []
    if entry["name"] in _OF_OTHER_GATES:
        entry["gate"] = _OF_OTHER_GATES[entry["name"]]
    elif without is None:
        entry["gate"] = "GenericWorkload"
    return entry


def _rule(role: str, rule: dict[str, Any], *, always: bool) -> dict[str, Any]:
    if role in _OF_OTHER_GATES and rule["resources"][0].startswith("devicetaintrules"):
        return {"rule": rule, "gate": "DRADeviceTaintRules"}
    if always:
        return {"rule": rule}
    composite = any(name.startswith("compositepodgroups") for name in rule["resources"])
    gate = "CompositePodGroup" if composite else _GATES_BY_ROLE.get(role, "GenericWorkload")
    return {"rule": rule, "gate": gate}


if __name__ == "__main__":
    main()
