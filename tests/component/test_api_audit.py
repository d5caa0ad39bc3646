"""The audit log: what is noted of requests, allowed and refused, and what it may cost."""

from __future__ import annotations

import asyncio
import json
from pathlib import Path
from typing import Any

from kubegang.apiserver.audit import FLUSH_SECONDS, AuditFile
from kubegang.base.clock import VirtualClock, run_virtual
from tests.component.apiharness import CONFIG_MAPS, Api, config_map, run


class Notes:
    """Keeps audit events."""

    def __init__(self) -> None:
        self.events: list[dict[str, Any]] = []

    def add(self, event: dict[str, Any]) -> None:
        self.events.append(event)


def test_a_request_is_noted_with_who_asked_for_what_and_the_answer() -> None:
    notes = Notes()

    async def main(api: Api) -> None:
        await api.post(CONFIG_MAPS, config_map("c", data={"secret": "text"}))

    run(main, audit=notes)
    (event,) = notes.events
    assert {key: event[key] for key in ("kind", "apiVersion", "level", "stage", "verb")} == {
        "kind": "Event",
        "apiVersion": "audit.k8s.io/v1",
        "level": "Metadata",
        "stage": "ResponseComplete",
        "verb": "create",
    }
    assert event["user"]["username"] == "admin"
    assert event["objectRef"] == {
        "resource": "configmaps",
        "namespace": "default",
        "apiVersion": "v1",
    }
    assert event["responseStatus"]["code"] == 201
    assert event["annotations"]["authorization.k8s.io/decision"] == "allow"
    assert "text" not in json.dumps(event)


def test_a_refusal_is_noted_with_its_text_and_the_one_who_was_impersonated() -> None:
    notes = Notes()

    async def main(api: Api) -> None:
        await api.get(f"{CONFIG_MAPS}/c", headers={"impersonate-user": "bob"})

    run(main, audit=notes, roles=True)
    (event,) = notes.events
    assert event["user"]["username"] == "admin"
    assert event["impersonatedUser"]["username"] == "bob"
    assert event["annotations"]["authorization.k8s.io/decision"] == "forbid"
    assert event["responseStatus"]["code"] == 403
    assert event["responseStatus"]["message"].startswith('configmaps "c" is forbidden')


def test_lines_are_written_in_batches_and_the_oldest_dropped_if_too_many_wait(
    tmp_path: Path,
) -> None:
    path = tmp_path / "audit.log"

    async def main() -> AuditFile:
        clock = VirtualClock(0.0)
        log = AuditFile(path, clock=clock, most_waiting=3)
        task = asyncio.create_task(log.run())
        for number in range(5):
            log.add({"auditID": str(number)})
        await clock.sleep(FLUSH_SECONDS * 2)
        task.cancel()
        return log

    log = run_virtual(main())
    assert [json.loads(line)["auditID"] for line in path.read_text().splitlines()] == [
        "2",
        "3",
        "4",
    ]
    assert log.dropped == 2
