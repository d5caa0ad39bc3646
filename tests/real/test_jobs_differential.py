"""Random Jobs on the real controllers and on ours: the same must happen to both."""

from __future__ import annotations

import asyncio
import difflib
import re
import uuid
from collections.abc import Iterator, Sequence

import msgspec
import pytest

from kubegang.apimachinery.errors import ApiError
from kubegang.apimachinery.objects import JsonObject
from kubegang.base.clock import RealClock
from kubegang.client.interface import Client
from kubegang.controllers.job.jobs import is_finished, started_at
from kubegang.controllers.ttlafterfinished.controller import expires_at
from tests.joblife.cases import make_case
from tests.joblife.player import Player, prepare
from tests.joblife.steps import Case, CreateOther, DeleteJob, MovePods, Step
from tests.joblife.view import View
from tests.joblife.words import as_text
from tests.real.planes import Planes, Setup, both_planes, client_of
from tests.real.seeds import chosen_seeds

COUNT = "KUBEGANG_JOB_CASES"
"""In the environment: how many cases; or seeds, as ``100-180,17,23``."""

AT_ONCE = 12
ATTEMPTS = 2
"""What differs by chance, such as pods made just before and just after the end of a second,
does not do so again."""

QUIET_SECONDS = 2.5
"""Nothing changes for so long: longer than the controllers' longest habitual pause."""

LOOK_SECONDS = 0.8
PATIENCE_SECONDS = 40.0
BACKOFF_SECONDS = 24.0
"""After a failure pods may come so late."""

SOON_SECONDS = 20.0
"""Deadlines so near are waited for, so that none falls between two steps."""

DUMP = re.compile(r"spec\.template: Invalid value: \{.*\}")

JOBS_GATE = ("WorkloadWithJob",)
SETUPS = {
    "1.37": Setup(),
    "1.36": Setup(release="1.36"),
    "1.35": Setup(release="1.35"),
    "1.37 without the gate in the controllers": Setup(off_in_controllers=JOBS_GATE),
    "1.36 without the gate in the controllers": Setup(release="1.36", off_in_controllers=JOBS_GATE),
    "1.37 without PodGroups": Setup(
        unserved=("scheduling.k8s.io/v1beta1", "scheduling.k8s.io/v1alpha3")
    ),
}
RARE = 3
"""Mixed gates are tried with so many times fewer cases."""

pytestmark = [pytest.mark.real, pytest.mark.timeout(3600)]


@pytest.fixture(scope="module", params=SETUPS)
def setup(request: pytest.FixtureRequest) -> Setup:
    return SETUPS[request.param]


@pytest.fixture(scope="module")
def planes(setup: Setup, tmp_path_factory: pytest.TempPathFactory) -> Iterator[Planes]:
    directory = tmp_path_factory.mktemp("planes")
    with both_planes(directory, setup) as started:
        yield started


async def test_random_jobs_fare_the_same_with_both_controllers(
    planes: Planes, setup: Setup
) -> None:
    clients = [client_of(path) for path in planes]
    limit = asyncio.Semaphore(AT_ONCE)

    async def compare_one(seed: int) -> str:
        for _ in range(ATTEMPTS):
            async with limit:
                difference = await compare(make_case(seed), clients, setup.release)
            if not difference:
                break
        return difference

    try:
        await asyncio.gather(*(prepare(client) for client in clients))
        # Admission learns of the new PriorityClasses by watching.
        await RealClock().sleep(1)
        rarer_by = 1 if setup == Setup(release=setup.release) else RARE
        differences = await asyncio.gather(
            *(compare_one(seed) for seed in chosen_seeds(COUNT, 12, rarer_by=rarer_by))
        )
    finally:
        for client in clients:
            await client.close()

    told = [difference for difference in differences if difference]
    assert not told, f"{len(told)} cases differ\n" + "\n\n".join(told)


