"""Creating and updating through the API: what is stored, refused, kept and counted."""

from __future__ import annotations

import asyncio

from tests.component.apiharness import (
    CONFIG_MAPS,
    MERGE,
    PODS,
    START,
    Api,
    api_test,
    config_map,
    pod,
    run,
)

PODGROUPS = "/apis/scheduling.k8s.io/v1beta1/namespaces/default/podgroups"
LEASES = "/apis/coordination.k8s.io/v1/namespaces/default/leases"


@api_test
async def test_a_new_object_gets_what_only_the_server_knows(api: Api) -> None:
    created = await api.create(CONFIG_MAPS, config_map("a", data={"x": "y"}))

    metadata = created["metadata"]
    assert metadata["namespace"] == "default"
    assert metadata["creationTimestamp"] == "2026-11-18T11:06:40Z"
    assert metadata["resourceVersion"] == str(api.backend.store.revision)
    assert len(metadata["uid"]) == 36
    assert (await api.get(f"{CONFIG_MAPS}/a")).object == created


@api_test
async def test_a_client_cannot_choose_system_metadata(api: Api) -> None:
    mine = {"uid": "mine", "creationTimestamp": "2020-01-01T00:00:00Z", "selfLink": "/x"}

    created = await api.create(CONFIG_MAPS, config_map("a", **mine))

    assert created["metadata"]["uid"] != "mine"
    assert created["metadata"]["creationTimestamp"].startswith("2026")
    assert "selfLink" not in created["metadata"]


@api_test
async def test_generated_names_differ_and_keep_their_base(api: Api) -> None:
    names = [
        (await api.create(CONFIG_MAPS, {"metadata": {"generateName": "job-"}}))["metadata"]["name"]
        for _ in range(20)
    ]

    assert len(set(names)) == 20
    assert all(name.startswith("job-") and len(name) == 9 for name in names)


@api_test
async def test_a_taken_name_is_refused_and_changes_nothing(api: Api) -> None:
    first = await api.create(CONFIG_MAPS, config_map("a", data={"x": "1"}))

    reply = await api.post(CONFIG_MAPS, config_map("a", data={"x": "2"}))

    assert (reply.status, reply.message) == (409, 'configmaps "a" already exists')
    assert (await api.get(f"{CONFIG_MAPS}/a")).object == first


@api_test
async def test_of_many_creates_at_once_one_wins(api: Api) -> None:
    replies = await asyncio.gather(
        *(api.post(CONFIG_MAPS, config_map("a", data={"x": str(i)})) for i in range(10))
    )

    assert sorted(reply.status for reply in replies) == [201] + [409] * 9


@api_test
async def test_a_body_without_kind_and_namespace_takes_them_from_the_path(api: Api) -> None:
    created = await api.create(CONFIG_MAPS, {"metadata": {"name": "a"}})

    assert (created["kind"], created["apiVersion"]) == ("ConfigMap", "v1")
    assert created["metadata"]["namespace"] == "default"


@api_test
async def test_a_missing_namespace_is_named(api: Api) -> None:
    reply = await api.post("/api/v1/namespaces/absent/configmaps", config_map("a"))

    assert (reply.status, reply.message) == (404, 'namespaces "absent" not found')


@api_test
async def test_a_terminating_namespace_takes_nothing_new_and_lets_go(api: Api) -> None:
    await api.create("/api/v1/namespaces", {"metadata": {"name": "going"}})
    inside = "/api/v1/namespaces/going/configmaps"
    await api.create(inside, config_map("old"))
    await api.delete("/api/v1/namespaces/going")

    reply = await api.post(inside, config_map("new"))

    assert reply.status == 403
    assert reply.object["details"]["causes"][0]["reason"] == "NamespaceTerminating"
    assert (await api.delete(f"{inside}/old")).status == 200


@api_test
async def test_unknown_fields_are_refused_dropped_or_passed_over_as_asked(api: Api) -> None:
    body = {"metadata": {"name": "a", "extra": 1}, "bogus": 1}

    strict = await api.post(f"{CONFIG_MAPS}?fieldValidation=Strict", body)
    warned = await api.post(f"{CONFIG_MAPS}?dryRun=All", body)
    silent = await api.post(f"{CONFIG_MAPS}?fieldValidation=Ignore", body)

    assert strict.status == 400
    assert 'unknown field "metadata.extra", unknown field "bogus"' in strict.message
    assert warned.headers["warning"].startswith('299 - "unknown field')
    assert "warning" not in silent.headers
    assert "bogus" not in silent.object


@api_test
async def test_a_dry_run_answers_as_if_and_stores_nothing(api: Api) -> None:
    before = api.backend.store.revision

    created = await api.post(f"{CONFIG_MAPS}?dryRun=All", config_map("a"))

    assert created.status == 201
    assert "resourceVersion" not in created.object["metadata"]
    assert (await api.get(f"{CONFIG_MAPS}/a")).status == 404
    assert api.backend.store.revision == before


