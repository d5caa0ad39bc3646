"""Equal events are counted, similar ones combined, floods cut."""

from __future__ import annotations

from typing import Any

from kubegang.controllers.correlation import BURST, COMBINED, Correlator, Sighting

JOB = {"kind": "Job", "metadata": {"name": "j", "uid": "u"}}


def see(
    correlator: Correlator, message: str, *, now: float = 0.0, obj: dict[str, Any] = JOB
) -> Sighting | None:
    return correlator.see(
        obj,
        type_="Normal",
        reason="Created",
        message=message,
        name=f"j.{message}",
        now=now,
        steady=now,
    )


def test_an_equal_event_is_one_more_of_the_first() -> None:
    correlator = Correlator()

    see(correlator, "same", now=1)
    again = see(correlator, "same", now=5)

    assert again is not None
    assert (again.count, again.name, again.first, again.last) == (2, "j.same", 1, 5)


def test_the_tenth_message_of_a_reason_is_combined() -> None:
    correlator = Correlator()

    seen = [see(correlator, str(number)) for number in range(12)]

    told = [(s.message, s.count) for s in seen if s is not None]
    assert told[8] == ("8", 1)
    assert told[9:] == [(COMBINED + "9", 1), (COMBINED + "10", 2), (COMBINED + "11", 3)]


def test_after_a_quiet_time_messages_are_told_one_by_one_again() -> None:
    correlator = Correlator()
    for number in range(12):
        see(correlator, str(number))

    later = see(correlator, "later", now=601)

    assert later is not None
    assert later.message == "later"


def test_too_many_events_about_one_object_are_dropped_for_a_while() -> None:
    correlator = Correlator()

    told = [see(correlator, "same") is not None for _ in range(BURST + 2)]

    assert told == [True] * BURST + [False, False]
    assert see(correlator, "same", now=299) is None
    assert see(correlator, "same", now=301) is not None
    assert see(correlator, "x", obj={"kind": "Job", "metadata": {"name": "k", "uid": "v"}})


def test_events_that_name_their_objects_without_uid_are_of_different_objects() -> None:
    correlator = Correlator()

    for number in range(12):
        pod = {"kind": "Pod", "metadata": {"namespace": "n", "name": f"p{number}"}}
        seen = see(correlator, str(number), obj=pod)
        assert seen is not None
        assert seen.message == str(number)
