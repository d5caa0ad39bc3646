"""The sentence that says why no node fits."""

from __future__ import annotations

import numpy as np

from kubegang.scheduler.framework.fiterror import count_reasons, fit_error
from kubegang.scheduler.framework.interface import Refusal
from kubegang.scheduler.framework.status import unschedulable


def test_reasons_are_sorted_as_printed_words() -> None:
    reasons = {"Insufficient cpu": 2, "Too many pods": 10, "Insufficient memory": 1}
    assert fit_error(13, reasons) == (
        "0/13 nodes are available: 1 Insufficient memory, 10 Too many pods, 2 Insufficient cpu."
    )


def test_without_reasons_the_sentence_ends_early() -> None:
    assert fit_error(0, {}) == "0/0 nodes are available:"


def test_a_node_with_two_reasons_counts_for_both() -> None:
    rows = np.arange(3, dtype=np.intp)
    refusals = [
        Refusal(rows[:2], unschedulable("Insufficient cpu", "Insufficient memory")),
        Refusal(rows[2:], unschedulable("Insufficient cpu")),
    ]
    assert count_reasons(refusals) == {"Insufficient cpu": 3, "Insufficient memory": 2}
