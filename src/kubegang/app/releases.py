"""The releases with all that is known of them, for steps between them."""

from __future__ import annotations

from kubegang.api.facts import load_facts
from kubegang.api.profile import VersionProfile
from kubegang.api.resources import ROWS
from kubegang.app.profiles.table import RELEASES
from kubegang.app.served import scheme_of
from kubegang.tools.upgradeplan import KnownRelease


def known_release(profile: VersionProfile) -> KnownRelease:
    """Return what a release knows, and what it serves with a profile's gates and versions."""
    return KnownRelease(
        profile,
        load_facts(profile.name),
        frozenset(row.key_prefix() for row in scheme_of(profile).resources()),
    )


def known_releases() -> list[KnownRelease]:
    """Return all releases as ``up`` starts them, oldest first."""
    return [known_release(profile) for profile in RELEASES]


def prefixes_of_several_forms() -> list[str]:
    """Return where objects lie that not every release stores in the same version."""
    forms: dict[str, set[str]] = {}
    for row in ROWS:
        forms.setdefault(row.key_prefix(), set()).add(row.storage_version)
    return sorted(prefix for prefix, versions in forms.items() if len(versions) > 1)
