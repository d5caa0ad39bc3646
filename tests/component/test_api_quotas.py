"""Quotas, limit ranges, default classes and service accounts at admission, on the whole server."""

from __future__ import annotations

import asyncio
from typing import Any

from tests.component.apiharness import PODS, Api, api_test, pod, run

HOME = "/api/v1/namespaces/default"
QUOTAS = f"{HOME}/resourcequotas"
CLAIMS = f"{HOME}/persistentvolumeclaims"
CLASSES = "/apis/storage.k8s.io/v1/storageclasses"
DEFAULT_CLASS = "storageclass.kubernetes.io/is-default-class"


async def quota(api: Api, hard: dict[str, str], **spec: Any) -> None:
    """Make a quota whose status says that nothing is used, as the controller would."""
    made = await api.create(QUOTAS, {"metadata": {"name": "q"}, "spec": {"hard": hard, **spec}})
    made["status"] = {"hard": hard, "used": dict.fromkeys(hard, "0")}
    assert (await api.put(f"{QUOTAS}/q/status", made)).status == 200


async def used(api: Api) -> dict[str, str]:
    counted: dict[str, str] = (await api.get(f"{QUOTAS}/q")).object["status"]["used"]
    return counted


def taking(name: str, cpu: str) -> dict[str, Any]:
    resources = {"requests": {"cpu": cpu}}
    return pod(name, containers=[{"name": "c", "image": "a", "resources": resources}])


@api_test
async def test_a_hundred_creates_at_once_never_exceed_a_quota(api: Api) -> None:
    await quota(api, {"pods": "7", "requests.cpu": "10"})
    replies = await asyncio.gather(*(api.post(PODS, taking(f"p{n}", "1")) for n in range(100)))
    assert sorted(reply.status for reply in replies) == [201] * 7 + [403] * 93
    assert await used(api) == {"pods": "7", "requests.cpu": "7"}
    assert len((await api.get(PODS)).object["items"]) == 7


@api_test
async def test_a_taken_name_is_not_counted_and_neither_is_a_trial(api: Api) -> None:
    await quota(api, {"pods": "5", "requests.cpu": "5"})
    await api.create(PODS, taking("p", "1"))
    assert (await api.post(PODS, taking("p", "1"))).status == 409
    assert (await api.post(f"{PODS}?dryRun=All", taking("x", "1"))).status == 201
    assert await used(api) == {"pods": "1", "requests.cpu": "1"}


@api_test
async def test_a_quota_says_what_was_asked_for_and_what_is_left(api: Api) -> None:
    await quota(api, {"pods": "5", "requests.cpu": "1"})
    await api.create(PODS, taking("a", "700m"))
    reply = await api.post(PODS, taking("b", "400m"))
    assert reply.message == (
        'pods "b" is forbidden: exceeded quota: q, requested: requests.cpu=400m, '
        "used: requests.cpu=700m, limited: requests.cpu=1"
    )
    silent = await api.post(PODS, pod("c"))
    assert silent.message == (
        'pods "c" is forbidden: failed quota: q: must specify requests.cpu for: c'
    )


@api_test
async def test_a_quota_that_nobody_has_counted_yet_counts_nothing(api: Api) -> None:
    await api.create(QUOTAS, {"metadata": {"name": "q"}, "spec": {"hard": {"pods": "0"}}})
    await api.create(PODS, pod("p"))


@api_test
async def test_a_scope_takes_in_only_its_pods(api: Api) -> None:
    await quota(api, {"pods": "0"}, scopes=["BestEffort"])
    assert (await api.post(PODS, pod("none"))).status == 403
    assert (await api.post(PODS, taking("some", "1"))).status == 201


@api_test
async def test_a_claim_that_grows_is_charged_for_the_difference(api: Api) -> None:
    await quota(api, {"requests.storage": "5Gi"})
    spec = {"accessModes": ["ReadWriteOnce"], "resources": {"requests": {"storage": "2Gi"}}}
    await api.create(CLAIMS, {"metadata": {"name": "c"}, "spec": spec})
    assert await used(api) == {"requests.storage": "2Gi"}


@api_test
async def test_limits_fill_in_what_a_container_leaves_open_and_say_so(api: Api) -> None:
    limit = {"type": "Container", "default": {"cpu": "200m"}, "defaultRequest": {"cpu": "100m"}}
    body = {"metadata": {"name": "l"}, "spec": {"limits": [limit]}}
    await api.create(f"{HOME}/limitranges", body)
    made = await api.create(PODS, pod("p"))
    assert made["spec"]["containers"][0]["resources"] == {
        "limits": {"cpu": "200m"},
        "requests": {"cpu": "100m"},
    }
    assert made["metadata"]["annotations"]["kubernetes.io/limit-ranger"] == (
        "LimitRanger plugin set: cpu request for container c; cpu limit for container c"
    )


@api_test
async def test_a_claim_without_a_class_gets_the_newest_default(api: Api) -> None:
    for name in ("b", "a"):
        metadata = {"name": name, "annotations": {DEFAULT_CLASS: "true"}}
        await api.create(CLASSES, {"metadata": metadata, "provisioner": "x"})
    spec: dict[str, Any] = {"accessModes": ["ReadWriteOnce"]}
    spec["resources"] = {"requests": {"storage": "1Gi"}}
    made = await api.create(CLAIMS, {"metadata": {"name": "c"}, "spec": spec})
    assert made["spec"]["storageClassName"] == "a"
    chosen = {"metadata": {"name": "d"}, "spec": {**spec, "storageClassName": ""}}
    assert (await api.create(CLAIMS, chosen))["spec"]["storageClassName"] == ""


def test_pods_get_an_account_and_its_token_when_the_plugin_is_on() -> None:
    async def main(api: Api) -> None:
        refused = await api.post(PODS, pod("early"))
        assert refused.message == (
            'pods "early" is forbidden: error looking up service account default/default: '
            'serviceaccount "default" not found'
        )
        pulls = {"imagePullSecrets": [{"name": "pull"}]}
        await api.create(f"{HOME}/serviceaccounts", {"metadata": {"name": "default"}, **pulls})
        spec = (await api.create(PODS, pod("p")))["spec"]
        assert spec["serviceAccountName"] == spec["serviceAccount"] == "default"
        assert spec["imagePullSecrets"] == [{"name": "pull"}]
        name = spec["volumes"][0]["name"]
        assert name.startswith("kube-api-access-")
        assert spec["containers"][0]["volumeMounts"] == [
            {
                "name": name,
                "readOnly": True,
                "mountPath": "/var/run/secrets/kubernetes.io/serviceaccount",
            }
        ]
        plain = await api.create(PODS, pod("q", automountServiceAccountToken=False))
        assert "volumes" not in plain["spec"]

    run(main, enabled_admission_plugins=["ServiceAccount"])
