"""The official client ``kubernetes``: typed calls, the dynamic client, watches, informers."""

from __future__ import annotations

from collections.abc import Iterator
from typing import Any

import pytest
from kubernetes import client, config, dynamic, watch
from kubernetes.client.exceptions import ApiException
from shapes import config_map, custom, definition, job, pod


@pytest.fixture(scope="module")
def api(kubeconfig: str) -> Iterator[client.ApiClient]:
    with config.new_client_from_config(kubeconfig) as made:
        yield made


@pytest.fixture
def core(api: client.ApiClient) -> client.CoreV1Api:
    return client.CoreV1Api(api)


def events_until(found: Any, *arguments: Any, **options: Any) -> list[dict[str, Any]]:
    """Return what a watch tells, up to the first event that was looked for."""
    seen = []
    follower = watch.Watch()
    for event in follower.stream(*arguments, timeout_seconds=30, **options):
        seen.append(event)
        if found(event):
            follower.stop()
            return seen
    raise AssertionError(f"not among {seen}")


def test_the_version_is_told(api: client.ApiClient) -> None:
    version = client.VersionApi(api).get_code()

    assert version.git_version.startswith(f"v{version.major}.{version.minor}.")


def test_an_object_is_created_read_replaced_patched_and_deleted(
    core: client.CoreV1Api, namespace: str
) -> None:
    created = core.create_namespaced_config_map(namespace, config_map("k-life", a="1"))
    created.data["b"] = "2"
    replaced = core.replace_namespaced_config_map("k-life", namespace, created)
    patched = core.patch_namespaced_config_map("k-life", namespace, {"data": {"a": None}})
    listed = core.list_namespaced_config_map(namespace, field_selector="metadata.name=k-life")
    deleted = core.delete_namespaced_config_map("k-life", namespace)

    assert replaced.metadata.resource_version != created.metadata.resource_version
    assert patched.data == {"b": "2"}
    assert [item.metadata.uid for item in listed.items] == [created.metadata.uid]
    # A Status comes as it is, since the client looks for a V1Status by its own names.
    assert deleted["status"] == "Success"
    with pytest.raises(ApiException) as error:
        core.read_namespaced_config_map("k-life", namespace)
    assert error.value.status == 404


def test_a_stale_replacement_conflicts(core: client.CoreV1Api, namespace: str) -> None:
    stale = core.create_namespaced_config_map(namespace, config_map("k-stale", a="1"))
    core.patch_namespaced_config_map("k-stale", namespace, {"data": {"a": "2"}})

    with pytest.raises(ApiException) as error:
        core.replace_namespaced_config_map("k-stale", namespace, stale)

    assert error.value.status == 409


def test_a_list_of_operations_is_a_json_patch(core: client.CoreV1Api, namespace: str) -> None:
    core.create_namespaced_config_map(namespace, config_map("k-json", a="1"))

    patched = core.patch_namespaced_config_map(
        "k-json", namespace, [{"op": "replace", "path": "/data/a", "value": "3"}]
    )

    assert patched.data == {"a": "3"}


def test_a_pod_runs_and_has_no_logs(core: client.CoreV1Api, namespace: str) -> None:
    core.create_namespaced_pod(namespace, pod("k-pod", app="k"))
    events_until(
        lambda event: event["object"].status.phase == "Running",
        core.list_namespaced_pod,
        namespace,
        label_selector="app=k",
    )

    with pytest.raises(ApiException) as error:
        core.read_namespaced_pod_log("k-pod", namespace)

    assert error.value.status in {400, 501}
    assert "simulated node" in error.value.body
    core.delete_namespaced_pod("k-pod", namespace)


def test_a_pod_is_bound_by_hand_and_evicted(core: client.CoreV1Api, namespace: str) -> None:
    made = pod("k-bound")
    made["spec"]["schedulerName"] = "nobody"
    core.create_namespaced_pod(namespace, made)
    node = core.list_node().items[0].metadata.name
    target = client.V1ObjectReference(kind="Node", name=node)
    meta = client.V1ObjectMeta(name="k-bound")
    # The answer is a Status, which the client takes for a Binding unless told not to look.
    core.create_namespaced_binding(
        namespace, client.V1Binding(metadata=meta, target=target), _preload_content=False
    )
    bound = core.read_namespaced_pod("k-bound", namespace)
    core.create_namespaced_pod_eviction("k-bound", namespace, client.V1Eviction(metadata=meta))

    assert bound.spec.node_name == node


