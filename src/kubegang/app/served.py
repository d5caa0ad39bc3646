"""What a release serves with its gates: for the API server, and for those who ask it."""

from __future__ import annotations

from kubegang.api.facts import load_facts
from kubegang.api.profile import VersionProfile
from kubegang.api.resources import ROWS
from kubegang.api.scheme import ResourceInfo, Scheme


def scheme_of(profile: VersionProfile) -> Scheme:
    """Return the resources that a release serves with its gates."""
    rows = rows_of(profile)
    forms = {row.stored_as for row in rows} - {row.gvk for row in rows}
    stored = [row for row in ROWS if row.gvk in forms]
    gates = profile.gates["apiserver"]
    return Scheme.for_profile(rows, profile.served, gates, stored=stored)


def rows_of(profile: VersionProfile) -> list[ResourceInfo]:
    """Return the rows of kinds that a release has: one may be younger than its group's version."""
    kinds = set(load_facts(profile.name).kinds())
    return [row for row in ROWS if row.gvk in kinds or row.group_version not in profile.served]
