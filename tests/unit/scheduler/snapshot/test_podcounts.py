"""Counts of pods by what they are and by what they want; kept sums; tidying."""

from __future__ import annotations

from collections.abc import Iterator

import pytest

from kubegang.scheduler.framework.domains import DomainCache, Domains
from kubegang.scheduler.framework.errors import InvariantError
from kubegang.scheduler.framework.podcounts import PodCondition, PodMatcher
from kubegang.scheduler.framework.pods import NodeName, PodUid
from kubegang.scheduler.framework.podterms import equal_labels
from kubegang.scheduler.framework.terms import Requirement
from kubegang.scheduler.framework.workloads import NamespaceInfo
from kubegang.scheduler.snapshot import heldterms, matchingpods, rowcounts
from kubegang.scheduler.snapshot.builder import SnapshotBuilder
from kubegang.scheduler.snapshot.rowcounts import RowCounts, SumKeeper
from kubegang.scheduler.snapshot.trial import Trial
from kubegang.scheduler.snapshot.validation import validate_snapshot
from kubegang.testing.builders import make_node, make_pod
from kubegang.testing.podterms import ZONE, pods_labelled, term

X = make_pod("x").label("app", "x")
APP_X = PodMatcher((PodCondition(equal_labels({"app": "x"}), None),))


@pytest.fixture
def builder() -> Iterator[SnapshotBuilder]:
    """Three nodes: one in zone za, two in zb."""
    built = SnapshotBuilder()
    for name, zone in (("a", "za"), ("b", "zb"), ("c", "zb")):
        built.set_node(make_node(name).zone(zone).info())
    yield built
    validate_snapshot(built.snapshot())


def by_zone(builder: SnapshotBuilder, matcher: PodMatcher = APP_X) -> dict[str, int]:
    snapshot = builder.snapshot()
    domains = Domains(snapshot.nodes, ZONE)
    sums = snapshot.pods_matching(matcher).over(domains)
    return {snapshot.nodes.label(ZONE).values[d]: int(sums[d]) for d in domains.present.tolist()}


def test_counts_follow_pods_as_they_come_and_go(builder: SnapshotBuilder) -> None:
    builder.set_pod(X.named("early").on("a").info())
    assert by_zone(builder) == {"za": 1, "zb": 0}
    builder.set_pod(X.named("one").on("b").info())
    builder.set_pod(X.named("two").on("c").info())
    builder.set_pod(make_pod("other").on("c").info())
    assert by_zone(builder) == {"za": 1, "zb": 2}
    builder.remove_pod(PodUid("uid-one"))
    assert by_zone(builder) == {"za": 1, "zb": 1}


def test_a_changed_label_is_counted_anew(builder: SnapshotBuilder) -> None:
    assert by_zone(builder) == {"za": 0, "zb": 0}
    builder.set_pod(X.on("a").info())
    builder.set_pod(X.label("app", "y").on("a").info())
    assert by_zone(builder) == {"za": 0, "zb": 0}


def test_counts_follow_nodes(builder: SnapshotBuilder) -> None:
    builder.set_pod(X.named("one").on("a").info())
    builder.set_pod(X.named("two").on("c").info())
    assert by_zone(builder) == {"za": 1, "zb": 1}
    # The last row moves into the place of the first.
    builder.remove_node(NodeName("a"))
    assert by_zone(builder) == {"zb": 1}
    builder.set_node(make_node("a").zone("zb").info())
    assert by_zone(builder) == {"zb": 2}
    builder.set_node(make_node("a").zone("za").info())
    assert by_zone(builder) == {"za": 1, "zb": 1}


def test_a_trial_that_is_dropped_restores_every_sum(builder: SnapshotBuilder) -> None:
    builder.set_pod(X.named("one").on("a").apart(term(pods_labelled(app="x"))).info())
    snapshot = builder.snapshot()
    domains = Domains(snapshot.nodes, ZONE)
    sums = snapshot.pods_matching(APP_X).over(domains)
    before, picture = sums.tolist(), snapshot.counts.picture()
    with Trial(snapshot) as trial:
        trial.place(X.named("two").info(), NodeName("c"))
        assert sums.tolist() != before
        for pod in list(snapshot.pods()):
            trial.evict(pod)
        assert not snapshot.counts.picture()
    assert sums.tolist() == before
    assert snapshot.counts.picture() == picture


