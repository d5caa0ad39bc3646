"""Names by upstream's hash rule, and index sets in their compact form."""

from __future__ import annotations

import pytest

from kubegang.controllers.job.indexes import format_indexes, parse_indexes
from kubegang.controllers.job.names import pod_group_name, template_name, workload_name


def test_names_are_those_that_the_real_controller_gave() -> None:
    workload = workload_name("plain", "f982d9b9-ad76-4bc2-8bb4-53268cbd7737")

    assert workload == "plain-6cc7764d98"
    assert template_name("plain") == "plain-pgt-0"
    assert pod_group_name(workload, "plain-pgt-0") == "plain-6cc7764d98-plain-pgt-0-7bf89587c4"


@pytest.mark.parametrize(
    ("indexes", "text"),
    [
        pytest.param([], "", id="none"),
        pytest.param([3], "3", id="one"),
        pytest.param([1, 2], "1,2", id="a pair has no dash"),
        pytest.param([0, 2, 3, 4, 7], "0,2-4,7", id="a run of three has one"),
    ],
)
def test_index_sets_have_the_compact_form(indexes: list[int], text: str) -> None:
    assert format_indexes(indexes) == text
    assert parse_indexes(text, completions=10) == frozenset(indexes)


def test_indexes_past_the_completions_are_dropped() -> None:
    assert parse_indexes("0-5,9", completions=4) == frozenset({0, 1, 2, 3})
