"""What is done in each release, and what is looked at. Data."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

import msgspec

GROUP = "/apis/scheduling.k8s.io"
NAMESPACED = "namespaces/default"
PODS = f"/api/v1/{NAMESPACED}/pods"
JOBS = f"/apis/batch/v1/{NAMESPACED}/jobs"


class Ask(msgspec.Struct, frozen=True):
    """A request, and which fields of the answer count."""

    method: str
    path: str
    body: Any = None
    fields: tuple[str, ...] = ()


class Stage(msgspec.Struct, frozen=True):
    """A server of a release on the state that the one before left.

    Attributes:
        gates: whether the gang-scheduling gates are on and their versions served.
    """

    release: str
    asks: Sequence[Ask] = ()
    gates: bool = True


class Answer(msgspec.Struct, frozen=True):
    """What came back."""

    status: int
    fields: tuple[Any, ...] = ()


class Played(msgspec.Struct, frozen=True):
    """A stage as it went; a server that does not get ready answers nothing."""

    ready: bool
    answers: tuple[Answer, ...] = ()


def answer(status: int, obj: Any, ask: Ask) -> Answer:
    """Return the part of an answer that counts."""
    return Answer(status, tuple(_at(obj, field) for field in ask.fields))


def _at(obj: Any, field: str) -> Any:
    for name in field.split("."):
        obj = obj.get(name) if isinstance(obj, dict) else None
    return obj


def _scheduling(version: str, plural: str, name: str = "") -> str:
    base = f"{GROUP}/{version}/{NAMESPACED}/{plural}"
    return f"{base}/{name}" if name else base


def _create(version: str, kind: str, name: str, spec: Any) -> Ask:
    body = {
        "apiVersion": f"scheduling.k8s.io/{version}",
        "kind": kind,
        "metadata": {"name": name},
        "spec": spec,
    }
    return Ask("POST", _scheduling(version, f"{kind.lower()}s"), body, ("spec.schedulingPolicy",))


def _pod(name: str, **spec: Any) -> Ask:
    metadata = {"name": name}
    spec = {"containers": [{"name": "c", "image": "i"}], **spec}
    body = {"apiVersion": "v1", "kind": "Pod", "metadata": metadata, "spec": spec}
    return Ask("POST", PODS, body)


def _delete(version: str, plural: str, name: str) -> list[Ask]:
    """Return the requests that remove an object, whatever protects it."""
    path = _scheduling(version, plural, name)
    free = [Ask("PATCH", path, {"metadata": {"finalizers": None}})] if plural != "workloads" else []
    return [*free, Ask("DELETE", path)]


LOOK = tuple(
    Ask("GET", f"{PODS}/{name}", None, ("spec.workloadRef", "spec.schedulingGroup"))
    for name in ("p35", "p36", "touched")
)
JOB = Ask("GET", f"{JOBS}/j37", None, ("spec.scheduling", "spec.parallelism"))
TOUCH = Ask("PATCH", f"{PODS}/touched", {"metadata": {"labels": {"touched": "yes"}}})

GANG = {"gang": {"minCount": 2}}
WORKLOAD = {"podGroupTemplates": [{"name": "g", "schedulingPolicy": GANG}]}
OLD_WORKLOAD = {"podGroups": [{"name": "g", "policy": GANG}]}
REFERENCE = {"name": "a", "podGroup": "g"}
COMPOSITE = {
    "workloadRef": {"workloadName": "a", "templateName": "t"},
    "schedulingPolicy": {"gang": {"minGroupCount": 2}},
}
JOB_37 = {
    "apiVersion": "batch/v1",
    "kind": "Job",
    "metadata": {"name": "j37"},
    "spec": {
        "parallelism": 2,
        "scheduling": {"schedulingPolicy": {"gang": {}}},
        "template": {
            "spec": {"restartPolicy": "Never", "containers": [{"name": "c", "image": "i"}]}
        },
    },
}

STORY: tuple[Stage, ...] = (
    Stage(
        "1.35",
        (
            _create("v1alpha1", "Workload", "a", OLD_WORKLOAD),
            _pod("p35", workloadRef=REFERENCE),
            _pod("touched", workloadRef=REFERENCE),
            *LOOK,
        ),
    ),
    # With the gates off nothing of the resource is looked at.
    Stage("1.36", (Ask("GET", _scheduling("v1alpha2", "workloads")), *LOOK), gates=False),
    Stage("1.36"),
    Stage("1.35", (*LOOK, *_delete("v1alpha1", "workloads", "a"))),
    Stage(
        "1.36",
        (
            *LOOK,
            TOUCH,
            _create("v1alpha2", "Workload", "a", WORKLOAD),
            _create("v1alpha2", "PodGroup", "a", {"schedulingPolicy": GANG}),
            _pod("p36", schedulingGroup={"podGroupName": "a"}),
            *LOOK,
        ),
    ),
    # Workloads are in the way, PodGroups are not: 1.35 has no such resource.
    Stage("1.35"),
    Stage("1.37"),
    Stage("1.36", _delete("v1alpha2", "workloads", "a")),
    Stage("1.35", LOOK),
    Stage(
        "1.36",
        (
            Ask("GET", _scheduling("v1alpha2", "podgroups", "a"), None, ("spec.schedulingPolicy",)),
            *_delete("v1alpha2", "podgroups", "a"),
            *LOOK,
        ),
    ),
    Stage(
        "1.37",
        (
            _create("v1alpha3", "PodGroup", "a", {"schedulingPolicy": GANG}),
            Ask("GET", _scheduling("v1beta1", "podgroups", "a"), None, ("spec", "apiVersion")),
            _create("v1alpha3", "CompositePodGroup", "a", COMPOSITE),
            Ask("POST", JOBS, JOB_37),
            JOB,
            *LOOK,
        ),
    ),
    Stage("1.36"),
    Stage("1.37", _delete("v1beta1", "podgroups", "a")),
    Stage(
        "1.36",
        (
            Ask("GET", _scheduling("v1alpha3", "compositepodgroups")),
            JOB,
            *LOOK,
            Ask("GET", f"{GROUP}/v1alpha2/{NAMESPACED}/podgroups", None, ("items",)),
        ),
    ),
    Stage(
        "1.37",
        (
            Ask("GET", _scheduling("v1alpha3", "compositepodgroups", "a"), None, ("spec",)),
            JOB,
            *LOOK,
        ),
    ),
    # What a release wrote, it wrote without what it does not know.
    Stage("1.36", (Ask("PATCH", f"{JOBS}/j37", {"spec": {"parallelism": 3}}), JOB)),
    Stage("1.37", (JOB,)),
)
