"""Who a pod of a StatefulSet is: its ordinal, what follows from that, and what it is made of.

Pure.
"""

from __future__ import annotations

import re

from kubegang.apimachinery.objects import JsonObject
from kubegang.controllers.revisions.data import REVISION_LABEL
from kubegang.controllers.workloads.objects import counted, labels_of, name_of, replicas_of
from kubegang.controllers.workloads.podtemplate import pod_from

POD_NAME = "statefulset.kubernetes.io/pod-name"
POD_INDEX = "apps.kubernetes.io/pod-index"

_NAME = re.compile(r"(.*)-([0-9]+)", re.DOTALL)
_LARGEST = 2**31 - 1


def ordinal_of(pod: JsonObject) -> int:
    """Return the ordinal in a pod's name, -1 if there is none."""
    match = _NAME.fullmatch(name_of(pod))
    ordinal = int(match.group(2)) if match else -1
    return ordinal if ordinal <= _LARGEST else -1


def is_member(stateful_set: JsonObject, pod: JsonObject) -> bool:
    """Return whether a pod is called as one of the set's."""
    match = _NAME.fullmatch(name_of(pod))
    return match is not None and match.group(1) == name_of(stateful_set)


def first_ordinal(stateful_set: JsonObject) -> int:
    """Return the set's smallest ordinal (``spec.ordinals.start``)."""
    return int((stateful_set["spec"].get("ordinals") or {}).get("start") or 0)


def ordinals(stateful_set: JsonObject) -> range:
    """Return the ordinals of the pods that a set asks for."""
    first = first_ordinal(stateful_set)
    return range(first, first + replicas_of(stateful_set))


def claim_templates(stateful_set: JsonObject) -> list[JsonObject]:
    """Return the claims that each pod of a set gets, as their templates."""
    templates: list[JsonObject] = stateful_set["spec"].get("volumeClaimTemplates") or []
    return templates


def claim_name(stateful_set: JsonObject, template: JsonObject, ordinal: int) -> str:
    """Return the name of a pod's claim."""
    return f"{name_of(template)}-{name_of(stateful_set)}-{ordinal}"


def has_identity(stateful_set: JsonObject, pod: JsonObject) -> bool:
    """Return whether a pod has the name and the label of a member."""
    is_canonical = name_of(pod) == f"{name_of(stateful_set)}-{ordinal_of(pod)}"
    return is_canonical and labels_of(pod).get(POD_NAME) == name_of(pod)


def has_storage(stateful_set: JsonObject, pod: JsonObject) -> bool:
    """Return whether a pod uses its claims."""
    ordinal = ordinal_of(pod)
    used = {
        volume["name"]: (volume.get("persistentVolumeClaim") or {}).get("claimName")
        for volume in pod["spec"].get("volumes") or ()
    }
    return ordinal >= 0 and all(
        used.get(name_of(template)) == claim_name(stateful_set, template, ordinal)
        for template in claim_templates(stateful_set)
    )


def corrected(stateful_set: JsonObject, pod: JsonObject) -> JsonObject:
    """Return a pod with the labels and the claims of a member."""
    labels = {**labels_of(pod), POD_NAME: name_of(pod), POD_INDEX: str(ordinal_of(pod))}
    return {
        **pod,
        "metadata": {**pod["metadata"], "labels": labels},
        "spec": {**pod["spec"], "volumes": _volumes(stateful_set, pod)},
    }


def new_pod(
    current_set: JsonObject, update_set: JsonObject, *, current: str, update: str, ordinal: int
) -> JsonObject:
    """Return the pod to make for an ordinal.

    Args:
        current_set: the set with the template that it comes from.
        update_set: the set with the template that it goes to.
        current: the name of the revision that it comes from.
        update: the name of the revision that it goes to.
        ordinal: the pod's.
    """
    if _keeps_current(current_set, ordinal):
        return _pod(current_set, current, ordinal)
    return _pod(update_set, update, ordinal)


def _keeps_current(stateful_set: JsonObject, ordinal: int) -> bool:
    """Return whether an ordinal stays with the template before an update."""
    strategy = stateful_set["spec"].get("updateStrategy") or {}
    rolling = strategy.get("rollingUpdate")
    position = ordinal - first_ordinal(stateful_set)
    if rolling is None:
        is_rolling = strategy.get("type") == "RollingUpdate"
        return is_rolling and position < counted(stateful_set, "currentReplicas")
    return position < int(rolling.get("partition") or 0)


def _pod(stateful_set: JsonObject, revision: str, ordinal: int) -> JsonObject:
    pod = pod_from(stateful_set, stateful_set["spec"]["template"])
    name = f"{name_of(stateful_set)}-{ordinal}"
    pod["metadata"]["name"] = name
    pod["spec"]["hostname"] = name
    service = stateful_set["spec"].get("serviceName")
    if service:
        pod["spec"]["subdomain"] = service
    else:
        pod["spec"].pop("subdomain", None)
    pod["metadata"]["labels"] |= {
        POD_NAME: name,
        POD_INDEX: str(ordinal),
        REVISION_LABEL: revision,
    }
    volumes = _volumes(stateful_set, pod)
    if volumes:
        pod["spec"]["volumes"] = volumes
    return pod


def _volumes(stateful_set: JsonObject, pod: JsonObject) -> list[JsonObject]:
    """Return a pod's volumes, those of its claims first; they replace others of their name."""
    ordinal = ordinal_of(pod)
    claims = {
        name_of(template): claim_name(stateful_set, template, ordinal)
        for template in claim_templates(stateful_set)
    }
    volumes: list[JsonObject] = [
        {"name": name, "persistentVolumeClaim": {"claimName": claim}}
        for name, claim in claims.items()
    ]
    others = pod["spec"].get("volumes") or ()
    return volumes + [volume for volume in others if volume["name"] not in claims]
