"""Objects of custom kinds: written, read, patched, applied, watched, scaled and collected."""

from __future__ import annotations

from typing import Any

import pytest

from kubegang.apimachinery.objects import JsonObject
from tests.component.apiharness import APPLY, JSON_PATCH, STRATEGIC
from tests.component.customserver import (
    DEFINITIONS,
    CustomApi,
    custom_test,
    place,
    problems,
    run_custom,
)
from tests.component.customshapes import (
    IMMUTABLE,
    custom,
    examples,
    job_set,
    leader_worker_set,
    pods,
    ray_cluster,
    torch_job,
)

SETS, LEADERS, TORCH, RAY = job_set(), leader_worker_set(), torch_job(), ray_cluster()
STRICT = {"fieldValidation": "Strict"}


def job(name: str, **members: Any) -> JsonObject:
    return {"name": name, "template": pods(), **members}


def leader(name: str, **members: Any) -> JsonObject:
    return custom(LEADERS, name, {"leaderWorkerTemplate": {"workerTemplate": pods()}, **members})


@pytest.mark.parametrize(("made", "obj"), examples(), ids=lambda one: str(one["kind"]))
def test_objects_of_well_known_shapes_live_from_create_to_delete(
    made: JsonObject, obj: JsonObject
) -> None:
    async def scenario(api: CustomApi) -> None:
        await api.define(made)
        where, name = place(made), obj["metadata"]["name"]
        watch = api.watch(f"{where}?watch=1")
        created = await api.create(where, obj)
        assert created["metadata"]["generation"] == 1
        await api.patch(f"{where}/{name}", {"metadata": {"labels": {"a": "b"}}})
        await api.delete(f"{where}/{name}")
        events = [await watch.next_event() for _ in range(3)]
        watch.hang_up()
        assert [event["type"] for event in events] == ["ADDED", "MODIFIED", "DELETED"]
        assert (await api.get(f"{where}/{name}")).status == 404

    run_custom(scenario)


@custom_test
async def test_defaults_are_filled_in_and_unknown_fields_go(api: CustomApi) -> None:
    await api.define(SETS)
    obj = custom(SETS, "train", {"replicatedJobs": [job("workers", speed=1)], "colour": "red"})
    created = await api.create(place(SETS), obj)
    assert created["spec"] == {
        "replicatedJobs": [
            {"name": "workers", "groupName": "default", "replicas": 1, "template": pods()}
        ]
    }


@custom_test
async def test_unknown_fields_are_refused_or_warned_of(api: CustomApi) -> None:
    await api.define(SETS)
    obj = custom(SETS, "train", {"colour": "red"})
    strict = await api.post(f"{place(SETS)}?fieldValidation=Strict", obj)
    assert strict.status == 400
    assert 'strict decoding error: unknown field "spec.colour"' in strict.message
    warned = await api.post(f"{place(SETS)}?fieldValidation=Warn", obj)
    assert warned.headers["warning"] == '299 - "unknown field \\"spec.colour\\""'


@custom_test
async def test_what_the_schema_forbids_is_refused_with_its_field(api: CustomApi) -> None:
    await api.define(SETS)
    policy = {"successPolicy": {"operator": "Some"}, "ttlSecondsAfterFinished": -1}
    reply = await api.post(place(SETS), custom(SETS, "train", {**policy, "suspend": "no"}))
    assert problems(reply) == [
        (
            "<nil>",
            "Invalid value: null: some validation rules were not checked because the object was "
            "invalid; correct the existing errors to complete validation",
        ),
        (
            "spec.successPolicy.operator",
            'Unsupported value: "Some": supported values: "All", "Any"',
        ),
        (
            "spec.suspend",
            'Invalid value: "string": spec.suspend in body must be of type boolean: "string"',
        ),
        (
            "spec.ttlSecondsAfterFinished",
            "Invalid value: -1: spec.ttlSecondsAfterFinished in body should be greater than or "
            "equal to 0",
        ),
    ]


@custom_test
async def test_rules_compare_with_the_stored_object(api: CustomApi) -> None:
    await api.define(SETS)
    await api.create(place(SETS), custom(SETS, "train", {"managedBy": "one"}))
    changed = await api.patch(place(SETS, "train"), {"spec": {"managedBy": "other"}})
    assert problems(changed) == [("spec.managedBy", f'Invalid value: "other": {IMMUTABLE}')]
    same = await api.patch(place(SETS, "train"), {"spec": {"suspend": True}})
    assert same.object["metadata"]["generation"] == 2


