"""Which kind has which special rules."""

from __future__ import annotations

from base64 import b64encode

from kubegang.api.defaults.batch import generate_selector
from kubegang.apimachinery.objects import GroupResource, JsonObject
from kubegang.apiserver.strategies.autoscalers import AUTOSCALERS
from kubegang.apiserver.strategies.certificates import SIGNING_REQUESTS
from kubegang.apiserver.strategies.daemonsets import DAEMON_SETS
from kubegang.apiserver.strategies.definitions import DEFINITIONS
from kubegang.apiserver.strategies.devices import CLAIMS_ON_DEVICES, SLICES, TAINT_RULES
from kubegang.apiserver.strategies.namespaces import NAMESPACES
from kubegang.apiserver.strategies.nodes import NODES
from kubegang.apiserver.strategies.pods import PODS
from kubegang.apiserver.strategies.rules import PLAIN, KindRules
from kubegang.apiserver.strategies.services import SERVICES
from kubegang.apiserver.strategies.volumes import CLAIMS, VOLUMES


def _select_own_pods(job: JsonObject, _now: str) -> None:
    generate_selector(job)


def _take_generated_labels(job: JsonObject) -> None:
    """A Job without labels has its template's, also those that it was just given."""
    labels = (job["spec"]["template"].get("metadata") or {}).get("labels")
    if labels and not job["metadata"].get("labels"):
        job["metadata"]["labels"] = dict(labels)


def _keep_generated_labels(new: JsonObject, _old: JsonObject) -> None:
    # Upstream defaults when it reads what it stored.
    _take_generated_labels(new)


def _count_change(new: JsonObject, old: JsonObject) -> None:
    """Raise the generation whatever changes but metadata: kinds without a spec, CSI drivers."""
    if {**new, "metadata": None} != {**old, "metadata": None}:
        new["metadata"]["generation"] = (old["metadata"].get("generation") or 0) + 1


def _count_annotations(new: JsonObject, old: JsonObject) -> None:
    """Raise a Deployment's generation for annotations too, which its replica sets get."""
    if (new["metadata"].get("annotations") or {}) != (old["metadata"].get("annotations") or {}):
        new["metadata"]["generation"] = (old["metadata"].get("generation") or 0) + 1


def _encode_texts(secret: JsonObject) -> None:
    """Move ``stringData`` to ``data``: it is for writing only, and wins over what is there."""
    texts = secret.pop("stringData", None)
    if texts:
        encoded = {key: b64encode(text.encode()).decode() for key, text in texts.items()}
        secret["data"] = {**(secret.get("data") or {}), **encoded}


_EVENTS = KindRules(collected=False)
_STATUS_ALONE = KindRules(status_resets_metadata=True)

_RULES = {
    GroupResource("", "events"): _EVENTS,
    GroupResource("", "namespaces"): NAMESPACES,
    GroupResource("", "nodes"): NODES,
    GroupResource("", "persistentvolumeclaims"): CLAIMS,
    GroupResource("", "persistentvolumes"): VOLUMES,
    GroupResource("", "pods"): PODS,
    GroupResource("", "podtemplates"): KindRules(prepare_update=_count_change),
    GroupResource("", "replicationcontrollers"): KindRules(orphans_by_default=True),
    GroupResource("", "services"): SERVICES,
    GroupResource("", "secrets"): KindRules(decode=_encode_texts),
    GroupResource("apiextensions.k8s.io", "customresourcedefinitions"): DEFINITIONS,
    GroupResource("apps", "daemonsets"): DAEMON_SETS,
    GroupResource("apps", "deployments"): KindRules(prepare_update=_count_annotations),
    GroupResource("autoscaling", "horizontalpodautoscalers"): AUTOSCALERS,
    GroupResource("batch", "jobs"): KindRules(
        prepare_create=_select_own_pods,
        complete_accepted=_take_generated_labels,
        prepare_status_update=_keep_generated_labels,
        orphans_by_default=True,
        orphan_warning=(
            "child pods are preserved by default when jobs are deleted; set "
            "propagationPolicy=Background to remove them or set propagationPolicy=Orphan to "
            "suppress this warning"
        ),
    ),
    GroupResource("certificates.k8s.io", "certificatesigningrequests"): SIGNING_REQUESTS,
    GroupResource("discovery.k8s.io", "endpointslices"): KindRules(prepare_update=_count_change),
    GroupResource("events.k8s.io", "events"): _EVENTS,
    GroupResource("resource.k8s.io", "devicetaintrules"): TAINT_RULES,
    GroupResource("resource.k8s.io", "resourceclaims"): CLAIMS_ON_DEVICES,
    GroupResource("resource.k8s.io", "resourceslices"): SLICES,
    GroupResource("storage.k8s.io", "csidrivers"): KindRules(prepare_update=_count_change),
    GroupResource("scheduling.k8s.io", "compositepodgroups"): _STATUS_ALONE,
    GroupResource("scheduling.k8s.io", "podgroups"): _STATUS_ALONE,
}


def rules_of(resource: GroupResource) -> KindRules:
    """Return the special rules of a resource."""
    return _RULES.get(resource, PLAIN)
