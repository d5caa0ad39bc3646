"""Warnings as the API server sends them, and what it does to objects beside warning."""

from __future__ import annotations

import asyncio
from typing import Any

import pytest

from tests.component.apiharness import APPLY, CONFIG_MAPS, PODS, Api

_APP_ARMOR = "container.apparmor.security.beta.kubernetes.io/"
_DEPLOYMENTS = "/apis/apps/v1/namespaces/default/deployments"
_OWNER = {"apiVersion": "v1", "kind": "ConfigMap", "name": "x", "uid": "1-2"}
_REPEATED = (
    ".metadata.ownerReferences contains duplicate entries{when}; API server dedups owner "
    "references in 1.20+, and may reject such requests as early as 1.24; please fix your "
    "requests; duplicate UID(s) observed: 1-2"
)


def _pod(spec: dict[str, Any], annotations: dict[str, str] | None = None) -> dict[str, Any]:
    return {
        "apiVersion": "v1",
        "kind": "Pod",
        "metadata": {"name": "p", "annotations": annotations or {}},
        "spec": {"containers": [{"name": "c", "image": "i"}], **spec},
    }


def _config_map(**metadata: Any) -> dict[str, Any]:
    return {"apiVersion": "v1", "kind": "ConfigMap", "metadata": {"name": "m", **metadata}}


def test_repeated_owners_are_dropped_with_a_warning() -> None:
    async def scenario() -> None:
        api = await Api.start()
        twice = _config_map(ownerReferences=[_OWNER, _OWNER])
        for reply in (
            await api.post(CONFIG_MAPS, twice),
            await api.put(f"{CONFIG_MAPS}/m", twice),
        ):
            assert reply.object["metadata"]["ownerReferences"] == [_OWNER]
            assert reply.warnings == (_REPEATED.format(when=""),)

    asyncio.run(scenario())


def test_owners_that_a_patch_repeats_are_found_later() -> None:
    async def scenario() -> None:
        api = await Api.start()
        await api.create(CONFIG_MAPS, _config_map())
        patch = {"metadata": {"ownerReferences": [_OWNER, _OWNER]}}

        reply = await api.patch(f"{CONFIG_MAPS}/m", patch)

        assert reply.object["metadata"]["ownerReferences"] == [_OWNER]
        when = " after mutating admission happens"
        assert reply.warnings == (_REPEATED.format(when=when),)

    asyncio.run(scenario())


def test_owners_that_differ_all_stay() -> None:
    async def scenario() -> None:
        api = await Api.start()
        owners = [_OWNER, {**_OWNER, "controller": True}]

        reply = await api.post(CONFIG_MAPS, _config_map(ownerReferences=owners))

        assert reply.object["metadata"]["ownerReferences"] == owners
        assert reply.warnings == ()

    asyncio.run(scenario())


@pytest.mark.parametrize(
    ("annotation", "profile"),
    [
        ("runtime/default", {"type": "RuntimeDefault"}),
        ("unconfined", {"type": "Unconfined"}),
        ("localhost/x", {"type": "Localhost", "localhostProfile": "x"}),
    ],
)
def test_an_annotation_of_apparmor_becomes_a_field(annotation: str, profile: Any) -> None:
    async def scenario() -> None:
        api = await Api.start()

        reply = await api.post(PODS, _pod({}, {f"{_APP_ARMOR}c": annotation}))

        security = reply.object["spec"]["containers"][0]["securityContext"]
        assert security == {"appArmorProfile": profile}
        assert reply.warnings == (
            f"metadata.annotations[{_APP_ARMOR}c]: deprecated since v1.30; "
            'use the "appArmorProfile" field instead',
        )

    asyncio.run(scenario())


def test_an_annotation_that_says_what_the_pod_says_changes_nothing() -> None:
    async def scenario() -> None:
        api = await Api.start()
        spec = {"securityContext": {"appArmorProfile": {"type": "RuntimeDefault"}}}

        reply = await api.post(PODS, _pod(spec, {f"{_APP_ARMOR}c": "runtime/default"}))

        assert "securityContext" not in reply.object["spec"]["containers"][0]
        assert reply.warnings == ()

    asyncio.run(scenario())


def test_an_annotation_of_apparmor_is_warned_of_even_if_the_pod_is_refused() -> None:
    async def scenario() -> None:
        api = await Api.start()
        pod = _pod({"nodeSelector": {"beta.kubernetes.io/os": "-"}}, {f"{_APP_ARMOR}c": "bad"})

        reply = await api.post(PODS, pod)

        assert reply.status == 422
        assert len(reply.warnings) == 1
        assert "appArmorProfile" in reply.warnings[0]

    asyncio.run(scenario())


