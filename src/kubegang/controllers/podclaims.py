"""Which claims a pod uses. Pure."""

from __future__ import annotations

from typing import Final

from kubegang.apimachinery.objects import JsonObject

BY_CLAIM: Final = "persistent-volume-claim"


def claim_name(pod: JsonObject, volume: JsonObject) -> str:
    """Return the name of the claim behind a volume, or an empty text."""
    source = volume.get("persistentVolumeClaim")
    if source is not None:
        return str(source.get("claimName") or "")
    if volume.get("ephemeral") is not None:
        return f"{pod['metadata']['name']}-{volume['name']}"
    return ""


def index_by_claim(pod: JsonObject) -> list[str]:
    """Return the index keys of a pod: namespace and name of each claim that it uses."""
    names = {claim_name(pod, volume) for volume in pod["spec"].get("volumes") or ()} - {""}
    return [f"{pod['metadata']['namespace']}/{name}" for name in sorted(names)]


def is_made_for(claim: JsonObject, pod: JsonObject) -> bool:
    """Return whether a claim was made for a pod's ephemeral volume."""
    owners = claim["metadata"].get("ownerReferences") or ()
    return any(o.get("controller") and o.get("uid") == pod["metadata"]["uid"] for o in owners)
