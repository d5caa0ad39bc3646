"""CustomResourceDefinitions: how they come, change and go, and what is refused."""

from __future__ import annotations

from typing import Any

import pytest

from kubegang.store.memory import MemoryStore
from tests.component.apiharness import JSON_PATCH
from tests.component.customserver import (
    DEFINITIONS,
    CustomApi,
    copied,
    custom_test,
    place,
    problems,
    run_custom,
)
from tests.component.customshapes import (
    COUNT,
    RULES,
    TEXT,
    custom,
    definition,
    examples,
    job_set,
    ray_cluster,
    thing,
    version,
)

SETS = job_set()
NAME = SETS["metadata"]["name"]


def plain(kind: str, plural: str, **names: Any) -> dict[str, Any]:
    spec = thing({"size": {**COUNT, "maximum": 5}, "color": TEXT})
    made = version("v1", spec, thing({"phase": TEXT}))
    return definition("plain.example.com", kind, plural, made, **names)


@custom_test
async def test_a_definition_is_established_and_its_kind_discovered(api: CustomApi) -> None:
    assert (await api.get(place(SETS))).status == 404
    await api.define(SETS)

    assert await api.conditions(NAME) == {
        "NamesAccepted": ("True", "NoConflicts"),
        "Established": ("True", "InitialNamesAccepted"),
    }
    stored = (await api.get(f"{DEFINITIONS}/{NAME}")).object
    assert stored["spec"]["names"] == {
        "kind": "JobSet",
        "listKind": "JobSetList",
        "plural": "jobsets",
        "shortNames": ["js"],
        "singular": "jobset",
    }
    assert stored["spec"]["conversion"] == {"strategy": "None"}
    assert stored["status"]["storedVersions"] == ["v1alpha2"]

    listed = (await api.get("/apis/jobset.example.com/v1alpha2")).object["resources"]
    assert [(one["name"], one.get("shortNames")) for one in listed] == [
        ("jobsets", ["js"]),
        ("jobsets/status", None),
    ]
    groups = (await api.get("/apis")).object["groups"]
    assert "jobset.example.com" in {one["name"] for one in groups}
    assert (await api.get(place(SETS))).object["kind"] == "JobSetList"


@custom_test
async def test_schemas_are_published_while_the_kind_is_there(api: CustomApi) -> None:
    where = "/openapi/v3/apis/jobset.example.com/v1alpha2"
    await api.define(SETS)
    schemas = (await api.get(where)).object["components"]["schemas"]
    spec = schemas["com.example.jobset.v1alpha2.JobSet"]["properties"]["spec"]
    assert spec["properties"]["replicatedJobs"]["x-kubernetes-list-map-keys"] == ["name"]
    older = (await api.get("/openapi/v2")).object["definitions"]
    assert "com.example.jobset.v1alpha2.JobSet" in older

    await api.delete(f"{DEFINITIONS}/{NAME}")
    await api.settle(2)
    assert (await api.get(where)).status == 404
    older = (await api.get("/openapi/v2")).object["definitions"]
    assert "com.example.jobset.v1alpha2.JobSet" not in older


@custom_test
async def test_a_deleted_definition_takes_its_objects_with_it(api: CustomApi) -> None:
    await api.define(SETS)
    await api.create(place(SETS), custom(SETS, "one", {}))
    await api.create(place(SETS), custom(SETS, "held", {}, finalizers=["example.com/hold"]))

    reply = await api.delete(f"{DEFINITIONS}/{NAME}")
    assert reply.status == 200
    await api.settle(3)
    assert (await api.conditions(NAME))["Terminating"] == ("True", "InstanceDeletionInProgress")
    left = (await api.get(place(SETS))).object["items"]
    assert [one["metadata"]["name"] for one in left] == ["held"]
    refused = await api.post(place(SETS), custom(SETS, "late", {}))
    assert (refused.status, refused.message) == (
        403,
        'jobsets.jobset.example.com "late" is forbidden: '
        "create not allowed while custom resource definition is terminating",
    )

    await api.patch(place(SETS, "held"), {"metadata": {"finalizers": None}})
    await api.settle(3)
    assert (await api.get(f"{DEFINITIONS}/{NAME}")).status == 404
    assert (await api.get(place(SETS))).status == 404


@custom_test
async def test_the_second_definition_waits_for_its_names(api: CustomApi) -> None:
    await api.define(plain("Widget", "widgets", shortNames=["w"]))
    await api.define(plain("Wagon", "wagons", shortNames=["w"]))
    assert await api.conditions("wagons.plain.example.com") == {
        "NamesAccepted": ("False", "ShortNamesConflict"),
        "Established": ("False", "NotAccepted"),
    }
    assert (await api.get("/apis/plain.example.com/v1/wagons")).status == 404

    await api.delete(f"{DEFINITIONS}/widgets.plain.example.com")
    await api.settle(3)
    assert (await api.conditions("wagons.plain.example.com"))["Established"][0] == "True"


@custom_test
async def test_versions_are_views_of_the_same_objects(api: CustomApi) -> None:
    made = ray_cluster()
    await api.define(made)
    spec = {"headGroupSpec": {}, "rayVersion": "2"}
    await api.create(place(made), custom(made, "ray", spec))

    reply = await api.get(place(made, "ray", version="v1alpha1"))
    assert reply.object["apiVersion"] == "ray.example.com/v1alpha1"
    assert reply.object["spec"] == spec
    assert reply.headers["warning"] == (
        '299 - "ray.example.com/v1alpha1 RayCluster is deprecated; '
        'use ray.example.com/v1 RayCluster"'
    )


