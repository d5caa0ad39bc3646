"""Ownership and decoding over the real structures; measured on kube-apiserver 1.37.2."""

from __future__ import annotations

import copy
from typing import Any

import pytest
import yaml

from kubegang.api.facts import load_facts
from kubegang.apimachinery import managedfields
from kubegang.apimachinery.decoding import decode_json
from kubegang.apimachinery.errors import ConflictError
from kubegang.apimachinery.fieldset import paths
from kubegang.apimachinery.objects import GroupVersionKind, JsonObject
from kubegang.apimachinery.schema import Schema
from kubegang.apimachinery.strategicmerge import strategic_merge_patch
from kubegang.apimachinery.unknownfields import prune, unknown_fields

NOW = "2026-11-29T18:15:13Z"
POD = """
apiVersion: v1
kind: Pod
metadata:
  name: p
  namespace: default
  labels: {app: a}
  ownerReferences: [{apiVersion: batch/v1, kind: Job, name: j, uid: u1}]
spec:
  containers:
  - name: c
    image: i
    imagePullPolicy: Always
    ports: [{containerPort: 80, protocol: TCP}]
    resources: {requests: {cpu: "1"}}
    terminationMessagePath: /dev/termination-log
    terminationMessagePolicy: File
  dnsPolicy: ClusterFirst
  enableServiceLinks: true
  restartPolicy: Always
  schedulerName: none
  schedulingGroup: {podGroupName: pg}
  securityContext: {}
  terminationGracePeriodSeconds: 30
status: {}
"""
POD_FIELDS = """
.metadata.labels
.metadata.ownerReferences
.metadata.labels.app
.metadata.ownerReferences[uid="u1"]
.spec.dnsPolicy
.spec.enableServiceLinks
.spec.restartPolicy
.spec.schedulerName
.spec.schedulingGroup
.spec.securityContext
.spec.terminationGracePeriodSeconds
.spec.containers[name="c"]
.spec.containers[name="c"].image
.spec.containers[name="c"].imagePullPolicy
.spec.containers[name="c"].name
.spec.containers[name="c"].ports
.spec.containers[name="c"].resources
.spec.containers[name="c"].terminationMessagePath
.spec.containers[name="c"].terminationMessagePolicy
.spec.containers[name="c"].ports[containerPort=80,protocol="TCP"]
.spec.containers[name="c"].ports[containerPort=80,protocol="TCP"].containerPort
.spec.containers[name="c"].ports[containerPort=80,protocol="TCP"].protocol
.spec.containers[name="c"].resources.requests
.spec.containers[name="c"].resources.requests.cpu
.spec.schedulingGroup.podGroupName
"""
POD_GROUP = """
apiVersion: scheduling.k8s.io/v1beta1
kind: PodGroup
metadata: {name: pg, namespace: default}
spec:
  disruptionMode: {single: {}}
  preemptionPolicy: PreemptLowerPriority
  schedulingConstraints: {topology: [{key: rack}]}
  schedulingPolicy: {gang: {minCount: 2}}
status: {}
"""
POD_GROUP_FIELDS = """
.spec.disruptionMode
.spec.preemptionPolicy
.spec.schedulingConstraints
.spec.disruptionMode.single
.spec.schedulingConstraints.topology
.spec.schedulingPolicy.gang
.spec.schedulingPolicy.gang.minCount
"""


def _schema(obj: JsonObject) -> Schema:
    return load_facts("1.37").kind(GroupVersionKind.of(obj))


def _parsed(text: str) -> JsonObject:
    obj: JsonObject = yaml.safe_load(text)
    return obj


def _record(old: JsonObject | None, new: JsonObject, *, manager: str, subresource: str) -> None:
    managedfields.record_update(
        old,
        new,
        schema=_schema(new),
        manager=manager,
        api_version=new["apiVersion"],
        subresource=subresource,
        now=NOW,
    )


def _created(text: str) -> JsonObject:
    obj = _parsed(text)
    _record(None, obj, manager="m", subresource="")
    obj["metadata"]["uid"] = "u"
    return obj


