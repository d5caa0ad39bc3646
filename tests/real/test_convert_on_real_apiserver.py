"""What ``kubegang convert`` writes is accepted by the real API server of the target release."""

from __future__ import annotations

import asyncio
import json
import re
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import pytest

from kubegang.api.resources import ROWS
from kubegang.apimachinery.errors import ApiError
from kubegang.apimachinery.objects import GroupVersionKind, JsonObject
from kubegang.client.api import ApiClient
from kubegang.client.interface import Resource
from kubegang.client.resources import NAMESPACES
from kubegang.tools.converting.report import Generation
from tests.real.peer_plane import real_plane
from tests.real.planes import client_of
from tests.unit.tools.converting.converting import converted, objects
from tests.unit.tools.converting.scenarioobjects import scenarios

GOLDEN = Path(__file__).parents[1] / "unit" / "tools" / "converting" / "golden"

pytestmark = [pytest.mark.real, pytest.mark.timeout(300)]


@pytest.mark.parametrize(
    ("version", "to", "source"),
    [("35", "v1alpha1", "v1alpha2"), ("36", "v1alpha2", "v1beta1"), ("37", "v1beta1", "v1alpha2")],
)
def test_the_api_server_of_the_target_accepts_every_converted_object(
    tmp_path: Path, version: str, to: Generation, source: str
) -> None:
    batches = list(outputs(to, source))
    assert len(batches) > 100
    plane = real_plane(tmp_path, version, NO_SCHED="1", NO_KCM="1", ETCD_NOFSYNC="true")
    with plane as kubeconfig:
        assert asyncio.run(refusals(kubeconfig, batches)) == []


def outputs(to: Generation, source: str) -> Iterator[tuple[str, list[JsonObject]]]:
    """Yield the golden files and the objects of the public scenarios, converted."""
    for path in sorted(GOLDEN.glob("*.in.yaml")):
        yield path.stem, objects(converted(path.read_text(), to, allow_loss=True))
    for scenario in scenarios():
        if scenario.version == source and scenario.objects:
            text = json.dumps({"apiVersion": "v1", "kind": "List", "items": scenario.objects})
            conversion = converted(text, to, source=source, allow_loss=True)
            # A group whose Workload is never made is refused by 1.36, as a note says.
            if conversion.converted and not scenario.name.startswith("api-30"):
                yield scenario.name, objects(conversion)


async def refusals(
    kubeconfig: Path, batches: list[tuple[str, list[JsonObject]]]
) -> list[tuple[str, str]]:
    """Create everything, each batch in a namespace of its own; return what was refused."""
    client = client_of(kubeconfig)
    found: list[tuple[str, str]] = []
    try:
        for name, objs in [("classes", classes_of(batches)), *batches]:
            namespace = name.replace(".", "-")
            await client.create(NAMESPACES, {"metadata": {"name": namespace}})
            for obj in sorted(objs, key=lambda obj: obj["kind"] != "Workload"):
                try:
                    if not await create(client, obj, namespace):
                        found.append((f"{name}: {obj['kind']}", "fields were dropped"))
                except ApiError as error:
                    found.append((f"{name}: {obj['kind']}", error.message))
    finally:
        await client.close()
    return found


async def create(client: ApiClient, obj: JsonObject, namespace: str) -> bool:
    """Create an object and return whether all of it was taken."""
    gvk = GroupVersionKind.of(obj)
    row = next(row for row in ROWS if row.gvk == gvk)
    resource = Resource(gvk.group, gvk.version, row.plural, gvk.kind, namespaced=row.namespaced)
    metadata = {key: value for key, value in obj["metadata"].items() if key != "namespace"}
    if row.namespaced:
        metadata["namespace"] = namespace
    made = await client.create(
        resource, {**obj, "metadata": metadata}, namespace if row.namespaced else ""
    )
    return survives(obj.get("spec"), made.get("spec"))


def survives(sent: Any, made: Any) -> bool:
    """Return whether nothing that was sent is gone: an API drops in silence what it lacks."""
    if isinstance(sent, dict):
        return isinstance(made, dict) and all(
            key == "metadata" or survives(value, made.get(key)) for key, value in sent.items()
        )
    if isinstance(sent, list):
        return isinstance(made, list) and all(map(survives, sent, made))
    return sent in (made, "") or made is not None


def classes_of(batches: list[tuple[str, list[JsonObject]]]) -> list[JsonObject]:
    """Return the PriorityClasses that pods and groups name; p100-never has the value 100."""
    names = set(re.findall(r'"priorityClassName": "([^"]+)"', json.dumps(batches)))
    return [priority_class(name) for name in sorted(names) if not name.startswith("system-")]


def priority_class(name: str) -> JsonObject:
    digits = re.search(r"-?\d+", name)
    never = {"preemptionPolicy": "Never"} if name.endswith("never") else {}
    return {
        "apiVersion": "scheduling.k8s.io/v1",
        "kind": "PriorityClass",
        "metadata": {"name": name},
        "value": int(digits.group()) if digits else 0,
        **never,
    }
