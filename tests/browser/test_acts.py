"""A page that may change its cluster: by keyboard, with a dialog that names what is changed."""

from __future__ import annotations

from collections.abc import Iterator
from typing import Any

import pytest

from tests.browser.pageprocess import PATIENCE_MILLISECONDS, Cluster
from tests.browser.test_page import node, row, serious_faults, training_job
from tests.system.upprocess import up

pytestmark = [pytest.mark.browser, pytest.mark.timeout(180)]


@pytest.fixture(scope="module")
def cluster(tmp_path_factory: pytest.TempPathFactory) -> Iterator[Cluster]:
    """A cluster that its page may change."""
    with up(tmp_path_factory.mktemp("changing"), "--in-memory", "--page-allow-changes") as started:
        yield Cluster(started)


def confirm(page: Any, dialog: Any, word: str) -> None:
    """Say yes by keyboard: the way out has the focus first."""
    dialog.get_by_role("button", name=word, exact=True).wait_for(timeout=PATIENCE_MILLISECONDS)
    assert page.evaluate("document.activeElement.textContent") == "Cancel"
    page.keyboard.press("Tab")
    page.keyboard.press("Enter")
    dialog.get_by_text("Done.").wait_for(timeout=PATIENCE_MILLISECONDS)
    page.keyboard.press("Escape")


def test_the_keyboard_cordons_a_node_and_deletes_a_gang(cluster: Cluster, page: Any) -> None:
    cluster.apply(node("n1", cpu="4", job="train"), training_job("train", pods=2, cpu="2"))
    gang = row(page, "train", "running").get_by_role("button")
    dialog = page.get_by_role("dialog")

    page.get_by_role("button", name="Cordon n1").focus()
    page.keyboard.press("Enter")
    asked, faults = dialog.inner_text(), serious_faults(page)
    confirm(page, dialog, "Cordon")
    uncordon = page.get_by_role("button", name="Uncordon n1")
    uncordon.wait_for(timeout=PATIENCE_MILLISECONDS)
    cluster.kubectl("wait", "--for=jsonpath={.spec.unschedulable}=true", "node/n1")

    assert "Node n1: takes no further pods; those on it stay" in asked
    assert faults == []

    gang.focus()
    page.keyboard.press("Enter")
    delete = dialog.get_by_role("button", name="Delete Job train …")
    delete.wait_for(timeout=PATIENCE_MILLISECONDS)
    delete.focus()
    page.keyboard.press("Enter")
    dialog.get_by_text("Will be deleted").wait_for(timeout=PATIENCE_MILLISECONDS)
    asked, faults = dialog.inner_text(), serious_faults(page)
    confirm(page, dialog, "Delete")
    gang.wait_for(state="detached", timeout=PATIENCE_MILLISECONDS)
    cluster.kubectl("wait", "--for=delete", "job/train", "--timeout=60s")

    deleted, _, follows = asked.partition("Goes with it")
    assert deleted.count("Job default/train") == 1
    assert "Pod " not in deleted
    assert follows.count("Pod default/train-") == 2
    assert follows.count("PodGroup default/") == 1
    assert faults == []
    assert serious_faults(page) == []