@api_test
async def test_a_pod_begins_pending_with_class_priority_and_tolerations(api: Api) -> None:
    created = await api.create(PODS, pod("p"))

    assert created["status"] == {"phase": "Pending", "qosClass": "BestEffort"}
    assert created["metadata"]["generation"] == 1
    assert created["spec"]["priority"] == 0
    keys = [toleration["key"] for toleration in created["spec"]["tolerations"]]
    assert keys == ["node.kubernetes.io/not-ready", "node.kubernetes.io/unreachable"]


@api_test
async def test_a_gated_pod_says_so_in_its_condition(api: Api) -> None:
    created = await api.create(PODS, pod("p", schedulingGates=[{"name": "g"}]))

    condition = created["status"]["conditions"][0]
    assert (condition["type"], condition["reason"]) == ("PodScheduled", "SchedulingGated")


@api_test
async def test_a_replaced_object_keeps_identity_and_gets_a_new_version(api: Api) -> None:
    created = await api.create(CONFIG_MAPS, config_map("a", data={"x": "1"}))

    updated = (await api.put(f"{CONFIG_MAPS}/a", config_map("a", data={"x": "2"}))).object

    assert updated["metadata"]["uid"] == created["metadata"]["uid"]
    assert updated["metadata"]["creationTimestamp"] == created["metadata"]["creationTimestamp"]
    assert updated["data"] == {"x": "2"}
    assert int(updated["metadata"]["resourceVersion"]) > int(created["metadata"]["resourceVersion"])


@api_test
async def test_a_stale_update_conflicts(api: Api) -> None:
    created = await api.create(CONFIG_MAPS, config_map("a"))
    await api.patch(f"{CONFIG_MAPS}/a", {"data": {"x": "1"}})

    reply = await api.put(f"{CONFIG_MAPS}/a", created)

    assert reply.status == 409
    assert "the object has been modified" in reply.message


@api_test
async def test_an_update_that_changes_nothing_makes_no_revision(api: Api) -> None:
    created = await api.create(PODS, pod("p"))
    before = api.backend.store.revision

    again = await api.put(f"{PODS}/p", created)

    assert again.object == created
    assert api.backend.store.revision == before


@api_test
async def test_the_uid_in_a_put_says_which_object_is_meant(api: Api) -> None:
    await api.create(CONFIG_MAPS, config_map("a"))

    reply = await api.put(f"{CONFIG_MAPS}/a", config_map("a", uid="another"))

    assert reply.status == 409
    assert "Precondition failed: UID in precondition: another" in reply.message


@api_test
async def test_a_pod_group_must_be_updated_from_a_known_version(api: Api) -> None:
    group = {"metadata": {"name": "g"}, "spec": {"schedulingPolicy": {"gang": {"minCount": 2}}}}
    created = await api.create(PODGROUPS, group)

    blind = await api.put(f"{PODGROUPS}/g", group)
    created["spec"]["schedulingPolicy"]["gang"]["minCount"] = 3
    seen = await api.put(f"{PODGROUPS}/g", created)

    assert blind.status == 422
    assert blind.object["details"]["kind"] == "podgroups"
    assert seen.object["spec"]["schedulingPolicy"]["gang"]["minCount"] == 3


@api_test
async def test_only_some_kinds_are_created_by_put(api: Api) -> None:
    lease = {"metadata": {"name": "l"}, "spec": {"holderIdentity": "me"}}

    assert (await api.put(f"{LEASES}/l", lease)).status == 201
    assert (await api.put(f"{CONFIG_MAPS}/a", config_map("a"))).status == 404


@api_test
async def test_status_and_spec_are_written_apart(api: Api) -> None:
    await api.create(PODS, pod("p", nodeName="n1"))

    spec = await api.patch(f"{PODS}/p", {"status": {"phase": "Running"}})
    status = await api.patch(
        f"{PODS}/p/status", {"spec": {"nodeName": "n2"}, "status": {"phase": "Running"}}
    )

    assert spec.object["status"]["phase"] == "Pending"
    assert status.object["status"]["phase"] == "Running"
    assert status.object["spec"]["nodeName"] == "n1"
    assert status.object["metadata"]["generation"] == 1


@api_test
async def test_a_changed_spec_is_counted(api: Api) -> None:
    await api.create(PODS, pod("p"))

    changed = await api.patch(f"{PODS}/p", {"spec": {"activeDeadlineSeconds": 5}})
    labelled = await api.patch(f"{PODS}/p", {"metadata": {"labels": {"a": "b"}}})

    assert changed.object["metadata"]["generation"] == 2
    assert labelled.object["metadata"]["generation"] == 2


@api_test
async def test_status_of_a_pod_group_changes_no_metadata(api: Api) -> None:
    group = {"metadata": {"name": "g"}, "spec": {"schedulingPolicy": {"basic": {}}}}
    await api.create(PODGROUPS, group)
    condition = {
        "type": "X",
        "status": "True",
        "reason": "R",
        "message": "",
        "lastTransitionTime": "2026-01-01T00:00:00Z",
    }

    reply = await api.patch(
        f"{PODGROUPS}/g/status",
        {"metadata": {"labels": {"a": "b"}}, "status": {"conditions": [condition]}},
    )

    assert reply.status == 200
    assert "labels" not in reply.object["metadata"]
    assert reply.object["status"]["conditions"][0]["type"] == "X"