async def compare(case: Case, clients: Sequence[Client], release: str) -> str:
    """Play a case on both clusters; return the first difference, or an empty text."""
    namespace = f"case-{case.seed}-{uuid.uuid4().hex[:6]}"
    players = [
        Player(client, case, namespace, clock=RealClock(), release=release) for client in clients
    ]
    done: list[Step] = []
    try:
        difference = await _play(players, case, done)
    except ApiError as error:
        # What one user could do, the other could not.
        difference = f"refused to one: {error}"
    await asyncio.gather(*(player.end() for player in players))
    if not difference:
        return ""
    story = msgspec.json.encode(msgspec.structs.replace(case, steps=done)).decode()
    return f"seed {case.seed}, real - and ours +:\n{difference}\nin {story}"


async def _play(players: list[Player], case: Case, done: list[Step]) -> str:
    """Play a case as long as both sides fare the same; collect the steps that were done."""
    await asyncio.gather(*(player.begin() for player in players))
    difference, views = await settle(players, failed=False)
    for step in case.steps:
        if difference:
            break
        await asyncio.gather(
            *(player.do(step, view) for player, view in zip(players, views, strict=True))
        )
        done.append(step)
        difference, views = await settle(players, failed=_costs_a_pause(step))
        if isinstance(step, DeleteJob):
            # Whether the Job waits for a group that waits for pods is a race among the
            # collector's workers; the pods end with the next step.
            difference = ""
    return difference


def _costs_a_pause(step: Step) -> bool:
    """Return whether the controllers may wait before they go on after a step."""
    if isinstance(step, MovePods):
        return step.what in ("fail", "fail-init", "disrupt", "misconfigure", "delete")
    return isinstance(step, CreateOther)


async def settle(players: list[Player], *, failed: bool) -> tuple[str, list[View]]:
    """Wait until nothing changes any more; return the difference, and what is seen."""
    clock = RealClock()
    started = quiet_since = clock.now()
    views = [await player.see() for player in players]
    while True:
        await clock.sleep(LOOK_SECONDS)
        seen = [await player.see() for player in players]
        now = clock.now()
        if [view.versions for view in seen] != [view.versions for view in views]:
            quiet_since = now
        views = seen
        if now - quiet_since < QUIET_SECONDS:
            continue
        waits_for_pods = failed and any(map(lacks_pods, views))
        is_due = any(something_is_due(view, now) for view in views)
        if now - started < BACKOFF_SECONDS and (waits_for_pods or is_due):
            continue
        told = difference_of(players, views)
        if not told or now - started > PATIENCE_SECONDS:
            return told, views


def lacks_pods(view: View) -> bool:
    """Return whether some Job will have more pods sooner or later."""
    for job in view.jobs:
        spec, status = job["spec"], job.get("status") or {}
        if job["metadata"].get("deletionTimestamp") or spec.get("suspend"):
            continue
        if any(c["type"] != "Suspended" for c in status.get("conditions") or []):
            continue
        left = spec.get("completions", spec["parallelism"]) - status.get("succeeded", 0)
        if status.get("active", 0) < min(left, spec["parallelism"]):
            return True
    return False


def something_is_due(view: View, now: float) -> bool:
    """Return whether a deadline of a Job is near, or was reached only now."""
    return any(
        now - QUIET_SECONDS < moment < now + SOON_SECONDS
        for job in view.jobs
        for moment in _moments(job)
    )


def _moments(job: JsonObject) -> Iterator[float]:
    due = expires_at(job)
    if due is not None:
        yield due
    started = started_at(job)
    if not is_finished(job) and started is not None and "activeDeadlineSeconds" in job["spec"]:
        yield started + job["spec"]["activeDeadlineSeconds"]


def difference_of(players: list[Player], views: list[View]) -> str:
    """Return how the second differs from the first, or an empty text."""
    real, own = (
        as_text({**view.objects, "refused": _refusals(player, view)}).splitlines()
        for player, view in zip(players, views, strict=True)
    )
    return "\n".join(difflib.unified_diff(real, own, "real", "ours", lineterm="", n=4))


def _refusals(player: Player, view: View) -> list[str]:
    """Return what the API said no to; values that it prints in its internal form are cut.

    That form is another one in each release, and no matter of controllers.
    """
    return sorted(
        DUMP.sub("spec.template: Invalid value: …", view.in_words(text)) for text in player.refused
    )
