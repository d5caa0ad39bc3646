"""``--runtime-config``: which API versions are served.

``scheduling.k8s.io/v1alpha3=false,scheduling.k8s.io/v1beta1`` as kube-apiserver takes it;
``api/all``, ``api/ga``, ``api/beta`` and ``api/alpha`` stand for many. A single version wins
over those.
"""

from __future__ import annotations

from kubegang.apimachinery.objects import GroupVersion
from kubegang.app.profiles.gate_flags import GateFlagError, parse_gates

_MANY = ("api/all", "api/ga", "api/beta", "api/alpha")


class RuntimeConfigError(ValueError):
    """A --runtime-config that cannot be followed."""


def served_versions(served: tuple[GroupVersion, ...], text: str) -> tuple[GroupVersion, ...]:
    """Return the versions that are served after the flag, in the order given.

    Raises:
        RuntimeConfigError: a key names nothing that this release serves here, or a value is
            no boolean.
    """
    wanted = dict.fromkeys(served, True)
    settings = _parse(text)
    for key in _MANY:
        if key in settings:
            wanted |= {version: settings[key] for version in served if _belongs(version, key)}
    for key, value in settings.items():
        if key not in _MANY:
            wanted[_version_named(key, served)] = value
    return tuple(version for version in served if wanted[version])


def _parse(text: str) -> dict[str, bool]:
    parts = (part.strip() for part in text.split(","))
    spelled = ",".join(part if "=" in part else f"{part}=true" for part in parts if part)
    try:
        return parse_gates(spelled)
    except GateFlagError as error:
        raise RuntimeConfigError(f"--runtime-config: {error}") from error


def _belongs(group_version: GroupVersion, key: str) -> bool:
    if key == "api/all":
        return True
    for word in ("alpha", "beta"):
        if word in group_version.version:
            return key == f"api/{word}"
    return key == "api/ga"


def _version_named(key: str, served: tuple[GroupVersion, ...]) -> GroupVersion:
    # The core group has no name; upstream calls it "v1" or "api/v1".
    version = GroupVersion.parse(key.removeprefix("api/"))
    if version not in served:
        known = ", ".join(str(one) for one in served)
        raise RuntimeConfigError(f"--runtime-config: {key} is not served; served are: {known}")
    return version
