"""ServiceAccount: every pod has an account, and finds its token where clients look for it.

Off by default, as without kubelets nobody reads the token (``--enable-admission-plugins``).
The rules and texts are upstream's, measured on 1.37.2.
"""

from __future__ import annotations

from collections.abc import Iterator

from kubegang.apimachinery.gotext import go_quote
from kubegang.apimachinery.objects import JsonObject
from kubegang.apiserver.admission.request import AdmissionRequest, Lookup
from kubegang.base.feature_gates import FeatureGates

MOUNT_PATH = "/var/run/secrets/kubernetes.io/serviceaccount"

_MIRROR = "kubernetes.io/config.mirror"
_ENFORCE = "kubernetes.io/enforce-mountable-secrets"
_VOLUME_PREFIX = "kube-api-access-"
_TOKEN_SECONDS = 3607
_READABLE = 0o644


def admit_pod(request: AdmissionRequest, lookup: Lookup, _gates: FeatureGates) -> None:
    """Give a new pod its account, the account's token, and its image pull secrets."""
    pod = request.obj
    spec = pod["spec"]
    if _MIRROR in (pod["metadata"].get("annotations") or {}):
        _check_mirror(request, spec)
        return
    name = spec.get("serviceAccountName") or "default"
    spec["serviceAccountName"] = spec["serviceAccount"] = name
    account = lookup.service_account(request.namespace, name)
    if account is None:
        where = f"{request.namespace}/{name}"
        raise request.refuse(
            f"error looking up service account {where}: serviceaccount {go_quote(name)} not found"
        )
    if _enforces(account):
        _check_references(request, spec, account)
    if _wants_token(spec, account):
        _mount_token(spec, lookup)
    if not spec.get("imagePullSecrets") and account.get("imagePullSecrets"):
        spec["imagePullSecrets"] = [dict(one) for one in account["imagePullSecrets"]]


def _check_mirror(request: AdmissionRequest, spec: JsonObject) -> None:
    if spec.get("serviceAccountName"):
        raise request.refuse("a mirror pod may not reference service accounts")
    if any("secretKeyRef" in source for _, source in _environment(spec)) or any(
        "secret" in volume for volume in spec.get("volumes") or ()
    ):
        raise request.refuse("a mirror pod may not reference secrets")
    for volume in spec.get("volumes") or ():
        sources = (volume.get("projected") or {}).get("sources") or ()
        if any("serviceAccountToken" in source for source in sources):
            raise request.refuse("a mirror pod may not use ServiceAccountToken volume projections")


def _wants_token(spec: JsonObject, account: JsonObject) -> bool:
    for holder in (spec, account):
        wish = holder.get("automountServiceAccountToken")
        if wish is not None:
            return bool(wish)
    return True


def _mount_token(spec: JsonObject, lookup: Lookup) -> None:
    """Mount the token in each container that has nothing there yet."""
    name = lookup.name_from(_VOLUME_PREFIX)
    mounted = False
    for container in (*(spec.get("initContainers") or ()), *spec["containers"]):
        mounts = container.get("volumeMounts") or []
        if any(mount.get("mountPath") == MOUNT_PATH for mount in mounts):
            continue
        mount = {"name": name, "readOnly": True, "mountPath": MOUNT_PATH}
        container["volumeMounts"] = [*mounts, mount]
        mounted = True
    if mounted:
        spec["volumes"] = [*(spec.get("volumes") or ()), _token_volume(name)]


def _token_volume(name: str) -> JsonObject:
    namespace = {
        "path": "namespace",
        "fieldRef": {"apiVersion": "v1", "fieldPath": "metadata.namespace"},
    }
    sources = [
        {"serviceAccountToken": {"expirationSeconds": _TOKEN_SECONDS, "path": "token"}},
        {
            "configMap": {
                "name": "kube-root-ca.crt",
                "items": [{"key": "ca.crt", "path": "ca.crt"}],
            }
        },
        {"downwardAPI": {"items": [namespace]}},
    ]
    return {"name": name, "projected": {"sources": sources, "defaultMode": _READABLE}}


def _enforces(account: JsonObject) -> bool:
    annotations = account["metadata"].get("annotations") or {}
    return str(annotations.get(_ENFORCE, "")).lower() in ("1", "t", "true")


def _check_references(request: AdmissionRequest, spec: JsonObject, account: JsonObject) -> None:
    """Refuse Secrets that the account does not list."""
    known = {one.get("name") for one in account.get("secrets") or ()}
    whose = f"is not allowed because service account {account['metadata']['name']} does not"
    for volume in spec.get("volumes") or ():
        secret = (volume.get("secret") or {}).get("secretName")
        if secret and secret not in known:
            shown = go_quote(secret)
            raise request.refuse(
                f"volume with secret.secretName={shown} {whose} reference that secret"
            )
    for label, source in _environment(spec):
        secret = (source.get("secretKeyRef") or {}).get("name")
        if secret and secret not in known:
            shown = go_quote(secret)
            raise request.refuse(
                f"{label} referencing secret.secretName={shown} {whose} reference that secret"
            )
    pulls = {one.get("name") for one in account.get("imagePullSecrets") or ()}
    for position, pull in enumerate(spec.get("imagePullSecrets") or ()):
        if pull.get("name") not in pulls:
            shown = f"imagePullSecrets[{position}].name={go_quote(pull.get('name') or '')}"
            raise request.refuse(f"{shown} {whose} reference that imagePullSecret")


def _environment(spec: JsonObject) -> Iterator[tuple[str, JsonObject]]:
    """Return where variables come from, each with how refusals call its place."""
    for what, member in (("init container", "initContainers"), ("container", "containers")):
        for container in spec.get(member) or ():
            for variable in container.get("env") or ():
                source = variable.get("valueFrom")
                if source:
                    yield f"{what} {container['name']} with envVar {variable['name']}", source
