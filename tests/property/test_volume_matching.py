"""Volumes are matched for all nodes at once as they would be for each node by itself."""

from __future__ import annotations

from hypothesis import given, settings
from hypothesis import strategies as st

from kubegang.scheduler.framework.storage import ClaimInfo, VolumeInfo
from kubegang.scheduler.plugins.volumebinding.claims import PodClaims
from kubegang.scheduler.plugins.volumebinding.prospects import Prospects
from kubegang.scheduler.plugins.volumebinding.reach import Reach
from kubegang.scheduler.snapshot.builder import SnapshotBuilder
from kubegang.testing.builders import make_node
from kubegang.testing.storagebuilders import (
    ClaimBuilder,
    VolumeBuilder,
    make_claim,
    make_class,
    make_volume,
)

NODES = ("n0", "n1", "n2")
SIZES = st.sampled_from(("1Gi", "2Gi", "3Gi"))


@st.composite
def claims(draw: st.DrawFn) -> list[ClaimBuilder]:
    made = []
    for number in range(draw(st.integers(1, 3))):
        claim = make_claim(f"c{number}").of_class("s").size(draw(SIZES))
        made.append(claim.selecting(fast="1") if draw(st.booleans()) else claim)
    return made


@st.composite
def volumes(draw: st.DrawFn) -> list[VolumeBuilder]:
    made = []
    for number in range(draw(st.integers(0, 6))):
        volume = make_volume(f"v{number}").of_class("s").size(draw(SIZES))
        places = draw(st.sets(st.sampled_from(NODES)))
        volume = volume.local(*sorted(places)) if places else volume
        volume = volume.label("fast", "1") if draw(st.booleans()) else volume
        owner = draw(st.sampled_from(("", "", "", "c0", "c1", "other")))
        made.append(volume.claimed_by(owner) if owner else volume)
    return made


@settings(deadline=None)
@given(claims=claims(), volumes=volumes())
def test_the_answer_for_a_node_is_that_of_the_node_alone(
    claims: list[ClaimBuilder], volumes: list[VolumeBuilder]
) -> None:
    builder = SnapshotBuilder()
    for name in NODES:
        builder.set_node(make_node(name).info())
    builder.set_storage(make_class("s").info())
    for claim in claims:
        builder.set_storage(claim.info())
    for volume in volumes:
        builder.set_storage(volume.info())
    snapshot, waiting = builder.snapshot(), tuple(claim.info() for claim in claims)
    prospects = Prospects(snapshot, PodClaims(waiting=waiting), reach=Reach())
    for row, name in enumerate(snapshot.nodes.names):
        expected = alone(name, waiting, [volume.info() for volume in volumes])
        assert prospects.passed[row] == (expected is not None), (name, expected)
        if expected is not None:
            chosen = prospects.choice(row).bindings
            assert {claim.name: volume.name for claim, volume in chosen} == expected


def alone(
    node: str, claims: tuple[ClaimInfo, ...], volumes: list[VolumeInfo]
) -> dict[str, str] | None:
    """Return claim → volume on one node, found one by one; ``None`` if any finds none."""
    taken: dict[str, str] = {}
    for claim in sorted(claims, key=lambda claim: claim.requested or 0):
        free = [volume for volume in volumes if volume.name not in taken.values()]
        big_enough = [volume for volume in free if volume.capacity >= (claim.requested or 0)]
        promised = [volume for volume in big_enough if volume.is_bound_to(claim)]
        fitting = [volume for volume in big_enough if volume.claim is None and fits(claim, volume)]
        candidates = promised[:1] or [volume for volume in fitting if reaches(volume, node)]
        candidates = [volume for volume in candidates if reaches(volume, node)]
        if not candidates:
            return None
        taken[claim.name] = min(candidates, key=lambda v: (v.capacity, v.name)).name
    return taken


def fits(claim: ClaimInfo, volume: VolumeInfo) -> bool:
    return claim.selector is None or volume.labels.get("fast") == "1"


def reaches(volume: VolumeInfo, node: str) -> bool:
    if volume.node_terms is None:
        return True
    return any(node in term.expressions[0].values for term in volume.node_terms)
