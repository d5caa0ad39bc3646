"""PodSecurity: what the labels of a namespace allow its pods to ask for (KEP-2579).

Pods are refused, or whoever makes them is warned; of templates of pods there are only
warnings. Annotations of the audit log are not written.
"""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Sequence

from kubegang.api.podsecurity.evaluating import violations
from kubegang.api.podsecurity.levels import PRIVILEGED, Level, policy_of
from kubegang.api.podsecurity.pods import CheckedPod, Violation
from kubegang.apimachinery.field import invalid_object
from kubegang.apimachinery.gotext import go_quote
from kubegang.apimachinery.objects import GroupResource, JsonObject
from kubegang.apiserver.admission.request import AdmissionRequest, Lookup

_PODS = GroupResource("", "pods")
_NAMESPACES = GroupResource("", "namespaces")
_IGNORED = ("binding", "eviction", "status")
_MOST_CHECKED = 3000
"""So many pods that exist are looked at when a namespace gets stricter (upstream's limit)."""

_TEMPLATES = {
    GroupResource("", "podtemplates"): ("template",),
    GroupResource("", "replicationcontrollers"): ("spec", "template"),
    GroupResource("apps", "daemonsets"): ("spec", "template"),
    GroupResource("apps", "deployments"): ("spec", "template"),
    GroupResource("apps", "replicasets"): ("spec", "template"),
    GroupResource("apps", "statefulsets"): ("spec", "template"),
    GroupResource("batch", "cronjobs"): ("spec", "jobTemplate", "spec", "template"),
    GroupResource("batch", "jobs"): ("spec", "template"),
}


def check_security(request: AdmissionRequest, lookup: Lookup, *, newest: int) -> list[str]:
    """Refuse a pod that its namespace does not allow; return what whoever writes is warned of.

    Raises:
        ForbiddenError: the pod breaks the level that is enforced.
        InvalidError: a namespace asks for a level that does not exist.
    """
    if request.operation == "delete":
        return []
    resource = request.info.group_resource
    if resource == _PODS and request.subresource not in _IGNORED:
        return _check_pod(request, lookup, newest)
    if request.subresource:
        return []
    if resource == _NAMESPACES:
        return _check_namespace(request, lookup, newest)
    if resource in _TEMPLATES:
        template = _at(request.obj, _TEMPLATES[resource])
        if template is not None:
            level = policy_of(lookup.namespace_labels(request.namespace)).warn
            return _warnings(_checked(template), level, newest)
    return []


def _check_pod(request: AdmissionRequest, lookup: Lookup, newest: int) -> list[str]:
    old = request.old
    if old is not None and not _is_significant(request.obj, old):
        return []
    policy, pod = policy_of(lookup.namespace_labels(request.namespace)), _checked(request.obj)
    broken = violations(pod, policy.enforce, newest=newest)
    if broken:
        shown = go_quote(str(policy.enforce))
        raise request.refuse(f"violates PodSecurity {shown}: {_told(broken)}")
    return _warnings(pod, policy.warn, newest)


def _warnings(pod: CheckedPod, level: Level, newest: int) -> list[str]:
    broken = violations(pod, level, newest=newest)
    shown = go_quote(str(level))
    return [f"would violate PodSecurity {shown}: {_told(broken)}"] if broken else []


def _told(broken: Sequence[Violation]) -> str:
    return ", ".join(str(one) for one in broken)


def _is_significant(new: JsonObject, old: JsonObject) -> bool:
    """Return whether a change is looked at: containers come or go, or get another image."""
    spec, old_spec = new.get("spec") or {}, old.get("spec") or {}
    for member in ("containers", "initContainers"):
        images = [one.get("image") for one in spec.get(member) or ()]
        if images != [one.get("image") for one in old_spec.get(member) or ()]:
            return True
    known = {one.get("name"): one.get("image") for one in old_spec.get("ephemeralContainers") or ()}
    return any(
        one.get("name") not in known or known[one.get("name")] != one.get("image")
        for one in spec.get("ephemeralContainers") or ()
    )


def _check_namespace(request: AdmissionRequest, lookup: Lookup, newest: int) -> list[str]:
    policy = policy_of((request.obj.get("metadata") or {}).get("labels") or {})
    old = policy_of(((request.old or {}).get("metadata") or {}).get("labels") or {})
    if policy.errors and policy.errors != old.errors:
        raise invalid_object("", "Namespace", request.obj["metadata"]["name"], policy.errors)
    enforce, before = policy.enforce, old.enforce
    relaxed = enforce.version == before.version and not enforce.is_stricter_than(before)
    if request.old is None or enforce == before or relaxed or enforce.name == PRIVILEGED:
        return []
    return list(_of_existing(request.name, enforce, lookup, newest=newest))


def _of_existing(namespace: str, level: Level, lookup: Lookup, *, newest: int) -> Iterator[str]:
    """Tell which pods of a namespace break the level that is enforced from now on."""
    names: dict[str, list[str]] = {}
    pods = _one_of_each_first(lookup.pods(namespace))
    for pod in pods[:_MOST_CHECKED]:
        broken = violations(_checked(pod), level, newest=newest)
        if broken:
            reasons = ", ".join(one.reason for one in broken)
            names.setdefault(reasons, []).append(pod["metadata"]["name"])
    if len(pods) > _MOST_CHECKED:
        yield (
            "new PodSecurity enforce level only checked against the first "
            f"{_MOST_CHECKED} of {len(pods)} existing pods"
        )
    if names:
        yield (
            f"existing pods in namespace {go_quote(namespace)} violate the new PodSecurity "
            f"enforce level {go_quote(str(level))}"
        )
    # In the order of the whole texts with the names in front.
    yield from sorted(f"{_first_of(broken)}: {reasons}" for reasons, broken in names.items())


def _one_of_each_first(pods: Iterable[JsonObject]) -> list[JsonObject]:
    """Put pods last that have the controller of one before: they look the same."""
    first: list[JsonObject] = []
    others: list[JsonObject] = []
    seen: set[str] = set()
    for pod in pods:
        uid = _controller_uid(pod)
        (others if uid in seen else first).append(pod)
        if uid:
            seen.add(uid)
    return [*first, *others]


def _controller_uid(pod: JsonObject) -> str:
    owners = pod["metadata"].get("ownerReferences") or ()
    return next((one["uid"] for one in owners if one.get("controller")), "")


def _first_of(names: Sequence[str]) -> str:
    first, others = min(names), len(names) - 1
    if not others:
        return first
    return f"{first} (and {others} other pod{'' if others == 1 else 's'})"


def _checked(pod: JsonObject) -> CheckedPod:
    metadata = pod.get("metadata") or {}
    return CheckedPod(metadata.get("annotations") or {}, pod.get("spec") or {})


def _at(obj: JsonObject, path: Sequence[str]) -> JsonObject | None:
    found: JsonObject | None = obj
    for name in path:
        found = (found or {}).get(name)
    return found
