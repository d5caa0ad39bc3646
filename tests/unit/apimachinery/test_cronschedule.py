from __future__ import annotations

import pytest

from kubegang.apimachinery.cronschedule import Field, ScheduleError, parse_schedule


def test_a_star_is_every_value_and_remembered_as_such() -> None:
    assert parse_schedule("* * * * *").hours == Field(frozenset(range(24)), any=True)


@pytest.mark.parametrize(
    ("minutes", "values"),
    [
        ("5", {5}),
        ("1,2", {1, 2}),
        ("10-12", {10, 11, 12}),
        ("*/20", {0, 20, 40}),
        ("50/4", {50, 54, 58}),
        ("10-20/5", {10, 15, 20}),
    ],
)
def test_a_field_lists_values_ranges_and_steps(minutes: str, values: set[int]) -> None:
    assert parse_schedule(f"{minutes} * * * *").minutes == Field(frozenset(values))


def test_months_and_days_have_names() -> None:
    schedule = parse_schedule("0 0 * JAN mon-wed")
    assert schedule.months.values == {1}
    assert schedule.weekdays.values == {1, 2, 3}


def test_a_word_stands_for_a_schedule() -> None:
    assert parse_schedule("@weekly") == parse_schedule("0 0 * * 0")


@pytest.mark.parametrize(
    ("text", "seconds"), [("90m", 5400), ("1h30m5s", 5405), ("1ms", 1), ("-5s", 1)]
)
def test_a_distance_is_in_whole_seconds(text: str, seconds: int) -> None:
    assert parse_schedule(f"@every {text}").every_seconds == seconds


def test_a_time_zone_may_stand_in_front() -> None:
    assert parse_schedule("TZ=Asia/Tokyo 0 6 * * *").time_zone == "Asia/Tokyo"


# The texts are those of kube-apiserver 1.37.2.
@pytest.mark.parametrize(
    ("text", "problem"),
    [
        ("", "empty spec string"),
        ("* * * *", "expected exactly 5 fields, found 4: [* * * *]"),
        ("@foo", "unrecognized descriptor: @foo"),
        ("60 * * * *", "end of range (60) above maximum (59): 60"),
        ("* * 0 * *", "beginning of range (0) below minimum (1): 0"),
        ("*/0 * * * *", "step of range should be a positive number: */0"),
        ("5-2 * * * *", "beginning of range (5) beyond end of range (2): 5-2"),
        ("1-2-3 * * * *", "too many hyphens: 1-2-3"),
        ("1/2/3 * * * *", "too many slashes: 1/2/3"),
        (
            "x * * * *",
            'failed to parse int from x: strconv.Atoi: parsing "x": invalid syntax',
        ),
        ("@every x", 'failed to parse duration @every x: time: invalid duration "x"'),
    ],
)
def test_what_is_no_schedule_says_why(text: str, problem: str) -> None:
    with pytest.raises(ScheduleError) as error:
        parse_schedule(text)
    assert str(error.value) == problem
