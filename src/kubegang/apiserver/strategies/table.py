"""Which kind has which special rules."""

from __future__ import annotations

from base64 import b64encode

from kubegang.api.defaults.batch import generate_selector
from kubegang.apimachinery.objects import GroupResource, JsonObject
from kubegang.apiserver.strategies.namespaces import NAMESPACES
from kubegang.apiserver.strategies.pods import PODS
from kubegang.apiserver.strategies.rules import PLAIN, KindRules


def _pending() -> JsonObject:
    return {"phase": "Pending"}


def _select_own_pods(job: JsonObject, _now: str) -> None:
    generate_selector(job)
    # A Job without labels has its template's, also those that it was just given.
    labels = (job["spec"]["template"].get("metadata") or {}).get("labels")
    if labels and not job["metadata"].get("labels"):
        job["metadata"]["labels"] = dict(labels)


def _encode_texts(secret: JsonObject) -> None:
    """Move ``stringData`` to ``data``: it is for writing only, and wins over what is there."""
    texts = secret.pop("stringData", None)
    if texts:
        encoded = {key: b64encode(text.encode()).decode() for key, text in texts.items()}
        secret["data"] = {**(secret.get("data") or {}), **encoded}


_STATUS_ALONE = KindRules(status_resets_metadata=True)

_RULES = {
    GroupResource("", "namespaces"): NAMESPACES,
    GroupResource("", "nodes"): KindRules(keeps_status_on_create=True),
    GroupResource("", "persistentvolumeclaims"): KindRules(new_status=_pending),
    GroupResource("", "persistentvolumes"): KindRules(new_status=_pending),
    GroupResource("", "pods"): PODS,
    GroupResource("", "replicationcontrollers"): KindRules(orphans_by_default=True),
    GroupResource("", "secrets"): KindRules(decode=_encode_texts),
    GroupResource("batch", "jobs"): KindRules(
        prepare_create=_select_own_pods,
        orphans_by_default=True,
        orphan_warning=(
            "child pods are preserved by default when jobs are deleted; set "
            "propagationPolicy=Background to remove them or set propagationPolicy=Orphan to "
            "suppress this warning"
        ),
    ),
    GroupResource("resource.k8s.io", "resourceclaims"): _STATUS_ALONE,
    GroupResource("scheduling.k8s.io", "compositepodgroups"): _STATUS_ALONE,
    GroupResource("scheduling.k8s.io", "podgroups"): _STATUS_ALONE,
}


def rules_of(resource: GroupResource) -> KindRules:
    """Return the special rules of a resource."""
    return _RULES.get(resource, PLAIN)
