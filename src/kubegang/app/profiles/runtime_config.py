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


def served_versions(
    served: tuple[GroupVersion, ...], text: str, *, optional: tuple[GroupVersion, ...] = ()
) -> tuple[GroupVersion, ...]:
    """Return the versions that are served after the flag, in the order given.

    Args:
        served: the versions that are served unless the flag says otherwise.
        text: the flag's value.
        optional: versions that are served only if the flag asks for them; they come last.

    Raises:
        RuntimeConfigError: a key names nothing that this release serves here, or a value is
            no boolean.
    """
    known = (*served, *optional)
    wanted = {version: version in served for version in known}
    settings = _parse(text)
    for key in _MANY:
        if key in settings:
            wanted |= {version: settings[key] for version in known if _belongs(version, key)}
    for key, value in settings.items():
        if key not in _MANY:
            wanted[_version_named(key, known)] = value
    return tuple(version for version in known if wanted[version])


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


def _version_named(key: str, known: tuple[GroupVersion, ...]) -> GroupVersion:
    # The core group has no name; upstream calls it "v1" or "api/v1".
    version = GroupVersion.parse(key.removeprefix("api/"))
    if version not in known:
        names = ", ".join(str(one) for one in known)
        raise RuntimeConfigError(f"--runtime-config: {key} is not served; served are: {names}")
    return version
