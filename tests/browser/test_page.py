"""The page in headless Chromium: what people see, reach with the keyboard, and hear read out."""

from __future__ import annotations

from typing import Any

import pytest

from kubegang.apimachinery.objects import JsonObject
from tests.browser.pageprocess import AXE, PATIENCE_MILLISECONDS, Cluster

pytestmark = [pytest.mark.browser, pytest.mark.timeout(180)]

SERIOUS = ("serious", "critical")
RUN_AXE = "async () => (await axe.run()).violations"


def training_job(name: str, *, pods: int, cpu: str) -> JsonObject:
    """A Job whose pods start together or not at all, on nodes made for it alone."""
    container = {
        "name": "main",
        "image": "registry.example/train:1",
        "resources": {"requests": {"cpu": cpu}},
    }
    return {
        "apiVersion": "batch/v1",
        "kind": "Job",
        "metadata": {"name": name, "namespace": "default"},
        "spec": {
            "parallelism": pods,
            "completions": pods,
            "completionMode": "Indexed",
            "scheduling": {"schedulingPolicy": {"gang": {}}},
            "template": {
                "spec": {
                    "restartPolicy": "Never",
                    "nodeSelector": {"for": name},
                    "containers": [container],
                }
            },
        },
    }


def node(name: str, *, cpu: str, job: str) -> JsonObject:
    """A node for one job: the tests come in any order and share a cluster."""
    room = {"cpu": cpu, "memory": "8Gi", "pods": "110"}
    return {
        "apiVersion": "v1",
        "kind": "Node",
        "metadata": {"name": name, "labels": {"for": job}},
        "status": {"capacity": room, "allocatable": room},
    }


def row(page: Any, name: str, state: str) -> Any:
    """Return the row of a gang, once it is in a state."""
    found = page.locator(f'#gangs tbody tr[data-state="{state}"]').filter(
        has=page.get_by_role("button", name=name, exact=True)
    )
    found.wait_for(timeout=PATIENCE_MILLISECONDS)
    return found


def test_a_gang_is_seen_waiting_with_its_reason_and_running_once_a_node_is_added(
    cluster: Cluster, page: Any
) -> None:
    cluster.apply(node("small", cpu="2", job="train"), training_job("train", pods=2, cpu="2"))
    waiting = row(page, "train", "unschedulable")
    why = waiting.inner_text()

    cluster.apply(node("large", cpu="2", job="train"))
    running = row(page, "train", "running")
    page.locator("#domains h3", has_text="large").wait_for(timeout=PATIENCE_MILLISECONDS)

    assert "needs 2 pods at once in the cluster; 1 finds room" in why
    assert "1 Insufficient cpu" in why
    assert "2 of 2 pods placed" in running.inner_text()
    told = page.locator("#story").inner_text()
    assert told.index("starts whole: 2 of 2 pods bound") < told.index("waits: needs 2 pods")


def test_the_keyboard_opens_an_explanation_and_closes_it_again(cluster: Cluster, page: Any) -> None:
    cluster.apply(training_job("by-keyboard", pods=3, cpu="999"))
    button = row(page, "by-keyboard", "unschedulable").get_by_role("button")
    dialog = page.get_by_role("dialog")

    button.focus()
    page.keyboard.press("Enter")
    dialog.get_by_text("What would let it start").wait_for(timeout=PATIENCE_MILLISECONDS)
    told = dialog.inner_text()
    page.keyboard.press("Escape")

    assert "add 3 nodes with 999 cpu" in told
    assert not dialog.is_visible()
    assert page.evaluate("document.activeElement.textContent") == "by-keyboard"


def test_a_supposition_tells_what_would_start(cluster: Cluster, page: Any) -> None:
    cluster.apply(
        node("huge", cpu="500", job="supposed"), training_job("supposed", pods=2, cpu="400")
    )
    row(page, "supposed", "unschedulable")

    page.get_by_label("add").fill("1")
    page.get_by_label("like").fill("huge")
    page.get_by_role("button", name="Suppose", exact=True).click()

    answer = page.locator("#what-if-answer")
    answer.get_by_text("supposed would start: 2 pods would get a node").wait_for(
        timeout=PATIENCE_MILLISECONDS
    )


@pytest.mark.parametrize("scheme", ["light", "dark"])
def test_axe_finds_no_serious_fault(cluster: Cluster, page: Any, scheme: str) -> None:
    cluster.apply(
        node("any", cpu="2", job="anybody"), training_job(f"looked-at-{scheme}", pods=3, cpu="999")
    )
    page.emulate_media(color_scheme=scheme)
    button = row(page, f"looked-at-{scheme}", "unschedulable").get_by_role("button")
    faults = serious_faults(page)
    button.click()
    page.get_by_role("dialog").get_by_text("What happened").wait_for(timeout=PATIENCE_MILLISECONDS)

    assert faults == []
    assert serious_faults(page) == []


def serious_faults(page: Any) -> list[str]:
    """Let axe look at the page; it is evaluated past the page's own policy for scripts."""
    page.evaluate(AXE.read_text(encoding="utf-8"))
    return [
        f"{fault['id']}: {[one['html'] for one in fault['nodes']]}"
        for fault in page.evaluate(RUN_AXE)
        if fault["impact"] in SERIOUS
    ]


def test_an_address_that_was_used_shows_nobody_anything(cluster: Cluster, browser: Any) -> None:
    address = cluster.next_address()
    first, second = browser.new_context(), browser.new_context()
    seen = first.new_page()
    seen.goto(address)
    seen.get_by_role("heading", name="Gangs").wait_for()
    refused = second.new_page()
    answer = refused.goto(address)

    assert answer.status == 401
    assert "good for one login" in refused.inner_text("main")
    first.close()
    second.close()


def test_on_a_phone_nothing_is_wider_than_the_screen(cluster: Cluster, page: Any) -> None:
    cluster.apply(
        node("any", cpu="2", job="anybody"), training_job("small-screen", pods=3, cpu="999")
    )
    page.set_viewport_size({"width": 360, "height": 740})
    row(page, "small-screen", "unschedulable")

    assert page.evaluate("document.documentElement.scrollWidth") == 360
