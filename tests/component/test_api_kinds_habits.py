"""What single kinds do otherwise when they change or go; all measured on 1.37.2."""

from __future__ import annotations

from typing import Any

import pytest
import yaml

from tests.component.apiharness import CONFIG_MAPS, Api, api_test

EVENTS = "/api/v1/namespaces/default/events"
JOBS = "/apis/batch/v1/namespaces/default/jobs"
NAMESPACES = "/api/v1/namespaces"
SLICES = "/apis/resource.k8s.io/v1/resourceslices"
VOLUMES = "/api/v1/persistentvolumes"

VOLUME: dict[str, Any] = {
    "metadata": {"name": "v"},
    "spec": {
        "capacity": {"storage": "1Gi"},
        "accessModes": ["ReadWriteOnce"],
        "hostPath": {"path": "/p"},
    },
}


@pytest.mark.parametrize(("accept", "first"), [("application/yaml", b"apiVersion"), ("", b"{")])
def test_a_refusal_has_the_form_that_was_asked_for(accept: str, first: bytes) -> None:
    async def scenario(api: Api) -> None:
        reply = await api.get(f"{CONFIG_MAPS}/none", headers={"accept": accept})
        assert (reply.status, reply.body[: len(first)]) == (404, first)
        assert yaml.safe_load(reply.body)["reason"] == "NotFound"

    api_test(scenario)()


@api_test
async def test_yaml_quotes_what_would_be_read_as_something_else(api: Api) -> None:
    data = {"data": {"a": "1", "b": "yes", "c": "n", "d": "text", "e": "two\nlines\n"}}
    await api.create(CONFIG_MAPS, {"metadata": {"name": "c"}, **data})
    reply = await api.get(f"{CONFIG_MAPS}/c", headers={"accept": "application/yaml"})
    shown = '  a: "1"\n  b: "yes"\n  c: "n"\n  d: text\n  e: |\n    two\n    lines\n'
    assert shown in reply.body.decode()
    assert yaml.safe_load(reply.body)["data"] == data["data"]


@api_test
async def test_a_namespace_remembers_that_its_dependents_go_first(api: Api) -> None:
    await api.create(NAMESPACES, {"metadata": {"name": "n"}})
    reply = await api.delete(f"{NAMESPACES}/n?propagationPolicy=Foreground")
    assert reply.object["metadata"]["finalizers"] == ["foregroundDeletion"]


@api_test
async def test_an_event_goes_at_once_whatever_is_said_of_dependents(api: Api) -> None:
    about = {"kind": "Pod", "name": "p", "namespace": "default"}
    await api.create(EVENTS, {"metadata": {"name": "e"}, "involvedObject": about})
    reply = await api.delete(f"{EVENTS}/e?propagationPolicy=Foreground")
    assert reply.object["kind"] == "Status"
    assert (await api.get(f"{EVENTS}/e")).status == 404


@api_test
async def test_a_job_has_its_template_s_labels_again_after_a_status_without(api: Api) -> None:
    template = {"spec": {"containers": [{"name": "c", "image": "i"}], "restartPolicy": "Never"}}
    job = await api.create(JOBS, {"metadata": {"name": "j"}, "spec": {"template": template}})
    bare = {"metadata": {"name": "j"}, "spec": {"template": template}, "status": {}}
    reply = await api.put(f"{JOBS}/j/status", bare)
    assert reply.object["metadata"]["labels"] == job["metadata"]["labels"]


@api_test
async def test_a_volume_notes_when_its_phase_changed(api: Api) -> None:
    created = await api.create(VOLUMES, VOLUME)
    began = created["status"]["lastPhaseTransitionTime"]
    await api.backend.clock.sleep(10)
    same = (await api.put(f"{VOLUMES}/v/status", {**VOLUME, "status": {}})).object
    assert same["status"]["lastPhaseTransitionTime"] == began
    patch = {"status": {"phase": "Available"}}
    changed = (await api.patch(f"{VOLUMES}/v/status", patch)).object
    assert changed["status"]["lastPhaseTransitionTime"] > began


@api_test
async def test_a_device_s_taint_that_stays_keeps_its_time(api: Api) -> None:
    def taints(*keys: str) -> list[dict[str, str]]:
        return [{"key": key, "effect": "NoExecute"} for key in keys]

    def resource_slice(*keys: str) -> dict[str, Any]:
        devices = [{"name": "d", "taints": taints(*keys)}]
        pool = {"name": "p", "generation": 1, "resourceSliceCount": 1}
        spec = {"driver": "d.example", "nodeName": "n", "pool": pool, "devices": devices}
        return {"metadata": {"name": "s"}, "spec": spec}

    created = await api.create(SLICES, resource_slice("a"))
    began = created["spec"]["devices"][0]["taints"][0]["timeAdded"]
    await api.backend.clock.sleep(10)
    same = (await api.put(f"{SLICES}/s", resource_slice("a"))).object
    assert same["metadata"]["generation"] == 1
    two = (await api.put(f"{SLICES}/s", resource_slice("a", "b"))).object
    first, second = two["spec"]["devices"][0]["taints"]
    assert (first["timeAdded"], two["metadata"]["generation"]) == (began, 2)
    assert second["timeAdded"] > began