@custom_test
async def test_a_new_stored_version_is_noted_beside_the_old_one(api: CustomApi) -> None:
    await api.define(SETS)
    where = f"{DEFINITIONS}/{NAME}"
    newer = {**copied(SETS)["spec"]["versions"][0], "name": "v1beta1"}
    steps = [
        {"op": "replace", "path": "/spec/versions/0/storage", "value": False},
        {"op": "add", "path": "/spec/versions/-", "value": newer},
    ]
    changed = await api.patch(where, steps, JSON_PATCH)
    assert changed.object["status"]["storedVersions"] == ["v1alpha2", "v1beta1"]
    assert changed.object["metadata"]["generation"] == 2

    dropped = await api.patch(where, [{"op": "remove", "path": "/spec/versions/0"}], JSON_PATCH)
    assert dropped.status == 422
    assert problems(dropped)[0][0] == "status.storedVersions[0]"


def test_definitions_and_objects_survive_a_restart() -> None:
    store = MemoryStore()

    async def before(api: CustomApi) -> None:
        for made, obj in examples():
            await api.define(made)
            await api.create(place(made), obj)

    async def after(api: CustomApi) -> None:
        for made, obj in examples():
            reply = await api.get(place(made, obj["metadata"]["name"]))
            assert reply.object["kind"] == obj["kind"]

    run_custom(before, store=store)
    run_custom(after, store=store)


def schema_with(**spec: Any) -> dict[str, Any]:
    made = plain("Widget", "widgets")
    root = made["spec"]["versions"][0]["schema"]["openAPIV3Schema"]
    root["properties"]["spec"] = {**root["properties"]["spec"], **spec}
    return made


ROOT = "spec.validation.openAPIV3Schema"
SPEC = f"{ROOT}.properties[spec]"
SIZE_RULE = f"{SPEC}.x-kubernetes-validations[0].rule"

REFUSED = [
    pytest.param(
        schema_with(type=""),
        (f"{SPEC}.type", "Required value: must not be empty for specified object fields"),
        id="no-type",
    ),
    pytest.param(
        schema_with(properties={"size": {"type": "integer", "default": "many"}}),
        (
            f"{SPEC}.properties[size].default",
            'Invalid value: "string":  in body must be of type integer: "string"',
        ),
        id="default-of-another-type",
    ),
    pytest.param(
        schema_with(**{RULES: [{"rule": "self.width == 1"}]}),
        (
            SIZE_RULE,
            'Invalid value: {"Rule":"self.width == 1","Message":"","MessageExpression":"",'
            '"Reason":null,"FieldPath":"","OptionalOldSelf":null}: compilation failed: ERROR: '
            "<input>:1:5: undefined field 'width'\n | self.width == 1\n | ....^",
        ),
        id="rule-about-an-unknown-field",
    ),
]


@pytest.mark.parametrize(("made", "problem"), REFUSED)
def test_a_wrong_schema_is_refused_with_its_place(
    made: dict[str, Any], problem: tuple[str, str]
) -> None:
    async def scenario(api: CustomApi) -> None:
        reply = await api.post(DEFINITIONS, made)
        assert reply.status == 422
        assert problem in problems(reply)

    run_custom(scenario)


@custom_test
async def test_conversion_by_webhook_is_refused_clearly(api: CustomApi) -> None:
    made = plain("Widget", "widgets")
    made["spec"]["conversion"] = {
        "strategy": "Webhook",
        "webhook": {
            "clientConfig": {"url": "https://convert.example.com"},
            "conversionReviewVersions": ["v1"],
        },
    }
    reply = await api.post(DEFINITIONS, made)
    assert problems(reply) == [
        (
            "spec.conversion.strategy",
            "Forbidden: webhooks are not called by this server; "
            "use None and versions with equal fields",
        )
    ]


@custom_test
async def test_a_format_that_means_nothing_is_warned_of(api: CustomApi) -> None:
    made = schema_with(properties={"color": {"type": "string", "format": "paint"}})
    reply = await api.post(DEFINITIONS, made)
    assert reply.status == 201
    assert reply.headers["warning"] == '299 - "unrecognized format \\"paint\\""'


@custom_test
async def test_a_rule_that_may_run_away_is_refused(api: CustomApi) -> None:
    endless = thing({"parts": {"type": "array", "items": TEXT}})
    rule = "self.parts.all(a, self.parts.all(b, self.parts.all(c, a != b || b == c)))"
    reply = await api.post(DEFINITIONS, schema_with(**endless, **{RULES: [{"rule": rule}]}))
    assert (SIZE_RULE, True) in [
        (field, "estimated rule cost exceeds budget" in text) for field, text in problems(reply)
    ]


@custom_test
async def test_forty_definitions_are_served_together(api: CustomApi) -> None:
    kinds = [plain(f"Kind{number}", f"kind{number}s") for number in range(40)]
    for made in kinds:
        await api.create(DEFINITIONS, made)
    await api.settle(1)
    listed = (await api.get("/apis/plain.example.com/v1")).object["resources"]
    assert len(listed) == 80
    for made in kinds:
        assert (await api.get(place(made))).status == 200
