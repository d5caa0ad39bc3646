"""Deleting through the API: grace, finalizers, propagation, preconditions, collections."""

from __future__ import annotations

from typing import Any

import pytest

from tests.component.apiharness import (
    CONFIG_MAPS,
    PODS,
    Api,
    api_test,
    binding,
    config_map,
    pod,
    run,
)

JOBS = "/apis/batch/v1/namespaces/default/jobs"


async def _bound_pod(api: Api, **spec: Any) -> None:
    await api.create(PODS, pod("p", **spec))
    assert (await api.post(f"{PODS}/p/binding", binding("p", "n1"))).status == 201


@api_test
async def test_a_deleted_object_is_gone_and_its_status_says_which_it_was(api: Api) -> None:
    created = await api.create(CONFIG_MAPS, config_map("a"))

    reply = await api.delete(f"{CONFIG_MAPS}/a")

    uid = created["metadata"]["uid"]
    assert reply.object["status"] == "Success"
    assert reply.object["details"] == {"name": "a", "kind": "configmaps", "uid": uid}
    assert (await api.get(f"{CONFIG_MAPS}/a")).status == 404


@api_test
async def test_finalizers_keep_an_object_until_the_last_is_taken_off(api: Api) -> None:
    await api.create(CONFIG_MAPS, config_map("a", finalizers=["x.io/a", "x.io/b"]))

    marked = (await api.delete(f"{CONFIG_MAPS}/a")).object
    await api.patch(f"{CONFIG_MAPS}/a", {"metadata": {"finalizers": ["x.io/b"]}})
    still = await api.get(f"{CONFIG_MAPS}/a")
    last = await api.patch(f"{CONFIG_MAPS}/a", {"metadata": {"finalizers": None}})

    assert marked["metadata"]["deletionGracePeriodSeconds"] == 0
    assert still.object["metadata"]["finalizers"] == ["x.io/b"]
    assert last.status == 200
    assert (await api.get(f"{CONFIG_MAPS}/a")).status == 404


@api_test
async def test_a_deletion_cannot_be_taken_back(api: Api) -> None:
    created = await api.create(CONFIG_MAPS, config_map("a", finalizers=["x.io/a"]))
    await api.delete(f"{CONFIG_MAPS}/a")
    created["metadata"].pop("resourceVersion")
    created["data"] = {"x": "y"}

    reply = await api.put(f"{CONFIG_MAPS}/a", created)

    assert "deletionTimestamp" in reply.object["metadata"]


@api_test
async def test_the_name_of_an_object_on_its_way_out_is_still_taken(api: Api) -> None:
    await api.create(CONFIG_MAPS, config_map("a", finalizers=["x.io/a"]))
    await api.delete(f"{CONFIG_MAPS}/a")

    reply = await api.post(CONFIG_MAPS, config_map("a"))

    assert (reply.status, reply.message) == (
        409,
        'object is being deleted: configmaps "a" already exists',
    )


@api_test
async def test_a_pod_without_a_node_goes_at_once(api: Api) -> None:
    await api.create(PODS, pod("p"))

    reply = await api.delete(f"{PODS}/p")

    assert reply.object["kind"] == "Pod"
    assert reply.object["metadata"]["deletionGracePeriodSeconds"] == 0
    assert (await api.get(f"{PODS}/p")).status == 404


@api_test
async def test_a_bound_pod_gets_its_grace_period(api: Api) -> None:
    await _bound_pod(api)

    first = (await api.delete(f"{PODS}/p")).object["metadata"]
    await api.backend.clock.sleep(10)
    second = (await api.delete(f"{PODS}/p")).object["metadata"]

    assert first["deletionGracePeriodSeconds"] == 30
    assert first["deletionTimestamp"] == "2026-11-18T11:07:10Z"
    assert second["deletionTimestamp"] == first["deletionTimestamp"]
    assert second["generation"] == 2


@api_test
async def test_a_grace_period_can_be_shortened_but_not_stretched(api: Api) -> None:
    await _bound_pod(api)
    await api.delete(f"{PODS}/p")

    longer = (await api.delete(f"{PODS}/p", {"gracePeriodSeconds": 60})).object["metadata"]
    shorter = (await api.delete(f"{PODS}/p", {"gracePeriodSeconds": 2})).object["metadata"]
    gone = await api.delete(f"{PODS}/p", {"gracePeriodSeconds": 0})

    assert longer["deletionGracePeriodSeconds"] == 30
    assert shorter["deletionGracePeriodSeconds"] == 2
    assert gone.status == 200
    assert (await api.get(f"{PODS}/p")).status == 404


@api_test
async def test_a_finished_pod_goes_at_once(api: Api) -> None:
    await _bound_pod(api)
    await api.patch(f"{PODS}/p/status", {"status": {"phase": "Succeeded"}})

    await api.delete(f"{PODS}/p")

    assert (await api.get(f"{PODS}/p")).status == 404


@pytest.mark.parametrize(
    ("policy", "want_finalizers"),
    [
        pytest.param("Foreground", ["foregroundDeletion"], id="foreground"),
        pytest.param("Orphan", ["orphan"], id="orphan"),
    ],
)
def test_the_propagation_policy_is_left_to_the_collector(
    policy: str, want_finalizers: list[str]
) -> None:
    async def scenario(api: Api) -> None:
        await api.create(CONFIG_MAPS, config_map("a"))
        reply = await api.delete(f"{CONFIG_MAPS}/a", {"propagationPolicy": policy})
        assert reply.object["metadata"]["finalizers"] == want_finalizers
        assert (await api.get(f"{CONFIG_MAPS}/a")).status == 200

    run(scenario)


