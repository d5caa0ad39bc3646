"""How far one unit has come, and which lines a moment is worth.

A unit rises and falls between three levels:

    nothing bound ──▶ a part bound ──▶ all bound
          ▲                │               │
          └── failed, evicted, deleted, or waiting for room

Rising is told, and falling by what caused it. A pod that follows one that has succeeded
changes no level, so a Job that works through a thousand completions is told twice. Pure.
"""

from __future__ import annotations

import re
from collections import Counter
from collections.abc import Hashable, Iterator, Sequence
from typing import Literal, NamedTuple

import msgspec

from kubegang.apimachinery.times import human_duration
from kubegang.scheduler.cycle.decision import Diagnosis
from kubegang.scheduler.framework.pods import PodUid
from kubegang.tools.records import Happened, Happening, JobRecord, PodRecord
from kubegang.tools.workunits import WorkUnit, count_of

EntryKind = Literal[
    "submitted",
    "suspended",
    "resumed",
    "evicted",
    "deleted",
    "pods-failed",
    "restarted",
    "started",
    "partly-started",
    "waits",
    "succeeded",
    "failed",
]

_NOTHING, _PART, _ALL = 0, 1, 2
_MOST_DETAILS = 3
_NUMBER = re.compile(r"\d+")


class Line(msgspec.Struct, frozen=True):
    """What a moment is worth telling about one unit.

    Attributes:
        shared: the text where the same is told of several single pods at once.
        same: lines of one kind with equal values here say the same.
    """

    kind: EntryKind
    message: str
    pods: int = 0
    shared: str = ""
    same: Hashable = None


class _PodStep(NamedTuple):
    """What happened to one pod."""

    pod: PodRecord
    detail: str


class _PodsOfMoment:
    """What happened to a unit's pods at one moment, by kind."""

    def __init__(self, happenings: Sequence[Happening]) -> None:
        self._steps: dict[Happened, list[_PodStep]] = {}
        for happening in happenings:
            if isinstance(happening.subject, PodRecord):
                step = _PodStep(happening.subject, happening.detail)
                self._steps.setdefault(happening.what, []).append(step)

    def of(self, what: Happened) -> list[_PodStep]:
        """Return the steps of a kind."""
        return self._steps.get(what, [])

    def number(self, what: Happened) -> int:
        """Return how many pods it happened to."""
        return len(self.of(what))

    def details(self, what: Happened) -> tuple[str, ...]:
        """Return the different details, first seen first."""
        return tuple(dict.fromkeys(step.detail for step in self.of(what)))


