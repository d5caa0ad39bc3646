"""Damaged manifests are refused or converted, and never end in a traceback."""

from __future__ import annotations

from pathlib import Path
from random import Random
from typing import Any

import pytest
import yaml

from kubegang.apimachinery.manifests import ManifestError
from kubegang.apimachinery.objects import JsonObject
from tests.unit.tools.converting.converting import converted
from tests.unit.tools.converting.test_generations import FIRST, GROUP, SECOND
from tests.unit.tools.converting.test_jobs import with_scheduling

GOLDEN = Path(__file__).parent / "golden"
ODD: tuple[Any, ...] = (None, {}, [], "x", 0, -1, True, [1], {"a": 1}, [None], 1.5)


@pytest.mark.parametrize("to", ["v1alpha1", "v1alpha2", "v1beta1"])
def test_damaged_manifests_get_an_answer(to: Any) -> None:
    rng = Random(7)
    texts = [FIRST, SECOND, GROUP, with_scheduling()]
    texts += [path.read_text() for path in sorted(GOLDEN.glob("*.in.yaml"))]
    answers = 0
    for text in texts * 4:
        documents = list(yaml.safe_load_all(text))
        for _ in range(rng.choice((1, 1, 2))):
            damage(rng.choice(documents), rng)
        try:
            answer = converted(yaml.safe_dump_all(documents), to, allow_loss=True)
        except ManifestError:
            continue
        assert answer.converted == bool(answer.output)
        answers += 1
    assert answers > len(texts)


def damage(document: JsonObject, rng: Random) -> None:
    """Take out a field, or give it a value that it must not have."""
    holder, key = rng.choice(fields(document))
    if key in {"kind", "apiVersion"}:
        return
    if rng.random() < 0.4:
        del holder[key]
    else:
        holder[key] = rng.choice(ODD)


def fields(value: Any) -> list[tuple[Any, Any]]:
    found: list[tuple[Any, Any]] = []
    if isinstance(value, dict | list):
        keys = list(value) if isinstance(value, dict) else list(range(len(value)))
        for key in keys:
            found += [(value, key), *fields(value[key])]
    return found