@pytest.mark.parametrize(
    ("selector", "want"),
    [
        pytest.param((), 3, id="everybody"),
        pytest.param(None, 0, id="nobody"),
        pytest.param((Requirement("app", "In", ("x", "y")),), 2, id="one-of-two"),
        pytest.param((Requirement("app", "Exists", ()),), 2, id="has-it"),
        pytest.param((Requirement("app", "NotIn", ("x",)),), 2, id="not-that-one"),
        pytest.param((Requirement("app", "DoesNotExist", ()),), 1, id="has-it-not"),
        pytest.param(
            (Requirement("app", "Exists", ()), Requirement("tier", "In", ("web",))), 1, id="both"
        ),
    ],
)
def test_pods_are_found_by_their_labels(
    builder: SnapshotBuilder, selector: tuple[Requirement, ...] | None, want: int
) -> None:
    matcher = PodMatcher((PodCondition(selector, None),))
    before = builder.snapshot().pods_matching(matcher)
    assert before.by_row().tolist() == [0, 0, 0]
    builder.set_pod(X.on("a").info())
    builder.set_pod(make_pod("y").label("app", "y").label("tier", "web").on("b").info())
    builder.set_pod(make_pod("plain").on("c").info())
    assert int(before.by_row().sum()) == want


def test_terms_are_found_by_the_labels_they_ask_for(builder: SnapshotBuilder) -> None:
    builder.set_namespace(NamespaceInfo("other", {"team": "b"}))
    snapshot = builder.snapshot()
    assert not snapshot.terms_about("required-anti", X.info())
    wanted = term(pods_labelled(app="x"), ZONE, in_namespaces={"team": "b"})
    holder = make_pod("h").apart(wanted).near(wanted).apart(wanted, weight=3).near(wanted, weight=3)
    builder.set_pod(holder.on("b").info())
    there = X.ns("other").info()
    assert [held.weight for held in snapshot.terms_about("required-anti", there)] == [0]
    assert [held.weight for held in snapshot.terms_about("required", there)] == [0]
    assert sorted(held.weight for held in snapshot.terms_about("preferred", there)) == [-3, 3]
    assert not snapshot.terms_about("required-anti", X.info()), "not in that namespace"
    assert not snapshot.terms_about("required-anti", make_pod().ns("other").info())
    (held,) = snapshot.terms_about("required", there)
    assert held.holders.by_row().tolist() == [0, 1, 0]
    builder.remove_pod(PodUid("uid-h"))
    assert not snapshot.terms_about("required", there)


def test_what_nobody_asks_about_is_forgotten(
    builder: SnapshotBuilder, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(matchingpods, "_KEPT", 2)
    snapshot = builder.snapshot()
    builder.set_pod(X.on("a").info())
    for name in "pqr":
        selector = equal_labels({"app": name})
        snapshot.pods_matching(PodMatcher((PodCondition(selector, None),)))
    snapshot.counts.tidy()
    # Asked about since the first tidying, so the second keeps it.
    assert by_zone(builder) == {"za": 1, "zb": 0}
    builder.set_pod(X.named("y").on("b").info())
    assert by_zone(builder) == {"za": 1, "zb": 1}


def test_terms_that_nobody_has_any_more_are_forgotten(builder: SnapshotBuilder) -> None:
    snapshot = builder.snapshot()
    for index in range(heldterms._KEPT + 2):
        pod = make_pod("h").apart(term(pods_labelled(app=f"x{index}"))).on("a")
        builder.set_pod(pod.info())
    assert len(snapshot.counts.picture()) == 1
    last = X.label("app", f"x{index}").info()
    assert len(snapshot.terms_about("required-anti", last)) == 1


def test_the_oldest_sums_make_room(
    builder: SnapshotBuilder, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(rowcounts, "_SUMS_KEPT", 10)
    table = builder.snapshot().nodes
    counts = RowCounts(SumKeeper(table))
    domains = [Domains(table, ZONE) for _ in range(4)]
    sums = [counts.over(d) for d in domains]
    counts.add(1, 1)
    # Four entries each, so two fit: the others are not kept up to date any more.
    assert [int(s.sum()) for s in sums] == [0, 0, 1, 1]
    assert int(counts.over(domains[0]).sum()) == 1


def test_counting_below_zero_is_a_bug(builder: SnapshotBuilder) -> None:
    counts = RowCounts(SumKeeper(builder.snapshot().nodes))
    with pytest.raises(InvariantError):
        counts.add(0, -1)


def test_domains_are_kept_until_a_node_changes(builder: SnapshotBuilder) -> None:
    cache, table = DomainCache(), builder.snapshot().nodes
    kept = cache.of(table, ZONE)
    assert cache.of(table, ZONE) is kept
    builder.set_node(make_node("d").info())
    fresh = cache.of(table, ZONE)
    assert fresh is not kept
    assert fresh.ids.tolist()[-1] == -1