@api_test
async def test_many_writers_of_one_object_all_get_through(api: Api) -> None:
    await api.create(CONFIG_MAPS, config_map("a"))

    replies = await asyncio.gather(
        *(api.patch(f"{CONFIG_MAPS}/a", {"data": {f"k{i}": "v"}}) for i in range(25))
    )

    assert {reply.status for reply in replies} == {200}
    assert len((await api.get(f"{CONFIG_MAPS}/a")).object["data"]) == 25


@api_test
async def test_both_scheduling_versions_show_the_same_object(api: Api) -> None:
    alpha = PODGROUPS.replace("v1beta1", "v1alpha3")
    group = {"metadata": {"name": "g"}, "spec": {"schedulingPolicy": {"gang": {"minCount": 2}}}}
    await api.create(alpha, group)

    old, new = (await api.get(f"{alpha}/g")).object, (await api.get(f"{PODGROUPS}/g")).object

    assert old.pop("apiVersion") == "scheduling.k8s.io/v1alpha3"
    assert new.pop("apiVersion") == "scheduling.k8s.io/v1beta1"
    assert old == new


@api_test
async def test_a_job_selects_its_own_pods(api: Api) -> None:
    template = {"spec": {"restartPolicy": "Never", "containers": [{"name": "c", "image": "i"}]}}
    job = await api.create(
        "/apis/batch/v1/namespaces/default/jobs",
        {"metadata": {"name": "j"}, "spec": {"template": template}},
    )

    uid = job["metadata"]["uid"]
    assert job["spec"]["selector"] == {"matchLabels": {"batch.kubernetes.io/controller-uid": uid}}
    assert job["spec"]["template"]["metadata"]["labels"]["job-name"] == "j"


def test_with_the_gate_off_its_fields_vanish_silently() -> None:
    async def scenario(api: Api) -> None:
        reply = await api.post(f"{PODS}?fieldValidation=Strict", grouped)
        assert reply.status == 201
        assert "schedulingGroup" not in reply.object["spec"]
        assert (await api.get(PODGROUPS)).status == 404

    grouped = pod("p", schedulingGroup={"podGroupName": "g"})
    gates = ",".join(
        f"{name}=false"
        for name in (
            "GenericWorkload",
            "TopologyAwareWorkloadScheduling",
            "DRAWorkloadResourceClaims",
            "WorkloadWithJob",
            "PodGroupPreemptionPolicy",
            "CompositePodGroup",
        )
    )
    run(scenario, feature_gates=gates)


@api_test
async def test_yaml_bodies_are_read_and_yaml_is_written_when_asked(api: Api) -> None:
    body = b"apiVersion: v1\nkind: ConfigMap\nmetadata:\n  name: a\ndata: {x: 'y'}\n"

    reply = await api.post(
        CONFIG_MAPS, body, content_type="application/yaml", headers={"accept": "application/yaml"}
    )

    assert reply.status == 201
    assert reply.headers["content-type"] == "application/yaml"
    assert b"kind: ConfigMap" in reply.body


@api_test
async def test_a_body_in_an_unknown_form_is_refused(api: Api) -> None:
    reply = await api.post(CONFIG_MAPS, b"<a/>", content_type="text/xml")

    assert reply.status == 415


@api_test
async def test_a_body_above_the_limit_is_refused(api: Api) -> None:
    reply = await api.post(CONFIG_MAPS, config_map("a", data={"x": "y" * 3_200_000}))

    assert (reply.status, reply.object["reason"]) == (413, "RequestEntityTooLarge")


@api_test
async def test_the_clock_of_the_test_is_the_clock_of_the_server(api: Api) -> None:
    await api.backend.clock.sleep(60)

    created = await api.create(CONFIG_MAPS, config_map("a"))

    assert api.backend.clock.now() == START + 60
    assert created["metadata"]["creationTimestamp"] == "2026-11-18T11:07:40Z"


@api_test
async def test_an_empty_patch_is_no_change(api: Api) -> None:
    created = await api.create(CONFIG_MAPS, config_map("a", data={"x": "1"}))

    reply = await api.patch(f"{CONFIG_MAPS}/a", {}, MERGE)

    assert reply.object == created


@api_test
async def test_generated_labels_are_a_jobs_own_once_it_is_accepted(api: Api) -> None:
    jobs = "/apis/batch/v1/namespaces/default/jobs"
    pods = {"containers": [{"name": "c", "image": "i"}], "restartPolicy": "Never"}

    def job(name: str) -> dict[str, object]:
        return {"metadata": {"name": name}, "spec": {"template": {"spec": pods}}}

    created = await api.create(jobs, job("j"))
    refused = await api.post(jobs, job("j" * 64))

    assert created["metadata"]["labels"]["job-name"] == "j"
    # As on 1.37.2: the labels of a Job that has none are not looked at before.
    causes = refused.object["details"]["causes"]
    assert [cause["field"] for cause in causes] == ["spec.template.labels"]
