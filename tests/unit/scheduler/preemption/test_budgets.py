"""Which victims a disruption budget protects."""

from __future__ import annotations

import pytest

from kubegang.scheduler.preemption.budgets import BudgetBook
from kubegang.scheduler.preemption.units import VictimUnit, make_unit
from kubegang.testing.builders import BudgetBuilder, PodBuilder, make_budget, make_pod

WEB = make_pod("web").label("app", "web")
BUDGET = make_budget().selecting(app="web")


def unit(*pods: PodBuilder, found: int = 0) -> VictimUnit:
    return make_unit("pod", 10, [pod.info() for pod in pods], found=found)


def judged(units: list[VictimUnit], *budgets: BudgetBuilder) -> list[tuple[str, int]]:
    book = BudgetBook(budget.info() for budget in budgets)
    return [(each.unit.pods[0].name, each.violations) for each in book.judge(units)]


def test_protected_units_are_to_be_spared_first() -> None:
    units = [unit(make_pod("free")), unit(WEB)]
    assert judged(units, BUDGET) == [("web", 1), ("free", 0)]


def test_a_budget_is_used_up_in_the_order_of_importance() -> None:
    units = [unit(pod) for pod in WEB.times(3)]
    # The two most important are allowed to go, and so the third is what the budget protects.
    assert judged(units, BUDGET.allowing(2)) == [("web-2", 1), ("web-0", 0), ("web-1", 0)]


def test_one_protected_member_protects_the_whole_unit() -> None:
    units = [unit(make_pod("free"), WEB, make_pod("also")), unit(make_pod("other"))]
    assert judged(units, BUDGET) == [("free", 1), ("other", 0)]


def test_several_protected_members_count_each() -> None:
    assert judged([unit(*WEB.times(3))], BUDGET.allowing(1)) == [("web-0", 2)]


@pytest.mark.parametrize(
    "budget",
    [
        pytest.param(BUDGET.ns("other"), id="another-namespace"),
        pytest.param(make_budget().selecting(app="db"), id="other-labels"),
        pytest.param(make_budget(), id="no-selector"),
        pytest.param(make_budget().selecting(), id="empty-selector"),
        pytest.param(BUDGET.disrupted("web"), id="counted-already"),
        pytest.param(BUDGET.allowing(1), id="allowed"),
    ],
)
def test_a_budget_that_does_not_protect(budget: BudgetBuilder) -> None:
    assert judged([unit(WEB)], budget) == [("web", 0)]


def test_pods_without_labels_are_protected_by_nobody() -> None:
    assert judged([unit(make_pod("bare"))], BUDGET) == [("bare", 0)]


def test_of_two_budgets_the_stricter_one_protects() -> None:
    assert judged([unit(WEB)], BUDGET.allowing(5), BUDGET.named("c")) == [("web", 1)]


def test_every_judgement_starts_from_the_full_budgets() -> None:
    book = BudgetBook([BUDGET.allowing(1).info()])
    for _ in range(2):
        assert [each.violations for each in book.judge([unit(WEB)])] == [0]
