"""Pod security beyond new pods: changes, and what is left alone; measured on 1.37.2."""

from __future__ import annotations

from tests.component.apiharness import MERGE, PODS, Api, api_test, pod

NAMESPACE = "/api/v1/namespaces/default"
BASELINE = {"metadata": {"labels": {"pod-security.kubernetes.io/enforce": "baseline"}}}
REFUSED = (
    'pods "p" is forbidden: violates PodSecurity "baseline:latest": '
    "host namespaces (hostNetwork=true)"
)


@api_test
async def test_an_old_pod_is_looked_at_again_when_its_image_changes(api: Api) -> None:
    await api.create(PODS, pod("p", hostNetwork=True))
    labelled = await api.patch(NAMESPACE, BASELINE, MERGE)
    assert list(labelled.warnings) == [
        'existing pods in namespace "default" violate the new PodSecurity enforce level '
        '"baseline:latest"',
        "p: host namespaces",
    ]
    changed = {"metadata": {"labels": {"a": "b"}}, "spec": {"activeDeadlineSeconds": 5}}
    assert (await api.patch(f"{PODS}/p", changed, MERGE)).status == 200
    found = (await api.get(f"{PODS}/p")).object
    found["spec"]["containers"][0]["image"] = "other"
    reply = await api.put(f"{PODS}/p", found)
    assert (reply.status, reply.message) == (403, REFUSED)


@api_test
async def test_a_level_that_does_not_exist_is_only_refused_when_it_comes(api: Api) -> None:
    bad = {"metadata": {"labels": {"pod-security.kubernetes.io/warn": "none"}}}
    reply = await api.patch(NAMESPACE, bad, MERGE)
    assert reply.status == 422
    assert "must be one of privileged, baseline, restricted" in reply.message


@api_test
async def test_limits_of_the_namespace_are_told_first(api: Api) -> None:
    await api.patch(NAMESPACE, BASELINE, MERGE)
    limits = {"limits": [{"type": "Pod", "min": {"cpu": "1"}}]}
    ranges = "/api/v1/namespaces/default/limitranges"
    await api.create(ranges, {"metadata": {"name": "l"}, "spec": limits})
    reply = await api.post(PODS, pod("p", hostNetwork=True))
    assert (reply.status, reply.message) == (
        403,
        'pods "p" is forbidden: minimum cpu usage per Pod is 1.  No request is specified',
    )


@api_test
async def test_a_status_is_not_looked_at(api: Api) -> None:
    warned = {"metadata": {"labels": {"pod-security.kubernetes.io/warn": "restricted"}}}
    await api.patch(NAMESPACE, warned, MERGE)
    jobs = "/apis/batch/v1/namespaces/default/jobs"
    template = {"spec": {"restartPolicy": "Never", "containers": [{"name": "c", "image": "i"}]}}
    body = {"metadata": {"name": "j"}, "spec": {"template": template}}
    assert len((await api.post(jobs, body)).warnings) == 1
    reply = await api.patch(f"{jobs}/j/status", {"metadata": {"labels": {"a": "b"}}}, MERGE)
    assert (reply.status, list(reply.warnings)) == (200, [])
