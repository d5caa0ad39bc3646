"""AppArmor annotations of new pods, which become fields of the containers (KEP-24).

Measured on 1.37.2: a field that is there wins, an annotation that says the same as the pod's
field or nothing valid is left alone, pods of Windows are. Pure: in place, on wire objects.
"""

from __future__ import annotations

from kubegang.api.core import apparmor
from kubegang.api.validation.pods.walking import all_containers
from kubegang.apimachinery.objects import JsonObject


def annotations_to_fields(pod: JsonObject) -> None:
    """Give each container the profile that an annotation says."""
    annotations = pod["metadata"].get("annotations")
    spec = pod.get("spec") or {}
    if not annotations or (spec.get("os") or {}).get("name") == "windows":
        return
    of_pod = (spec.get("securityContext") or {}).get("appArmorProfile")
    for container in all_containers(spec):
        annotation = annotations.get(apparmor.ANNOTATION + (container.get("name") or ""))
        security = container.get("securityContext") or {}
        if annotation is None or security.get("appArmorProfile") is not None:
            continue
        profile = apparmor.valid_profile_of(annotation)
        if profile is not None and profile != of_pod:
            container["securityContext"] = {**security, "appArmorProfile": profile}
