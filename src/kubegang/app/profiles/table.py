"""The releases by name, and the profile that flags make of one."""

from __future__ import annotations

from collections.abc import Mapping

import msgspec

from kubegang.api.profile import Component, VersionProfile
from kubegang.app.profiles import v1_35, v1_36, v1_37
from kubegang.app.profiles.gate_flags import chosen_gates
from kubegang.app.profiles.release import with_gates
from kubegang.app.profiles.runtime_config import served_versions

RELEASES: tuple[VersionProfile, ...] = (v1_35.PROFILE, v1_36.PROFILE, v1_37.PROFILE)
"""Oldest first; their scheduler profiles list plugins whatever the gates."""


class UnknownReleaseError(ValueError):
    """A Kubernetes version that nothing is known about."""


def profile_named(
    name: str,
    *,
    feature_gates: str = "",
    component_gates: Mapping[Component, str] | None = None,
    runtime_config: str = "",
) -> VersionProfile:
    """Return the profile of a Kubernetes version, ``1.37``, with the flags applied.

    Args:
        name: the version, with or without a leading ``v``.
        feature_gates: ``A=true,B=false`` for every component.
        component_gates: the same for single components; wins.
        runtime_config: API versions to serve or not.

    Raises:
        UnknownReleaseError: there is no such version here.
        GateFlagError: with these gates upstream's programs would not start.
        RuntimeConfigError: an API version is not known.
    """
    profile = _release(name)
    gates = chosen_gates(
        profile, everywhere=feature_gates, single=component_gates or {}, releases=RELEASES
    )
    served = served_versions(profile.served, runtime_config, optional=profile.optional)
    return with_gates(msgspec.structs.replace(profile, served=served), gates)


def _release(name: str) -> VersionProfile:
    for profile in RELEASES:
        if profile.name == name.removeprefix("v"):
            return profile
    known = ", ".join(profile.name for profile in RELEASES)
    raise UnknownReleaseError(f"unknown Kubernetes version {name!r}; known are: {known}")
