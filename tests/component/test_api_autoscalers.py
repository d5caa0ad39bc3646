"""A HorizontalPodAutoscaler is one object in two versions; all measured on 1.37.2."""

from __future__ import annotations

import json
from typing import Any

from tests.component.apiharness import MERGE, Api, api_test

V1 = "/apis/autoscaling/v1/namespaces/default/horizontalpodautoscalers"
V2 = "/apis/autoscaling/v2/namespaces/default/horizontalpodautoscalers"
PREFIX = "autoscaling.alpha.kubernetes.io/"
TARGET = {"apiVersion": "apps/v1", "kind": "Deployment", "name": "web"}
PODS = {
    "type": "Pods",
    "pods": {"metric": {"name": "p"}, "target": {"type": "AverageValue", "averageValue": "1"}},
}
UP = {"policies": [{"type": "Pods", "value": 1, "periodSeconds": 20}]}


def autoscaler(**spec: Any) -> dict[str, Any]:
    return {
        "metadata": {"name": "web"},
        "spec": {"scaleTargetRef": TARGET, "maxReplicas": 5, **spec},
    }


@api_test
async def test_what_the_old_version_has_no_member_for_is_an_annotation_there(api: Api) -> None:
    cpu = {"name": "cpu", "target": {"type": "Utilization", "averageUtilization": 60}}
    metrics = [{"type": "Resource", "resource": cpu}, PODS]
    await api.create(V2, autoscaler(metrics=metrics, behavior={"scaleUp": UP}))
    seen = (await api.get(f"{V1}/web")).object
    assert seen["spec"]["targetCPUUtilizationPercentage"] == 60
    texts = seen["metadata"]["annotations"]
    assert texts[f"{PREFIX}metrics"] == (
        '[{"type":"Pods","pods":{"metricName":"p","targetAverageValue":"1"}}]'
    )
    assert texts[f"{PREFIX}behavior"] == (
        '{"ScaleUp":{"StabilizationWindowSeconds":0,"SelectPolicy":"Max","Policies":'
        '[{"Type":"Pods","Value":1,"PeriodSeconds":20}],"Tolerance":null},"ScaleDown":'
        '{"StabilizationWindowSeconds":null,"SelectPolicy":"Max","Policies":'
        '[{"Type":"Percent","Value":100,"PeriodSeconds":15}],"Tolerance":null}}'
    )


@api_test
async def test_a_write_in_the_old_version_loses_nothing(api: Api) -> None:
    await api.create(V2, autoscaler(metrics=[PODS], behavior={"scaleUp": UP}))
    before = (await api.get(f"{V2}/web")).object
    seen = (await api.get(f"{V1}/web")).object
    written = (
        await api.put(f"{V1}/web", {**seen, "spec": {**seen["spec"], "maxReplicas": 6}})
    ).object
    assert written["metadata"]["generation"] == 2
    after = (await api.get(f"{V2}/web")).object
    assert after["spec"] == {**before["spec"], "maxReplicas": 6}


@api_test
async def test_the_status_of_the_old_version_does_not_touch_the_spec(api: Api) -> None:
    await api.create(V2, autoscaler(metrics=[PODS]))
    condition = {"type": "A", "status": "True"}
    changed: dict[str, Any] = {
        f"{PREFIX}metrics": None,
        f"{PREFIX}conditions": json.dumps([condition]),
    }
    body = {"metadata": {"annotations": changed}, "status": {"currentReplicas": 3}}
    await api.patch(f"{V1}/web/status", body, MERGE)
    after = (await api.get(f"{V2}/web")).object
    assert after["spec"]["metrics"] == [PODS]
    assert after["status"]["currentReplicas"] == 3
    assert after["status"]["conditions"] == [{**condition, "lastTransitionTime": None}]


@api_test
async def test_an_annotation_that_cannot_be_read_counts_as_none(api: Api) -> None:
    for text in ("x", "[1]", '[{"type":"Pods","pods":{"targetAverageValue":"much"}}]'):
        body = autoscaler()
        body["metadata"] = {"name": "web", "annotations": {f"{PREFIX}metrics": text}}
        made = await api.create(V1, body)
        assert "annotations" not in made["metadata"]
        assert made["spec"]["targetCPUUtilizationPercentage"] == 80
        await api.delete(f"{V1}/web")


@api_test
async def test_a_write_of_the_old_version_does_not_touch_the_status(api: Api) -> None:
    await api.create(V2, autoscaler(metrics=[PODS]))
    condition = {"type": "A", "status": "True", "lastTransitionTime": "2026-01-01T00:00:00Z"}
    await api.patch(f"{V2}/web/status", {"status": {"conditions": [condition]}}, MERGE)
    text = (await api.get(f"{V1}/web")).object["metadata"]["annotations"][f"{PREFIX}conditions"]
    forged = {f"{PREFIX}conditions": text.replace("True", "False")}
    await api.patch(f"{V1}/web", {"metadata": {"annotations": forged}}, MERGE)
    after = (await api.get(f"{V2}/web")).object
    assert after["status"]["conditions"] == [condition]
    assert after["metadata"]["generation"] == 1


@api_test
async def test_an_annotation_that_is_a_part_of_the_spec_counts_as_one(api: Api) -> None:
    await api.create(V2, autoscaler(metrics=[PODS]))
    text = (await api.get(f"{V1}/web")).object["metadata"]["annotations"][f"{PREFIX}metrics"]
    changed = {f"{PREFIX}metrics": text.replace('"1"', '"2"')}
    written = await api.patch(f"{V1}/web", {"metadata": {"annotations": changed}}, MERGE)
    assert written.object["metadata"]["generation"] == 2
    metric = (await api.get(f"{V2}/web")).object["spec"]["metrics"][0]
    assert metric["pods"]["target"]["averageValue"] == "2"


@api_test
async def test_nobody_is_created_with_a_status(api: Api) -> None:
    conditions = json.dumps([{"type": "A", "status": "True"}])
    body = autoscaler()
    body["metadata"] = {"name": "web", "annotations": {f"{PREFIX}conditions": conditions}}
    made = await api.create(V1, body)
    assert "annotations" not in made["metadata"]
    assert "conditions" not in (await api.get(f"{V2}/web")).object["status"]
