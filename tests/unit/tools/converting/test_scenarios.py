"""The objects of every public scenario go to the other generations and come back."""

from __future__ import annotations

import functools
import json
from collections.abc import Sequence

import pytest

from kubegang.api.scheduling.decoding import decode_pod_group, decode_workload
from kubegang.apimachinery.objects import JsonObject
from kubegang.tools.converting.report import Generation
from tests.unit.tools.converting.converting import converted, objects
from tests.unit.tools.converting.scenarioobjects import Scenario, scenarios

DECODED = {"PodGroup": decode_pod_group, "Workload": decode_workload}

# The same name is taken twice, after the first object was deleted; pods of a group that
# never comes; a Workload that is never made.
REFUSED = {"gang-53", "gang-61", "gang-65", "api-30", "r136-16"}

# PriorityClasses differ within a group, which is what these scenarios are about.
MIXED = {"gang-38", "preemption-23", "r136-05"}


@functools.cache
def distinct() -> list[Scenario]:
    """Return the scenarios, those with the same objects once."""
    found = {f"{one.version}{one.objects}": one for one in scenarios() if one.objects}
    return list(found.values())


def of(version: str) -> list[Scenario]:
    return [scenario for scenario in distinct() if scenario.version == version]


def written(objs: Sequence[JsonObject]) -> str:
    return json.dumps({"apiVersion": "v1", "kind": "List", "items": objs})


@pytest.mark.parametrize(
    ("source", "to", "fewest"),
    [
        ("v1alpha1", "v1alpha2", 15),
        ("v1alpha1", "v1beta1", 15),
        ("v1alpha2", "v1beta1", 100),
        ("v1beta1", "v1alpha3", 150),
    ],
)
def test_objects_come_back_as_they_were(source: Generation, to: Generation, fewest: int) -> None:
    done = 0
    for scenario in of(source):
        there = converted(written(scenario.objects), to, source=source)
        if not there.converted:
            assert scenario.name.removesuffix(f"-{source}") in REFUSED | MIXED, there.findings
            continue
        back = converted(there.output, source, source=to)
        assert sorted(map(repr, objects(back))) == sorted(map(repr, scenario.objects))
        done += 1
    assert done >= fewest


@pytest.mark.parametrize(("source", "to"), [("v1beta1", "v1alpha2"), ("v1alpha2", "v1alpha1")])
def test_what_an_older_generation_can_say_comes_back_with_its_pods(
    source: Generation, to: Generation
) -> None:
    done = 0
    for scenario in of(source):
        there = converted(written(scenario.objects), to, source=source)
        if there.converted:
            back = converted(there.output, source, source=to)
            if scenario.name.removesuffix(f"-{source}") in MIXED and source == "v1beta1":
                assert not back.converted
                continue
            assert back.converted, (scenario.name, back.findings)
            assert names(of_pods(objects(back))) == names(of_pods(scenario.objects))
            done += 1
    assert done >= 10


def test_a_group_means_the_same_in_the_next_generation() -> None:
    compared = 0
    for scenario in of("v1alpha2"):
        there = converted(written(scenario.objects), "v1beta1", source="v1alpha2")
        if not there.converted:
            continue
        now = {(one["kind"], one["metadata"]["name"]): one for one in objects(there)}
        for old in scenario.objects:
            if decode := DECODED.get(old["kind"]):
                new = now[old["kind"], old["metadata"]["name"]]
                assert decode(new) == decode(old)
                compared += 1
    assert compared > 100


def of_pods(objs: Sequence[JsonObject]) -> list[JsonObject]:
    return [one for one in objs if one["kind"] in {"Pod", "Job", "CronJob", "Deployment"}]


def names(objs: Sequence[JsonObject]) -> set[tuple[str, str]]:
    return {(one["kind"], one["metadata"]["name"]) for one in objs}
