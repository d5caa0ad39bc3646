"""What a pod's spec says about other pods, as the scheduler reads it."""

from __future__ import annotations

import pytest

from kubegang.scheduler.framework.labelselection import Anchor, anchor_of, selects
from kubegang.scheduler.framework.pods import ControllerKey, is_twin
from kubegang.scheduler.framework.podterms import label_terms
from kubegang.scheduler.framework.terms import Requirement
from kubegang.testing.builders import PodBuilder, make_pod
from kubegang.testing.podterms import ZONE, evenly, pods_labelled, term

APP = pods_labelled(app="x")
X = Requirement("app", "In", ("x",))


def test_pods_without_terms_have_none() -> None:
    pod = make_pod().requires(("a", "Exists", ())).info()
    assert (pod.pod_affinity, pod.spread, pod.controller) == (None, (), None)


def test_terms_mean_the_pods_own_namespace_unless_they_say_another() -> None:
    pod = make_pod().ns("mine").near(term(APP)).near(term(APP, namespaces=["b", "a", "b"]))
    terms = pod.near(term(APP, in_namespaces={"team": "x"})).info().pod_affinity
    assert terms is not None
    assert [t.namespaces for t in terms.required] == [("mine",), ("a", "b"), ()]
    assert [t.namespace_selector for t in terms.required] == [
        None,
        None,
        (Requirement("team", "In", ("x",)),),
    ]


def test_preferred_anti_affinity_weighs_below_zero() -> None:
    pod = make_pod().near(term(APP, ZONE), weight=3).apart(term(APP), weight=4)
    terms = pod.apart(term(APP, ZONE)).info().pod_affinity
    assert terms is not None
    assert [(weight, t.topology_key) for weight, t in terms.preferred] == [
        (3, ZONE),
        (-4, "kubernetes.io/hostname"),
    ]
    assert [t.topology_key for t in terms.required_anti] == [ZONE]


def test_equal_selectors_are_equal_whatever_their_order() -> None:
    one = pods_labelled(("a", "Exists", ()), ("b", "In", ("1",)), app="x", tier="y")
    other = pods_labelled(("b", "In", ("1",)), ("a", "Exists", ()), tier="y", app="x")
    assert label_terms(one) == label_terms(other)
    assert label_terms(None) is None
    assert label_terms(pods_labelled()) == ()


@pytest.mark.parametrize(
    ("constraint", "want"),
    [
        pytest.param(evenly(APP, ZONE), (1, ZONE, True, (X,), 1, True, False), id="defaults"),
        pytest.param(
            evenly(APP, ZONE, skew=2, soft=True), (2, ZONE, False, (X,), 1, True, False), id="soft"
        ),
        pytest.param(
            evenly(APP, ZONE, min_domains=3, affinity_policy="Ignore", taints_policy="Honor"),
            (1, ZONE, True, (X,), 3, False, True),
            id="policies",
        ),
        pytest.param(
            evenly(APP, ZONE, same_labels=["rev", "none"]),
            (1, ZONE, True, (X, Requirement("rev", "In", ("7",))), 1, True, False),
            id="own-labels",
        ),
        pytest.param(
            evenly(None, ZONE, same_labels=["rev"]),
            (1, ZONE, True, None, 1, True, False),
            id="no-selector",
        ),
    ],
)
def test_constraints_are_filled_in(constraint: object, want: tuple[object, ...]) -> None:
    pod = make_pod().label("rev", "7").spread(constraint)  # type: ignore[arg-type]
    assert pod.info().spread == (want,)


def test_only_controllers_whose_selectors_matter_are_kept() -> None:
    pod = make_pod().ns("a")
    assert pod.owned_by("ReplicaSet", "web").info().controller == ControllerKey(
        "ReplicaSet", "a", "web"
    )
    assert pod.owned_by("Job", "j", api_version="batch/v1").info().controller is None
    assert pod.owned_by("ReplicaSet", "web", api_version="v1").info().controller is None


@pytest.mark.parametrize(
    "changed",
    [
        make_pod().near(term(APP)),
        make_pod().spread(evenly(APP)),
        make_pod().owned_by("ReplicaSet", "web"),
    ],
)
def test_pods_with_other_terms_are_no_twins(changed: PodBuilder) -> None:
    assert not is_twin(make_pod().info(), changed.info())
    assert is_twin(changed.info(), changed.named("q").info())


@pytest.mark.parametrize(
    ("operator", "values", "on_x", "on_none"),
    [
        ("In", ("x", "y"), True, False),
        ("In", ("y",), False, False),
        ("NotIn", ("x",), False, True),
        ("NotIn", ("y",), True, True),
        ("Exists", (), True, False),
        ("DoesNotExist", (), False, True),
        ("Unheard", (), False, False),
    ],
)
def test_selectors(operator: str, values: tuple[str, ...], on_x: bool, on_none: bool) -> None:
    selector = (Requirement("app", operator, values),)
    assert selects(selector, {"app": "x"}) is on_x
    assert selects(selector, {}) is on_none


def test_the_most_telling_label_is_looked_up() -> None:
    exists, one = Requirement("a", "Exists", ()), Requirement("b", "In", ("1",))
    two, never = Requirement("c", "In", ("1", "2")), Requirement("d", "NotIn", ("1",))
    assert anchor_of((exists, two, one, never)) == Anchor("b", ("1",))
    assert anchor_of((exists, never)) == Anchor("a", ())
    assert anchor_of((never,)) is None
    assert anchor_of(()) is None
    assert anchor_of(None) is None