def test_a_watch_tells_every_change(core: client.CoreV1Api, namespace: str) -> None:
    start = core.list_namespaced_config_map(namespace).metadata.resource_version
    core.create_namespaced_config_map(namespace, config_map("k-watch", a="1"))
    core.patch_namespaced_config_map("k-watch", namespace, {"data": {"a": "2"}})
    core.delete_namespaced_config_map("k-watch", namespace)

    events = events_until(
        lambda event: event["type"] == "DELETED",
        core.list_namespaced_config_map,
        namespace,
        resource_version=start,
        field_selector="metadata.name=k-watch",
    )

    assert [event["type"] for event in events] == ["ADDED", "MODIFIED", "DELETED"]


def test_a_watch_from_the_future_is_silent(core: client.CoreV1Api, namespace: str) -> None:
    events = watch.Watch().stream(
        core.list_namespaced_config_map,
        namespace,
        resource_version="999999999",
        timeout_seconds=1,
    )

    assert list(events) == []


def test_a_job_completes_and_its_pods_are_listed(api: client.ApiClient, namespace: str) -> None:
    batch, core = client.BatchV1Api(api), client.CoreV1Api(api)
    batch.create_namespaced_job(namespace, job("k-job", 2))
    events_until(
        lambda event: (event["object"].status.succeeded or 0) == 2,
        batch.list_namespaced_job,
        namespace,
        field_selector="metadata.name=k-job",
    )
    pods = core.list_namespaced_pod(namespace, label_selector="job-name=k-job")
    paged = core.list_namespaced_pod(namespace, label_selector="job-name=k-job", limit=1)

    assert {item.status.phase for item in pods.items} == {"Succeeded"}
    assert len(paged.items) == 1
    assert paged.metadata._continue


def test_a_lease_is_renewed_with_microseconds(api: client.ApiClient, namespace: str) -> None:
    leases = client.CoordinationV1Api(api)
    lease = leases.create_namespaced_lease(
        namespace,
        {
            "apiVersion": "coordination.k8s.io/v1",
            "kind": "Lease",
            "metadata": {"name": "k-lease"},
            "spec": {"holderIdentity": "me", "renewTime": "2026-01-01T00:00:00.000001Z"},
        },
    )
    lease.spec.holder_identity = "you"
    renewed = leases.replace_namespaced_lease("k-lease", namespace, lease)

    assert renewed.spec.holder_identity == "you"
    assert renewed.spec.renew_time.microsecond == 1


def test_rights_are_asked_for(api: client.ApiClient, namespace: str) -> None:
    review = client.V1SelfSubjectAccessReview(
        spec=client.V1SelfSubjectAccessReviewSpec(
            resource_attributes=client.V1ResourceAttributes(
                verb="create", resource="pods", namespace=namespace
            )
        )
    )

    assert client.AuthorizationV1Api(api).create_self_subject_access_review(review).status.allowed


def test_the_dynamic_client_knows_custom_kinds_and_applies(
    api: client.ApiClient, namespace: str
) -> None:
    extensions = client.ApiextensionsV1Api(api)
    made = extensions.create_custom_resource_definition(definition("Kite"))
    events_until(
        lambda event: any(
            one.type == "Established" and one.status == "True"
            for one in event["object"].status.conditions or ()
        ),
        extensions.list_custom_resource_definition,
        field_selector=f"metadata.name={made.metadata.name}",
    )
    kites = dynamic.DynamicClient(api).resources.get(
        api_version="clients.example.com/v1", kind="Kite"
    )
    kites.create(body=custom("Kite", "one"), namespace=namespace)
    applied = kites.server_side_apply(
        body=custom("Kite", "one", notes=[{"name": "a", "text": "x"}]),
        namespace=namespace,
        field_manager="me",
    )
    status = kites.status.patch(
        body={"status": {"phase": "Up"}},
        name="one",
        namespace=namespace,
        content_type="application/merge-patch+json",
    )
    objects = client.CustomObjectsApi(api)
    scaled = objects.patch_namespaced_custom_object_scale(
        "clients.example.com", "v1", namespace, "kites", "one", {"spec": {"replicas": 4}}
    )
    listed = objects.list_namespaced_custom_object("clients.example.com", "v1", namespace, "kites")

    assert applied.spec.size == 1
    assert applied.spec.notes[0].text == "x"
    assert status.status.phase == "Up"
    assert scaled["spec"]["replicas"] == 4
    assert [item["spec"]["size"] for item in listed["items"]] == [4]
    kites.delete(name="one", namespace=namespace)
    extensions.delete_custom_resource_definition(made.metadata.name)