@custom_test
async def test_a_rule_computes_its_message_and_names_a_field(api: CustomApi) -> None:
    await api.define(TORCH)
    spec = {"pytorchReplicaSpecs": {}, "elasticPolicy": {"minReplicas": 3, "maxReplicas": 2}}
    reply = await api.post(place(TORCH), custom(TORCH, "tune", spec))
    [(field, message)] = problems(reply)
    assert field == "spec.elasticPolicy.minReplicas"
    assert message.endswith("at least 3, at most 2")


@custom_test
async def test_two_managers_share_a_list_that_is_a_map(api: CustomApi) -> None:
    await api.define(SETS)

    async def apply(manager: str, *jobs: JsonObject) -> Any:
        body = custom(SETS, "train", {"replicatedJobs": list(jobs)})
        target = f"{place(SETS, 'train')}?fieldManager={manager}"
        return await api.patch(target, body, APPLY)

    await apply("one", job("driver", replicas=1))
    both = await apply("two", job("workers", replicas=4))
    names = [one["name"] for one in both.object["spec"]["replicatedJobs"]]
    assert names == ["driver", "workers"]

    conflict = await apply("two", job("workers", replicas=4), job("driver", replicas=2))
    assert conflict.status == 409
    assert '.spec.replicatedJobs[name="driver"].replicas' in conflict.message

    left = await apply("one")
    names = [one["name"] for one in left.object["spec"]["replicatedJobs"]]
    assert names == ["workers"]


@custom_test
async def test_patches_of_all_types_but_the_strategic(api: CustomApi) -> None:
    await api.define(RAY)
    await api.create(place(RAY), examples()[3][1])
    where = place(RAY, "ray")
    step = {"op": "replace", "path": "/spec/workerGroupSpecs/0/replicas", "value": 3}
    patched = await api.patch(where, [step], JSON_PATCH)
    assert patched.object["spec"]["workerGroupSpecs"][0]["replicas"] == 3
    merged = await api.patch(where, {"spec": {"workerGroupSpecs": None}})
    assert "workerGroupSpecs" not in merged.object["spec"]
    strategic = await api.patch(where, {"spec": {}}, STRATEGIC)
    assert strategic.status == 415


@custom_test
async def test_status_has_its_own_endpoint(api: CustomApi) -> None:
    await api.define(SETS)
    obj = custom(SETS, "train", {})
    created = await api.create(place(SETS), {**obj, "status": {"restarts": 7}})
    assert "status" not in created

    where = place(SETS, "train")
    change = {"status": {"restarts": 1}, "spec": {"suspend": True}}
    told = (await api.patch(f"{where}/status", change)).object
    assert (told["status"], told["spec"]) == ({"restarts": 1}, {})
    assert told["metadata"]["generation"] == 1
    wrong = await api.patch(f"{where}/status", {"status": {"restarts": "many"}})
    assert problems(wrong)[-1][0] == "status.restarts"


@custom_test
async def test_scaling_changes_the_number_of_replicas(api: CustomApi) -> None:
    await api.define(LEADERS)
    await api.create(place(LEADERS), leader("serve"))
    where = place(LEADERS, "serve")
    await api.patch(f"{where}/status", {"status": {"replicas": 1, "hpaPodSelector": "a=b"}})
    scale = (await api.get(f"{where}/scale")).object
    assert scale["spec"] == {"replicas": 1}
    assert scale["status"] == {"replicas": 1, "selector": "a=b"}

    await api.patch(f"{where}/scale", {"spec": {"replicas": 5}})
    scaled = (await api.get(where)).object
    assert scaled["spec"]["replicas"] == 5
    assert scaled["metadata"]["generation"] == 2
    entries = scaled["metadata"]["managedFields"]
    times = [(entry.get("subresource"), "time" in entry) for entry in entries]
    assert times == [("scale", False), (None, True), ("status", True)]


