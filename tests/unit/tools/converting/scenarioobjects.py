"""The objects that the public scenarios create, in the wire form of each release.

Built by the scenario runner itself, with a server that only writes down what it is sent.
"""

from __future__ import annotations

import copy
import importlib.util
import warnings
from collections.abc import Iterator
from pathlib import Path
from types import SimpleNamespace
from typing import Any

import msgspec

from kubegang.apimachinery.objects import JsonObject

CASES = Path(__file__).parents[3] / "conformance" / "cases"
VERSIONS = {35: "v1alpha1", 36: "v1alpha2", 37: "v1beta1"}
NOT_CREATED = ("patch", "delete", "set_min", "expect", "ungate", "ready", "finish", "bind")


class Scenario(msgspec.Struct, frozen=True):
    name: str
    version: str
    objects: list[JsonObject]


def scenarios() -> Iterator[Scenario]:
    """Yield what each scenario creates in each release it is for, refused objects left out."""
    runner = _runner()
    with warnings.catch_warnings():
        # The runner leaves the files to the garbage collector.
        warnings.simplefilter("ignore", ResourceWarning)
        loaded = runner.load([str(CASES / "public")])
    for scenario in loaded:
        for release, version in VERSIONS.items():
            if release in runner.parse_versions(scenario.get("versions", "35+")):
                objects = _created(runner, scenario, release)
                yield Scenario(f"{scenario['id']}-{version}", version, objects)


def _runner() -> Any:
    spec = importlib.util.spec_from_file_location("scenario_runner", CASES / "runner.py")
    if spec is None or spec.loader is None:
        raise AssertionError("the runner is gone")
    module = importlib.util.module_from_spec(spec)
    spec.loader.exec_module(module)
    return module


def _created(runner: Any, scenario: JsonObject, release: int) -> list[JsonObject]:
    found: list[JsonObject] = []

    def create(_: str, obj: JsonObject) -> JsonObject:
        found.append(copy.deepcopy(obj))
        return {**obj, "metadata": {**obj["metadata"], "uid": "u"}, "status": {"allocatable": {}}}

    run = runner.Run(
        _server(runner, release), scenario, SimpleNamespace(time_scale=1, profile="upstream"), {}
    )
    run.create = create
    run.priority_class = lambda value, never=False: f"p{value}" + ("-never" if never else "")
    for verb in (*NOT_CREATED, "strip", "replace", "sleep", "nodes", "volume"):
        setattr(run, f"do_{verb}", lambda step: None)
    for step in [*runner.as_list(scenario.get("objects")), *runner.as_list(scenario.get("steps"))]:
        if "reject" not in step:
            run.step({key: value for key, value in step.items() if key != "gap"})
    return found


def _server(runner: Any, release: int) -> Any:
    server = runner.Server.__new__(runner.Server)
    server.version, server.gang = release, f"scheduling.k8s.io/{VERSIONS[release]}"
    server.composite = "scheduling.k8s.io/v1alpha3"
    server.api = SimpleNamespace(get=lambda path: {"metadata": {"uid": "u"}})
    return server