@api_test
async def test_background_takes_an_earlier_policy_back(api: Api) -> None:
    await api.create(CONFIG_MAPS, config_map("a"))
    await api.delete(f"{CONFIG_MAPS}/a", {"propagationPolicy": "Foreground"})

    await api.delete(f"{CONFIG_MAPS}/a", {"propagationPolicy": "Background"})

    assert (await api.get(f"{CONFIG_MAPS}/a")).status == 404


@api_test
async def test_a_job_leaves_its_pods_unless_told_otherwise_and_warns(api: Api) -> None:
    template = {"spec": {"restartPolicy": "Never", "containers": [{"name": "c", "image": "i"}]}}
    await api.create(JOBS, {"metadata": {"name": "j"}, "spec": {"template": template}})

    reply = await api.delete(f"{JOBS}/j")

    assert reply.object["metadata"]["finalizers"] == ["orphan"]
    assert "child pods are preserved by default" in reply.headers["warning"]


@api_test
async def test_preconditions_protect_another_object_of_the_name(api: Api) -> None:
    created = await api.create(CONFIG_MAPS, config_map("a"))
    known = created["metadata"]

    other = await api.delete(f"{CONFIG_MAPS}/a", {"preconditions": {"uid": "another"}})
    older = await api.delete(f"{CONFIG_MAPS}/a", {"preconditions": {"resourceVersion": "1"}})
    right = {"uid": known["uid"], "resourceVersion": known["resourceVersion"]}
    this = await api.delete(f"{CONFIG_MAPS}/a", {"preconditions": right})

    assert (other.status, older.status, this.status) == (409, 409, 200)


@api_test
async def test_a_dry_run_deletes_nothing(api: Api) -> None:
    await api.create(PODS, pod("p"))

    reply = await api.delete(f"{PODS}/p", {"dryRun": ["All"]})

    assert reply.object["metadata"]["generation"] == 2
    assert (await api.get(f"{PODS}/p")).status == 200


@api_test
async def test_a_collection_is_deleted_by_selector(api: Api) -> None:
    for name, label in (("a", "1"), ("b", "2"), ("c", "1")):
        await api.create(CONFIG_MAPS, config_map(name, labels={"k": label}))

    reply = await api.delete(f"{CONFIG_MAPS}?labelSelector=k%3D1")
    left = await api.get(CONFIG_MAPS)

    assert [item["metadata"]["name"] for item in reply.object["items"]] == ["a", "c"]
    assert [item["metadata"]["name"] for item in left.object["items"]] == ["b"]


@api_test
async def test_a_namespace_waits_for_its_contents_to_be_removed(api: Api) -> None:
    await api.create("/api/v1/namespaces", {"metadata": {"name": "n"}})

    first = (await api.delete("/api/v1/namespaces/n")).object
    again = (await api.delete("/api/v1/namespaces/n")).object
    emptied = {"metadata": {"name": "n"}, "spec": {"finalizers": []}}
    await api.put("/api/v1/namespaces/n/finalize", emptied)

    assert first["status"]["phase"] == "Terminating"
    assert again["metadata"]["deletionTimestamp"] == first["metadata"]["deletionTimestamp"]
    assert (await api.get("/api/v1/namespaces/n")).status == 404


@api_test
async def test_a_namespace_takes_only_qualified_finalizers(api: Api) -> None:
    await api.create("/api/v1/namespaces", {"metadata": {"name": "n"}})

    wrong = {"metadata": {"name": "n"}, "spec": {"finalizers": ["kubernetes", "a/b/c"]}}
    refused = await api.put("/api/v1/namespaces/n/finalize", wrong)

    fields = [cause["field"] for cause in refused.object["details"]["causes"]]
    assert (refused.status, fields) == (422, ["spec.finalizers[1]"] * len(fields))
    kept = (await api.get("/api/v1/namespaces/n")).object
    assert kept["spec"]["finalizers"] == ["kubernetes"]


@pytest.mark.parametrize("name", ["default", "kube-system", "kube-public"])
def test_some_namespaces_stay(name: str) -> None:
    async def scenario(api: Api) -> None:
        reply = await api.delete(f"/api/v1/namespaces/{name}")
        assert (reply.status, "may not be deleted" in reply.message) == (403, True)

    run(scenario)


@pytest.mark.parametrize(
    ("body", "want_field"),
    [
        pytest.param({"propagationPolicy": "Sideways"}, "propagationPolicy", id="policy"),
        pytest.param({"dryRun": ["Some"]}, "dryRun", id="dry-run"),
        pytest.param(
            {"propagationPolicy": "Orphan", "orphanDependents": True},
            "propagationPolicy",
            id="two-policies",
        ),
    ],
)
def test_wrong_delete_options_are_refused(body: dict[str, Any], want_field: str) -> None:
    async def scenario(api: Api) -> None:
        await api.create(CONFIG_MAPS, config_map("a"))
        reply = await api.delete(f"{CONFIG_MAPS}/a", body)
        assert reply.status == 422
        assert reply.object["details"]["kind"] == "DeleteOptions"
        assert reply.object["details"]["causes"][0]["field"] == want_field
        assert (await api.get(f"{CONFIG_MAPS}/a")).status == 200

    run(scenario)
