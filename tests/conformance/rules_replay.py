"""Answers writes of the corpus with the API's rules alone: no server, no store, no clock.

A write goes through the steps that decide what becomes of it: known fields, canonical form,
defaults, changing admission, what the server resets, validation. An entry whose answer
depends on more is skipped, and ``why_skipped`` says why.
"""

from __future__ import annotations

import copy
import random
from collections.abc import Iterator
from pathlib import Path
from typing import Any, NamedTuple

import yaml

from kubegang.api.defaults.table import apply_defaults
from kubegang.api.dropping import canonicalize
from kubegang.api.facts import Facts, load_facts
from kubegang.api.profile import VersionProfile
from kubegang.api.resources import ROWS
from kubegang.api.scheme import ResourceInfo, Scheme
from kubegang.api.validation.table import validate_create
from kubegang.apimachinery.field import FieldError, invalid_object
from kubegang.apimachinery.jsonpatch import json_patch
from kubegang.apimachinery.objects import GroupVersionKind, JsonObject
from kubegang.apimachinery.patch import merge_patch
from kubegang.apimachinery.strategicmerge import strategic_merge_patch
from kubegang.apimachinery.unknownfields import prune
from kubegang.apiserver.admission.chain import Admission
from kubegang.apiserver.admission.request import AdmissionRequest, Operation
from kubegang.apiserver.registry import complete_accepted, prepare_create, prepare_update
from kubegang.apiserver.targets import Target, parse_target
from kubegang.apiserver.validating import update_errors
from kubegang.app.profiles.table import profile_named
from kubegang.base.feature_gates import FeatureGates
from tests.conformance.rules_cluster import Cluster

CORPUS = Path(__file__).parent / "corpus" / "public"

FILES = (
    "defaulting",
    "validation",
    "updates",
    "podgroup",
    "workload",
    "compositepodgroup",
    "jobs",
    "priority",
    "pod-scheduling-group",
    "deletion",
    "scheduling-v1alpha1",
    "scheduling-v1alpha2",
    "feature-gates",
)

KINDS = frozenset(
    [
        "ConfigMap",
        "CompositePodGroup",
        "Event",
        "Job",
        "Lease",
        "Namespace",
        "Node",
        "Pod",
        "PodDisruptionBudget",
        "PodGroup",
        "PriorityClass",
        "ServiceAccount",
        "Workload",
    ]
)

_DECIDED_HERE = (200, 201, 422)
_SUBRESOURCES = ("", "status", "binding")

NOW = "2026-11-20T00:00:00Z"
NAMESPACE = "test-namespace"
WORD = "word"

_JSON_PATCH = "application/json-patch+json"
_MERGE_PATCH = "application/merge-patch+json"
_STRATEGIC_PATCH = "application/strategic-merge-patch+json"
_PATCHES = (_JSON_PATCH, _MERGE_PATCH, _STRATEGIC_PATCH)

_BINDING = GroupVersionKind("", "v1", "Binding")

Entry = dict[str, Any]


class Written(NamedTuple):
    """What the rules make of a write."""

    errors: list[FieldError]
    obj: JsonObject
    info: ResourceInfo

    @property
    def message(self) -> str:
        """The text of the refusal."""
        group, name = self.info.stored_as.group, self.obj["metadata"].get("name", "")
        return invalid_object(group, self.info.kind, name, self.errors).message


def entries() -> Iterator[tuple[str, Entry]]:
    """Yield the entries of the files, with names; placeholders are filled in."""
    for file in FILES:
        for entry in yaml.load((CORPUS / f"{file}.yaml").read_text(), Loader=yaml.CSafeLoader):
            yield f"{file}:{entry['id']}", _filled(entry)


