"""Events: series, retries, limits."""

from __future__ import annotations

import pytest
from structlog.testing import capture_logs

from kubegang.apimachinery.errors import (
    ApiError,
    ForbiddenError,
    InvalidError,
    NotFoundError,
)
from kubegang.apimachinery.objects import JsonObject
from kubegang.client.interface import UnreachableError
from kubegang.scheduler.binder.events import NOTE_LIMIT, EventRecorder
from kubegang.scheduler.binder.references import pod_reference
from tests.unit.scheduler.binder.acting import Acting
from tests.unit.scheduler.queue.stage import StageClock, make_pod_info

POD = make_pod_info("p")


class Told:
    """A recorder on its own clock, and what it sent."""

    def __init__(self) -> None:
        self.acting = Acting()
        self.clock = StageClock()
        self.recorder = EventRecorder(
            self.acting.client, self.acting.dispatcher, clock=self.clock, host="here"
        )

    async def tell(self, note: str = "no room", reference: JsonObject | None = None) -> None:
        self.recorder.record(
            reference or pod_reference(POD),
            type="Warning",
            reason="FailedScheduling",
            action="Scheduling",
            note=note,
            controller="default-scheduler",
        )
        await self.acting.flush()

    async def pass_time(self, seconds: float) -> None:
        self.clock.time += seconds
        self.recorder.tick()
        await self.acting.flush()

    def bodies(self, method: str) -> list[JsonObject]:
        return [s.body for s in self.acting.client.sent(method=method) if isinstance(s.body, dict)]

    def counts(self) -> list[int]:
        return [body["series"]["count"] for body in self.bodies("PATCH")]


@pytest.fixture
def told() -> Told:
    return Told()


async def test_the_second_alike_event_makes_a_series_whatever_it_says(told: Told) -> None:
    await told.tell("one reason")
    await told.tell("another reason")
    assert (len(told.bodies("POST")), told.counts()) == (1, [2])
    assert told.acting.client.sent(method="PATCH")[0].path.endswith(
        told.bodies("POST")[0]["metadata"]["name"]
    )


async def test_later_ones_are_only_counted_until_the_series_ends(told: Told) -> None:
    for _ in range(5):
        await told.tell()
    await told.pass_time(100)
    assert told.counts() == [2]
    await told.pass_time(300)
    assert told.counts() == [2, 5]
    await told.tell()
    assert len(told.bodies("POST")) == 2


async def test_a_long_series_is_written_now_and_then(told: Told) -> None:
    for _ in range(12):
        await told.tell()
        await told.pass_time(180)
    assert told.counts() == [2, 12]


async def test_another_version_of_the_object_is_not_alike(told: Told) -> None:
    await told.tell()
    await told.tell(reference={**pod_reference(POD), "resourceVersion": "2"})
    assert (len(told.bodies("POST")), told.counts()) == (2, [])


async def test_a_series_whose_event_expired_is_written_anew(told: Told) -> None:
    await told.tell()
    told.acting.client.fail(NotFoundError("gone"), method="PATCH")
    await told.tell()
    first, second = told.bodies("POST")
    assert first["metadata"]["name"] == second["metadata"]["name"]
    assert second["series"]["count"] == 2


async def test_what_could_not_be_sent_is_tried_again(told: Told) -> None:
    told.acting.client.fail(UnreachableError("refused"), method="POST")
    await told.tell()
    assert told.recorder.next_tick() == told.clock.time + 10
    await told.pass_time(10)
    assert (told.recorder.next_tick(), len(told.bodies("POST"))) == (None, 2)


async def test_a_refused_event_is_dropped(told: Told) -> None:
    told.acting.client.fail(InvalidError("bad"), method="POST")
    await told.tell()
    await told.pass_time(10)
    assert len(told.bodies("POST")) == 1


@pytest.mark.parametrize(
    ("error", "lines"),
    [
        (NotFoundError('namespaces "default" not found'), 0),
        (ForbiddenError("… because it is being terminated"), 0),
        (ForbiddenError("… you may not"), 1),
    ],
)
async def test_an_event_of_a_namespace_that_goes_is_dropped_without_a_word(
    told: Told, error: ApiError, lines: int
) -> None:
    told.acting.client.fail(error, method="POST")
    with capture_logs() as logs:
        await told.tell()
    assert len(logs) == lines


async def test_a_long_note_is_cut_as_upstream_cuts_it(told: Told) -> None:
    await told.tell("x" * 2000)
    (event,) = told.bodies("POST")
    assert (len(event["note"]), event["note"][-5:]) == (NOTE_LIMIT, "x ...")


async def test_names_stay_different_within_one_moment(told: Told) -> None:
    for version in ("1", "2", "3"):
        await told.tell(reference={**pod_reference(POD), "resourceVersion": version})
    assert len({event["metadata"]["name"] for event in told.bodies("POST")}) == 3