def _fields(obj: JsonObject, manager: str) -> list[str]:
    (entry,) = [entry for entry in obj["metadata"]["managedFields"] if entry["manager"] == manager]
    return list(paths(entry["fieldsV1"]))


def _applied_status(live: JsonObject, manager: str, condition: JsonObject) -> JsonObject:
    applied = {name: live[name] for name in ("apiVersion", "kind")}
    applied["metadata"] = {"name": live["metadata"]["name"]}
    applied["status"] = {"conditions": [condition]}
    return managedfields.apply(
        live,
        applied,
        schema=_schema(live),
        manager=manager,
        api_version=live["apiVersion"],
        subresource="status",
        force=False,
        now=NOW,
    )


@pytest.mark.parametrize(
    ("text", "fields"),
    [
        pytest.param(POD, POD_FIELDS, id="pod"),
        pytest.param(POD_GROUP, POD_GROUP_FIELDS, id="pod-group"),
    ],
)
def test_what_a_creator_owns(text: str, fields: str) -> None:
    assert _fields(_created(text), "m") == fields.split()


def test_a_status_patch_owns_conditions_by_type() -> None:
    pod = _created(POD)
    condition = {"type": "PodScheduled", "status": "False", "reason": "Unschedulable"}
    patch = {"status": {"conditions": [condition], "nominatedNodeName": "n"}}
    patched = strategic_merge_patch(copy.deepcopy(pod), patch, _schema(pod))
    # As canonical objects have it: these two are written even when there is no time.
    patched["status"]["conditions"][0].update(lastProbeTime=None, lastTransitionTime=None)
    _record(pod, patched, manager="scheduler", subresource="status")
    assert _fields(patched, "m") == POD_FIELDS.split()
    assert patched["metadata"]["managedFields"][1] == {
        "manager": "scheduler",
        "operation": "Update",
        "apiVersion": "v1",
        "time": NOW,
        "fieldsType": "FieldsV1",
        "fieldsV1": {
            "f:status": {
                "f:conditions": {
                    ".": {},
                    'k:{"type":"PodScheduled"}': {
                        ".": {},
                        "f:lastProbeTime": {},
                        "f:lastTransitionTime": {},
                        "f:reason": {},
                        "f:status": {},
                        "f:type": {},
                    },
                },
                "f:nominatedNodeName": {},
            }
        },
        "subresource": "status",
    }


def test_two_appliers_of_one_condition() -> None:
    condition: dict[str, Any] = {
        "type": "PodGroupScheduled",
        "status": "False",
        "lastTransitionTime": NOW,
        "reason": "Unschedulable",
        "message": "m",
    }
    live = _applied_status(_created(POD_GROUP), "scheduler", condition)
    assert live["status"] == {"conditions": [condition]}
    owned = [f".{name}" for name in sorted(condition)]
    place = '.status.conditions[type="PodGroupScheduled"]'
    assert _fields(live, "scheduler") == [place + name for name in ["", *owned]]
    with pytest.raises(ConflictError) as caught:
        _applied_status(live, "other", {**condition, "status": "True"})
    assert caught.value.message == (
        'Apply failed with 1 conflict: conflict with "scheduler" with subresource "status": '
        f"{place}.status"
    )


def test_unknown_fields_are_found_at_any_depth_and_pruned() -> None:
    body = (
        b'{"apiVersion":"v1","kind":"Pod","metadata":{"name":"p","nam":"x"},'
        b'"spec":{"containers":[{"name":"c","image":"i","imge":"x"}],"nodename":"n"}}'
    )
    pod, duplicates = decode_json(body)
    assert duplicates == []
    unknown = ["metadata.nam", "spec.containers[0].imge", "spec.nodename"]
    assert sorted(unknown_fields(pod, _schema(pod))) == unknown
    pruned = prune(pod, _schema(pod))
    assert pruned["metadata"] == {"name": "p"}
    assert pruned["spec"] == {"containers": [{"name": "c", "image": "i"}]}
