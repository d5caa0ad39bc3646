"""Which class counts as the default one: upstream's rule for storage and ingresses."""

from __future__ import annotations

import random

import msgspec
import pytest

from kubegang.apimachinery.objects import JsonObject
from kubegang.apiserver.admission.lookup import StoreLookup
from kubegang.store.interface import Encode
from kubegang.store.memory import MemoryStore

OLD, NEW = "2026-01-01T00:00:00Z", "2026-01-02T00:00:00Z"
STORAGE, INGRESS = "storageclass", "ingressclass"
KEYS = {STORAGE: "/storage.k8s.io/storageclasses/", INGRESS: "/networking.k8s.io/ingressclasses/"}


def _encoded(obj: JsonObject) -> Encode:
    return lambda _revision: msgspec.json.encode(obj)


async def _lookup(kind: str, classes: dict[str, tuple[str, str]]) -> StoreLookup:
    store = MemoryStore()
    for name, (created, mark) in classes.items():
        annotations = {f"{kind}.kubernetes.io/is-default-class": mark}
        metadata = {"name": name, "creationTimestamp": created, "annotations": annotations}
        await store.create(KEYS[kind] + name, _encoded({"metadata": metadata}))
    return StoreLookup(store, random.Random(1))


@pytest.mark.parametrize("kind", [STORAGE, INGRESS])
@pytest.mark.parametrize(
    ("classes", "want"),
    [
        ({}, None),
        ({"a": (OLD, "false")}, None),
        ({"a": (OLD, "true"), "b": (NEW, "true"), "c": (NEW, "false")}, "b"),
        ({"b": (NEW, "true"), "a": (NEW, "true"), "c": (OLD, "true")}, "a"),
    ],
)
async def test_the_newest_default_counts_then_the_first_by_name(
    kind: str, classes: dict[str, tuple[str, str]], want: str | None
) -> None:
    lookup = await _lookup(kind, classes)
    found = {STORAGE: lookup.default_storage_class, INGRESS: lookup.default_ingress_class}

    assert found[kind]() == want