class Replay:
    """One release with a choice of gates, and a cluster that an entry works on."""

    def __init__(self, version: str, gates: str) -> None:
        profile = profile_named(version)
        self._gates = _chosen(profile, gates)
        self._release = profile.validation_rules
        self._scheme = Scheme.for_profile(ROWS, profile.served, self._gates)
        self._facts: Facts = load_facts(version)
        self._cluster = Cluster()
        self._admission = Admission(self._cluster, self._gates)
        self._rng = random.Random(version)
        self._make_namespace()

    def why_skipped(self, entry: Entry) -> str:
        """Return why the rules alone do not decide about an entry, or nothing."""
        request, response = entry["request"], entry["response"]
        if request["method"] not in ("POST", "PUT", "PATCH"):
            return "not a write of a body"
        if response["code"] not in _DECIDED_HERE:
            return "refused by something else"
        info, target = self.resource(request)
        if info is None or target is None or info.kind not in KINDS:
            return "another kind"
        if target.subresource not in _SUBRESOURCES:
            return "another subresource"
        if "body" not in request:
            return "a body that is not JSON"
        if request["method"] == "PATCH" and _media_type(request) not in _PATCHES:
            return "server-side apply"
        causes = causes_of(response)
        if response["code"] == 422 and not causes:
            return "a patch that does not apply"
        if any(cause.get("field") == "metadata.resourceVersion" for cause in causes):
            return "the store's revision"
        return ""

    def resource(self, request: Entry) -> tuple[ResourceInfo | None, Target | None]:
        """Return what a request is about."""
        target = parse_target(request["path"])
        if target is None:
            return None, None
        return self._scheme.find(target.group, target.version, target.resource), target

    def set_up(self, steps: list[Entry]) -> None:
        """Do what comes before the request."""
        for step in steps:
            if "method" not in step or self.resource(step)[0] is None:
                continue
            if step["method"] == "DELETE":
                self._delete(step)
            else:
                self.write(step)

    def write(self, request: Entry) -> Written:
        """Create or change an object, and keep it if it is in order.

        Raises:
            ApiError: admission refuses the write.
        """
        info, target = self.resource(request)
        if info is None or target is None:
            raise LookupError(request["path"])
        if target.subresource == "binding":
            obj = request["body"]
            return Written(
                validate_create(obj, _BINDING, self._gates, release=self._release), obj, info
            )
        stored = self._cluster.get(info, target.namespace, target.name)
        if stored is None:
            written = self._create(info, target, request["body"])
        else:
            written = self._update(info, target, request, stored)
        if not written.errors:
            self._cluster.put(info, written.obj)
        return written

    def rehearse(self, request: Entry) -> Written:
        """Do as ``write`` does, but keep nothing."""
        kept = self._cluster.objects()
        try:
            return self.write(request)
        finally:
            self._cluster.replace(kept)

    def _make_namespace(self) -> None:
        body = {"apiVersion": "v1", "kind": "Namespace", "metadata": {"name": NAMESPACE}}
        self.write({"method": "POST", "path": "/api/v1/namespaces", "body": body})

    def _create(self, info: ResourceInfo, target: Target, body: JsonObject) -> Written:
        obj = self._decoded(info, body, target.namespace)
        apply_defaults(obj, info.gvk, self._gates)
        self._admit("create", info, target, obj, None)
        prepare_create(obj, info, gates=self._gates, now=NOW, rng=self._rng)
        canonicalize(obj, info.gvk)
        errors = validate_create(obj, info.gvk, self._gates, release=self._release)
        if not errors:
            complete_accepted(obj, info)
        return Written(errors, obj, info)

    def _update(
        self, info: ResourceInfo, target: Target, request: Entry, stored: JsonObject
    ) -> Written:
        old = copy.deepcopy(stored)
        old["apiVersion"] = str(info.group_version)
        new = self._decoded(info, self._changed(info, request, old), target.namespace)
        apply_defaults(new, info.gvk, self._gates)
        self._admit("update", info, target, new, old)
        new["metadata"]["resourceVersion"] = "1"
        old["metadata"]["resourceVersion"] = "1"
        prepare_update(
            new,
            old,
            info,
            gates=self._gates,
            subresource=target.subresource,
            now="2026-01-01T00:00:00Z",
        )
        canonicalize(new, info.gvk)
        errors = update_errors(
            new,
            old,
            info,
            self._gates,
            subresource=target.subresource,
            release=self._release,
        )
        return Written(errors, new, info)

    def _changed(self, info: ResourceInfo, request: Entry, old: JsonObject) -> JsonObject:
        body, doc = request["body"], copy.deepcopy(old)
        kind = _media_type(request)
        if kind == _JSON_PATCH:
            return json_patch(doc, body)
        if kind == _MERGE_PATCH:
            return merge_patch(doc, body)
        if kind == _STRATEGIC_PATCH:
            return strategic_merge_patch(doc, body, self._facts.kind(info.gvk))
        return copy.deepcopy(body)

    def _decoded(self, info: ResourceInfo, body: JsonObject, namespace: str) -> JsonObject:
        obj = prune(copy.deepcopy(body), self._facts.kind(info.gvk))
        metadata = obj.setdefault("metadata", {})
        if info.namespaced and not metadata.get("namespace"):
            metadata["namespace"] = namespace
        canonicalize(obj, info.gvk)
        return obj

    def _admit(
        self,
        operation: Operation,
        info: ResourceInfo,
        target: Target,
        obj: JsonObject,
        old: JsonObject | None,
    ) -> None:
        self._admission.admit(
            AdmissionRequest(
                operation=operation,
                info=info,
                namespace=target.namespace,
                name=target.name,
                obj=obj,
                old=old,
                subresource=target.subresource,
            )
        )

    def _delete(self, step: Entry) -> None:
        info, target = self.resource(step)
        if info is not None and target is not None:
            self._cluster.delete(info, target.namespace, target.name, now=NOW)


def _filled(node: Any) -> Any:
    if isinstance(node, str):
        return node.replace("{ns}", NAMESPACE).replace("{x}", WORD)
    if isinstance(node, list):
        return [_filled(item) for item in node]
    if isinstance(node, dict):
        return {_filled(key): _filled(value) for key, value in node.items()}
    return node


def _chosen(profile: VersionProfile, choice: str) -> FeatureGates:
    """Return the gates that the corpus calls on, off, generic or on-NAME."""
    gang = {gate.name for gate in profile.known_gates if gate.gang}
    on = profile.gates["apiserver"]
    if choice == "on":
        return on
    if choice.startswith("on-"):
        return on.with_changes({choice.removeprefix("on-"): False})
    off = dict.fromkeys(gang, False)
    return on.with_changes(off | {"GenericWorkload": choice == "generic"})


def _media_type(request: Entry) -> str:
    headers: dict[str, str] = request.get("headers") or {}
    return headers.get("Content-Type", "application/json")


def causes_of(response: Entry) -> list[JsonObject]:
    """Return the causes of an answer."""
    body = response.get("body") or {}
    causes: list[JsonObject] = (body.get("details") or {}).get("causes") or []
    return causes