def test_warnings_go_out_in_utf_8() -> None:
    async def scenario() -> None:
        api = await Api.start()
        items = [{"key": key, "path": "é"} for key in "ab"]
        volume = {"name": "v", "configMap": {"name": "m", "items": items}}

        reply = await api.post(PODS, _pod({"volumes": [volume]}))

        told = 'volume "v" (ConfigMap "m"): overlapping paths: "é" with "é"'
        assert reply.warnings == (told,)

    asyncio.run(scenario())


def test_annotations_count_in_the_generation_of_a_deployment() -> None:
    async def scenario() -> None:
        api = await Api.start()
        template = {
            "metadata": {"labels": {"a": "b"}},
            "spec": {"containers": [{"name": "c", "image": "i"}]},
        }
        spec = {"selector": {"matchLabels": {"a": "b"}}, "template": template}
        deployment = {"apiVersion": "apps/v1", "kind": "Deployment", "spec": spec}
        await api.create(_DEPLOYMENTS, {**deployment, "metadata": {"name": "d"}})

        generations = []
        for metadata in ({"labels": {"x": "y"}}, {"annotations": {"x": "y"}}):
            reply = await api.patch(f"{_DEPLOYMENTS}/d", {"metadata": metadata})
            generations.append(reply.object["metadata"]["generation"])

        assert generations == [1, 2]

    asyncio.run(scenario())


def test_nodes_take_no_source_of_configuration() -> None:
    async def scenario() -> None:
        api = await Api.start()
        source = {"configMap": {"name": "n", "namespace": "s", "kubeletConfigKey": "k"}}
        node = {"apiVersion": "v1", "kind": "Node", "metadata": {"name": "n"}}

        created = await api.post("/api/v1/nodes", {**node, "spec": {"configSource": source}})
        changed = await api.patch("/api/v1/nodes/n", {"spec": {"configSource": source}})

        for reply in (created, changed):
            assert "configSource" not in reply.object["spec"]
            assert reply.warnings == ()

    asyncio.run(scenario())


def test_fields_that_a_patch_makes_up_are_told_in_order_of_names() -> None:
    async def scenario() -> None:
        api = await Api.start()
        await api.create(CONFIG_MAPS, _config_map())

        reply = await api.patch(f"{CONFIG_MAPS}/m", {"zoo": 1, "metadata": {"b": 1, "a": 1}})

        assert reply.warnings == (
            'unknown field "metadata.a"',
            'unknown field "metadata.b"',
            'unknown field "zoo"',
        )

    asyncio.run(scenario())


def test_an_external_name_has_no_policy_for_traffic_from_outside() -> None:
    async def scenario() -> None:
        api = await Api.start()
        spec = {"type": "ExternalName", "externalName": "a.b", "externalIPs": ["1.2.3.4"]}
        service = {"apiVersion": "v1", "kind": "Service", "metadata": {"name": "s"}, "spec": spec}

        reply = await api.post("/api/v1/namespaces/default/services", service)

        assert reply.status == 201
        assert "externalTrafficPolicy" not in reply.object["spec"]
        assert reply.warnings == ('spec.externalIPs is ignored when spec.type is "ExternalName"',)

    asyncio.run(scenario())


def test_a_pull_secret_without_a_name_can_be_applied() -> None:
    async def scenario() -> None:
        api = await Api.start()
        pod = _pod({"imagePullSecrets": [{}]})

        reply = await api.patch(f"{PODS}/p?fieldManager=me", pod, APPLY)

        fields = reply.object["metadata"]["managedFields"][0]["fieldsV1"]["f:spec"]
        assert list(fields["f:imagePullSecrets"]) == ['k:{"name":""}']
        assert reply.warnings == ('spec.imagePullSecrets[0].name: invalid empty name ""',)

    asyncio.run(scenario())


def test_gates_of_1_35_decide_what_is_said_of_git_repositories_and_tokens() -> None:
    async def scenario() -> None:
        gates = "GitRepoVolumeDriver=true,CSIServiceAccountTokenSecrets=false"
        api = await Api.start(version="1.35", feature_gates=gates)
        volume = {"name": "v", "gitRepo": {"repository": "r"}}
        driver = {
            "apiVersion": "storage.k8s.io/v1",
            "kind": "CSIDriver",
            "metadata": {"name": "d"},
            "spec": {"tokenRequests": [{"audience": "a"}]},
        }

        pod = await api.post(PODS, _pod({"volumes": [volume]}))
        asking = await api.post("/apis/storage.k8s.io/v1/csidrivers", driver)

        assert pod.warnings == ("spec.volumes[0].gitRepo: deprecated in v1.11",)
        assert asking.warnings == ()

    asyncio.run(scenario())