class UnitProgress:
    """Counts a unit's pods; ``lines`` takes one moment after the other, in order."""

    def __init__(self, unit: WorkUnit, *, min_count: int | None) -> None:
        """Begin before anything happened.

        Args:
            unit: what is told about.
            min_count: the minimum of its gang; ``None`` if it is no gang.
        """
        self._unit = unit
        self._min_count = min_count
        self._known = False
        self._pending: set[PodUid] = set()
        self._bound: set[PodUid] = set()
        self._restarted: set[PodUid] = set()
        self._ended: Counter[str] = Counter()
        self._level = _NOTHING
        self._first_start: float | None = None
        self._said: Hashable = None

    def lines(self, happenings: Sequence[Happening], *, at: float) -> Iterator[Line]:
        """Take in one moment and yield what it is worth, causes before effects."""
        pods = _PodsOfMoment(happenings)
        for happening in happenings:
            if isinstance(happening.subject, PodRecord):
                self._count(happening.what, happening.subject.uid)
        job = {h.what: h for h in happenings if isinstance(h.subject, JobRecord)}
        yield from self._beginning(pods, job)
        yield from self._losses(pods)
        yield from self._rise(pods, at=at)
        yield from self._waits([h.diagnosis for h in happenings if h.diagnosis is not None])
        yield from self._end(pods, job, at=at)

    def _count(self, what: Happened, uid: PodUid) -> None:
        match what:
            case "created":
                self._pending.add(uid)
            case "bound":
                self._pending.discard(uid)
                self._bound.add(uid)
            case "succeeded" | "failed" | "evicted" | "deleted":
                self._pending.discard(uid)
                self._bound.discard(uid)
                self._ended[what] += 1
            case _:
                pass

    def _beginning(self, pods: _PodsOfMoment, job: dict[Happened, Happening]) -> Iterator[Line]:
        created = pods.number("created")
        if not self._known:
            self._known = True
            # A large Job's pods are made in portions; the time line tells what it asks for.
            pods_asked = int(job["created"].detail) if "created" in job else created
            text = self._submitted(pods_asked, job)
            yield Line("submitted", text, pods=pods_asked, shared="submitted")
        elif created and self._unit.kind == "PodGroup":
            yield Line("submitted", f"{count_of(created, 'more pod')}", pods=created)
        elif "suspended" in job:
            yield Line("suspended", "suspended")
        if "resumed" in job:
            yield Line("resumed", "resumed")

    def _submitted(self, pods: int, job: dict[Happened, Happening]) -> str:
        if self._unit.kind == "Pod":
            return "submitted"
        if "suspended" in job:
            return "submitted, suspended"
        text = f"submitted: {count_of(pods, 'pod')}" if pods else "submitted"
        if self._min_count is None:
            return text
        if self._min_count == pods:
            return f"{text}, a gang: all or none"
        return f"{text}, a gang of at least {self._min_count}"

    def _losses(self, pods: _PodsOfMoment) -> Iterator[Line]:
        kinds: tuple[tuple[Happened, EntryKind, str], ...] = (
            ("evicted", "evicted", "evicted"),
            ("failed", "pods-failed", "failed"),
            ("deleted", "deleted", "deleted"),
        )
        for what, kind, word in kinds:
            number = pods.number(what)
            if number and not (what == "failed" and self._unit.kind == "Pod"):
                text = self._about(number, word) + _joined_details(pods.details(what))
                yield Line(kind, text, pods=number, shared=word, same=pods.details(what))
        yield from self._restarts(pods)

    def _restarts(self, pods: _PodsOfMoment) -> Iterator[Line]:
        """Tell the first restart of each pod; a crash loop is not news each time."""
        fresh = [step for step in pods.of("restarted") if step.pod.uid not in self._restarted]
        if not fresh:
            return
        self._restarted.update(step.pod.uid for step in fresh)
        details = tuple(dict.fromkeys(step.detail for step in fresh))
        after = f"restarted after {', '.join(details)}"
        text = after if self._unit.kind == "Pod" else f"{count_of(len(fresh), 'pod')} {after}"
        yield Line("restarted", text, pods=len(fresh), shared=after, same=details)

    def _rise(self, pods: _PodsOfMoment, *, at: float) -> Iterator[Line]:
        level = self._reached()
        if any(pods.number(what) for what in ("failed", "evicted", "deleted")):
            self._level = min(self._level, level)
        new = pods.number("bound")
        if not new or level <= self._level:
            return
        if self._first_start is None and at >= 0:
            self._first_start = at
        whole = self._level == _NOTHING and level == _ALL and self._min_count is not None
        self._level = level
        kind: EntryKind = "started" if level == _ALL else "partly-started"
        yield Line(kind, self._started(pods, whole=whole), pods=new, shared="bound")
        if level == _ALL:
            self._said = None

    def _reached(self) -> int:
        if not self._bound:
            return _NOTHING
        return _PART if self._pending else _ALL

    def _started(self, pods: _PodsOfMoment, *, whole: bool) -> str:
        if self._unit.kind == "Pod":
            return f"bound to {pods.of('bound')[0].pod.node}"
        bound, live = len(self._bound), len(self._bound) + len(self._pending)
        verb = "starts whole" if whole else "starts"
        return f"{verb}: {bound} of {count_of(live, 'pod')} bound"

    def _waits(self, diagnoses: Sequence[Diagnosis]) -> Iterator[Line]:
        for diagnosis in diagnoses:
            key = reason_key(diagnosis)
            if key != self._said:
                self._said = key
                self._level = min(self._level, self._reached())
                number = len(self._pending)
                yield Line(
                    "waits", diagnosis.message, pods=number, shared=diagnosis.message, same=key
                )

    def _end(
        self, pods: _PodsOfMoment, job: dict[Happened, Happening], *, at: float
    ) -> Iterator[Line]:
        if self._unit.kind == "Job":
            yield from self._job_end(job, at=at)
            return
        ended_now = pods.number("succeeded") + pods.number("failed")
        if not ended_now or self._pending or self._bound:
            return
        failed, succeeded = self._ended["failed"], self._ended["succeeded"]
        if self._unit.kind == "Pod":
            word = "failed" if failed else "succeeded"
            text = word + _joined_details(pods.details("failed"))
            same = pods.details("failed")
            yield Line("failed" if failed else "succeeded", text, pods=1, shared=text, same=same)
        elif failed:
            text = f"ended: {count_of(succeeded, 'pod')} succeeded, {failed} failed"
            yield Line("failed", text, pods=succeeded + failed)
        else:
            yield Line("succeeded", f"succeeded: {count_of(succeeded, 'pod')}", pods=succeeded)

    def _job_end(self, job: dict[Happened, Happening], *, at: float) -> Iterator[Line]:
        if "succeeded" in job:
            took = "" if self._first_start is None else human_duration(at - self._first_start)
            number = self._ended["succeeded"]
            text = f"succeeded: {count_of(number, 'pod')}"
            yield Line("succeeded", f"{text} in {took}" if took else text, pods=number)
        if "failed" in job:
            yield Line("failed", f"failed: {job['failed'].detail}")
        if "deleted" in job:
            yield Line("deleted", "deleted")

    def _about(self, number: int, word: str) -> str:
        return word if self._unit.kind == "Pod" else f"{count_of(number, 'pod')} {word}"


def reason_key(diagnosis: Diagnosis) -> Hashable:
    """Return what stays equal while only numbers in a diagnosis change."""
    reasons = {reason.reason for pod in diagnosis.pods for reason in pod.reasons}
    if reasons:
        return (diagnosis.outcome, tuple(sorted(reasons)))
    return (diagnosis.outcome, _NUMBER.sub("#", diagnosis.message))


def _joined_details(details: Sequence[str]) -> str:
    said = [detail for detail in details if detail]
    if not said:
        return ""
    more = "; …" if len(said) > _MOST_DETAILS else ""
    return f": {'; '.join(said[:_MOST_DETAILS])}{more}"