@custom_test
async def test_numbers_or_texts(api: CustomApi) -> None:
    await api.define(LEADERS)
    for amount in (2, "25%"):
        strategy = {"type": "RollingUpdate", "rollingUpdateConfiguration": {"maxSurge": amount}}
        created = await api.create(
            place(LEADERS), leader(f"serve-{type(amount).__name__}", rolloutStrategy=strategy)
        )
        rolling = created["spec"]["rolloutStrategy"]["rollingUpdateConfiguration"]
        assert rolling == {"maxSurge": amount, "maxUnavailable": 1}
    strategy = {"type": "RollingUpdate", "rollingUpdateConfiguration": {"maxSurge": True}}
    refused = await api.post(place(LEADERS), leader("bad", rolloutStrategy=strategy))
    assert refused.status == 422


@custom_test
async def test_columns_and_selectable_fields(api: CustomApi) -> None:
    await api.define(SETS)
    await api.define(RAY)
    await api.create(place(SETS), custom(SETS, "train", {"suspend": True}))
    done = {"type": "Completed", "status": "True", "reason": "Done", "message": ""}
    status = {"status": {"terminalState": "Completed", "restarts": 2, "conditions": [done]}}
    await api.patch(place(SETS, "train") + "/status", status)
    [row] = await api.table(place(SETS))
    assert row[:5] == ["train", "Completed", "2", "True", "true"]

    for name, version in (("a", "1"), ("b", "2")):
        await api.create(
            place(RAY), custom(RAY, name, {"headGroupSpec": {}, "rayVersion": version})
        )
    found = (await api.get(f"{place(RAY)}?fieldSelector=spec.rayVersion=2")).object["items"]
    assert [one["metadata"]["name"] for one in found] == ["b"]
    assert (await api.get(f"{place(RAY)}?fieldSelector=spec.suspend=true")).status == 400


@custom_test
async def test_a_schema_that_gets_stricter_forgives_what_is_stored(api: CustomApi) -> None:
    await api.define(SETS)
    await api.create(place(SETS), custom(SETS, "train", {"ttlSecondsAfterFinished": 5}))
    path = (
        "/spec/versions/0/schema/openAPIV3Schema/properties/spec/properties/ttlSecondsAfterFinished"
    )
    step = {"op": "add", "path": f"{path}/minimum", "value": 10}
    await api.patch(f"{DEFINITIONS}/{SETS['metadata']['name']}", [step], JSON_PATCH)
    await api.settle()
    where = place(SETS, "train")
    assert (await api.patch(where, {"spec": {"suspend": True}})).status == 200
    assert (await api.patch(where, {"spec": {"ttlSecondsAfterFinished": 6}})).status == 422


@custom_test
async def test_finalizers_without_a_domain_are_warned_of_once(api: CustomApi) -> None:
    await api.define(SETS)
    obj = custom(SETS, "train", {}, finalizers=["hold", "example.com/hold"])
    reply = await api.post(place(SETS), obj)
    assert reply.headers["warning"] == (
        '299 - "metadata.finalizers: \\"hold\\": prefer a domain-qualified finalizer name '
        'to avoid accidental conflicts with other finalizer writers"'
    )
    again = await api.patch(place(SETS, "train"), {"spec": {"suspend": True}})
    assert "warning" not in again.headers


BAD_BODIES = [b"", b"{", b"[]", b"null", b'"x"', b'{"kind":1}', b'{"metadata":[]}', b"\xff\xfe"]


@pytest.mark.parametrize("kind", ["application/json", "application/yaml", "text/plain"])
def test_bad_bodies_are_the_clients_fault(kind: str) -> None:
    async def scenario(api: CustomApi) -> None:
        await api.define(SETS)
        await api.create(place(SETS), custom(SETS, "train", {}))
        where = place(SETS, "train")
        for body in BAD_BODIES:
            answers = [
                await api.post(place(SETS), body, content_type=kind),
                await api.put(where, body, content_type=kind),
                await api.post(DEFINITIONS, body, content_type=kind),
                await api.patch(where, body),
                await api.patch(where, body, JSON_PATCH),
                await api.patch(f"{where}?fieldManager=me", body, APPLY),
            ]
            # Patches that ask for nothing are fine.
            assert all(answer.status < 500 for answer in answers), (body, answers)
            assert all(answer.status >= 400 for answer in answers[:3]), (body, answers)

    run_custom(scenario)
