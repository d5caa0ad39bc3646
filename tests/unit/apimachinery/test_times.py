"""Times; refusals are worded as kube-apiserver 1.37.2 words them."""

from __future__ import annotations

import pytest

from kubegang.apimachinery import times
from kubegang.apimachinery.times import TimeError

SECONDS = '"2006-01-02T15:04:05Z07:00"'
MICRO = '"2006-01-02T15:04:05.000000Z07:00"'


def test_times_are_written_in_utc() -> None:
    assert times.format_time(1795976113.9) == "2026-11-29T18:15:13Z"
    assert times.format_micro_time(1795976113.00025) == "2026-11-29T18:15:13.000250Z"
    assert times.format_time(-1) == "1969-12-31T23:59:59Z"


def test_any_offset_is_understood() -> None:
    assert times.normalize_time("2020-01-01T00:00:00.123456789+05:30") == "2019-12-31T18:30:00Z"
    assert times.normalize_time("2020-01-01T00:00:00-01:00") == "2020-01-01T01:00:00Z"
    assert times.parse_time("1970-01-01T00:00:01.5Z") == 1.5
    assert times.normalize_micro_time("2020-01-01T00:00:00,123456+01:00") == (
        "2019-12-31T23:00:00.123456Z"
    )
    assert times.parse_micro_time("1970-01-01T00:00:00.250000Z") == 0.25


def test_the_zero_time_stays_readable() -> None:
    assert times.normalize_time(times.ZERO_TIME) == times.ZERO_TIME


@pytest.mark.parametrize(
    ("text", "want"),
    [
        ("x", f'"x" as {SECONDS}: cannot parse "x" as "2006"'),
        ("", f'"" as {SECONDS}: cannot parse "" as "2006"'),
        (
            "2020-01-01T00:00:00",
            f'"2020-01-01T00:00:00" as {SECONDS}: cannot parse "" as "Z07:00"',
        ),
        (
            "2020-01-01 00:00:00Z",
            f'"2020-01-01 00:00:00Z" as {SECONDS}: cannot parse " 00:00:00Z" as "T"',
        ),
        ("2020-01-01T00:00Z", f'"2020-01-01T00:00Z" as {SECONDS}: cannot parse "Z" as ":"'),
        ("2020-13-01T00:00:00Z", '"2020-13-01T00:00:00Z": month out of range'),
        ("2020-02-30T00:00:00Z", '"2020-02-30T00:00:00Z": day out of range'),
        ("2020-01-01T25:00:00Z", '"2020-01-01T25:00:00Z": hour out of range'),
        ("2020-01-01T00:60:00Z", '"2020-01-01T00:60:00Z": minute out of range'),
        ("2020-01-01T00:00:60Z", '"2020-01-01T00:00:60Z": second out of range'),
        ("2020-01-01T00:00:00Zx", '"2020-01-01T00:00:00Zx": extra text: "x"'),
    ],
)
def test_a_refused_time_says_where_it_goes_wrong(text: str, want: str) -> None:
    with pytest.raises(TimeError) as refused:
        times.parse_time(text)
    assert str(refused.value) == f"parsing time {want}"


@pytest.mark.parametrize(
    ("text", "want"),
    [
        ("2020-01-01T00:00:00Z", f'as {MICRO}: cannot parse "Z" as ".000000"'),
        ("2020-01-01T00:00:00.5Z", f'as {MICRO}: cannot parse ".5Z" as ".000000"'),
        ("2020-01-01T00:00:00.1234567Z", f'as {MICRO}: cannot parse "7Z" as "Z07:00"'),
    ],
)
def test_micro_times_have_exactly_six_places(text: str, want: str) -> None:
    with pytest.raises(TimeError) as refused:
        times.parse_micro_time(text)
    assert str(refused.value) == f'parsing time "{text}" {want}'


@pytest.mark.parametrize(
    ("seconds", "want"),
    [
        (-2, "<invalid>"),
        (-1, "0s"),
        (0, "0s"),
        (119, "119s"),
        (120, "2m"),
        (330, "5m30s"),
        (600, "10m"),
        (10799, "179m"),
        (10800, "3h"),
        (5 * 3600 + 60, "5h1m"),
        (8 * 3600, "8h"),
        (47 * 3600, "47h"),
        (48 * 3600, "2d"),
        (52 * 3600, "2d4h"),
        (8 * 86400, "8d"),
        (729 * 86400, "729d"),
        (730 * 86400, "2y"),
        (731 * 86400, "2y1d"),
        (8 * 365 * 86400, "8y"),
    ],
)
def test_ages_are_short(seconds: float, want: str) -> None:
    assert times.human_duration(seconds) == want


@pytest.mark.parametrize(
    ("seconds", "want"),
    [
        (0, "0s"),
        (0.02, "20ms"),
        (10, "10s"),
        (299.9998, "5m0s"),
        (250.5, "4m10.5s"),
        (3600, "1h0m0s"),
        (-1.5, "-1.5s"),
    ],
)
def test_durations_as_go_prints_them(seconds: float, want: str) -> None:
    assert times.go_duration(seconds) == want
