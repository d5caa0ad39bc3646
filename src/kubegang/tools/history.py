"""What became of jobs, groups, pods and nodes, learned from their changes one by one.

Time line, placement and the list of what is pending are all drawn from this one history.
It keeps the few facts that they tell, not the objects, so hours of a busy cluster fit into
memory. Pure: changes and their times come in, nothing is asked for.
"""

from __future__ import annotations

from collections.abc import Callable
from typing import Literal

from kubegang.apimachinery.objects import JsonObject
from kubegang.apimachinery.times import parse_time
from kubegang.scheduler.cycle.decision import Diagnosis
from kubegang.scheduler.framework.pods import PodGroupKey, PodUid
from kubegang.tools.records import (
    EntityKey,
    GroupRecord,
    Happened,
    Happening,
    JobRecord,
    PodRecord,
)
from kubegang.tools.workunits import WorkUnit

_JOB_ENDS: dict[str, Literal["succeeded", "failed"]] = {
    "Complete": "succeeded",
    "Failed": "failed",
}


class History:
    """Records, and what happened to them; only ``see`` and ``note_wait`` add to it.

    Attributes:
        pods, jobs: by uid.
        timetables: the uids of CronJobs that go on making Jobs.
        nodes: the labels of every node that exists, by its name.
    """

    def __init__(self) -> None:
        self.pods: dict[PodUid, PodRecord] = {}
        self.jobs: dict[str, JobRecord] = {}
        self.groups: dict[PodGroupKey, GroupRecord] = {}
        self.nodes: dict[str, dict[str, str]] = {}
        self.timetables: set[str] = set()
        self.happenings: list[Happening] = []
        self._see: dict[str, Callable[[JsonObject, float, bool], None]] = {
            "Pod": self._see_pod,
            "Job": self._see_job,
            "CronJob": self._see_cron_job,
            "PodGroup": self._see_group,
            "Node": self._see_node,
            "Event": self._see_event,
        }

    def see(self, obj: JsonObject, *, at: float, deleted: bool = False) -> None:
        """Take in an object as it is now, or as it was last; other kinds are passed over."""
        see = self._see.get(obj["kind"])
        if see is not None:
            see(obj, at, deleted)

    def note_wait(self, key: EntityKey, diagnosis: Diagnosis, *, at: float) -> None:
        """Take in why a group or a pod is pending; what is not known is passed over."""
        subject: PodRecord | GroupRecord | None
        if isinstance(key, PodGroupKey):
            subject = self.groups.get(key) or GroupRecord(key, job="", exists=False)
        else:
            subject = self.pods.get(key)
        if subject is not None:
            self.happenings.append(Happening(at, "waits", subject, diagnosis=diagnosis))

    def unit_of(self, subject: PodRecord | JobRecord | GroupRecord) -> WorkUnit:
        """Return under which name a record is told.

        A member is told under its group; the group under its Job, if one controls it.
        """
        if isinstance(subject, JobRecord):
            return WorkUnit("Job", subject.namespace, subject.name)
        if isinstance(subject, GroupRecord):
            if subject.job:
                return WorkUnit("Job", subject.key.namespace, subject.job)
            return WorkUnit("PodGroup", subject.key.namespace, subject.key.name)
        if subject.group is not None:
            group = self.groups.get(subject.group)
            return self.unit_of(group or GroupRecord(subject.group, job=""))
        kind, name = subject.controller
        if kind == "Job":
            return WorkUnit(kind, subject.namespace, name)
        return WorkUnit("Pod", subject.namespace, subject.name)

    def _tell(
        self,
        at: float,
        what: Happened,
        subject: PodRecord | JobRecord | GroupRecord,
        detail: str = "",
    ) -> None:
        self.happenings.append(Happening(at, what, subject, detail))

    # --- pods ----------------------------------------------------------------------------

    def _see_pod(self, pod: JsonObject, at: float, deleted: bool) -> None:  # noqa: FBT001
        uid = PodUid(pod["metadata"]["uid"])
        record = self.pods.get(uid)
        if record is None:
            record = self.pods[uid] = _new_pod(pod, created=at)
            self._tell(at, "created", record)
        record.gates = tuple(gate["name"] for gate in pod["spec"].get("schedulingGates") or ())
        if not record.is_live:
            return
        node = pod["spec"].get("nodeName") or ""
        if node and not record.node:
            record.node, record.state = node, "bound"
            self._tell(at, "bound", record)
        self._see_end(record, pod, at=at, deleted=deleted)

    def _see_end(self, record: PodRecord, pod: JsonObject, *, at: float, deleted: bool) -> None:
        status = pod.get("status") or {}
        disruption = _true_condition(status, "DisruptionTarget")
        if deleted or pod["metadata"].get("deletionTimestamp"):
            # The phase that follows comes from being stopped, not from the work itself.
            record.state = "deleted" if disruption is None else "evicted"
            record.detail = "" if disruption is None else str(disruption.get("message") or "")
        elif status.get("phase") == "Succeeded":
            record.state = "succeeded"
        elif status.get("phase") == "Failed":
            record.state = "failed"
            record.detail = _failure(status)
        else:
            if status.get("phase") == "Running":
                record.state = "running"
            self._see_restart(record, status, at=at)
            return
        self._tell(at, record.state, record, record.detail)

    def _see_restart(self, record: PodRecord, status: JsonObject, *, at: float) -> None:
        containers = status.get("containerStatuses") or []
        restarts = sum(int(container.get("restartCount") or 0) for container in containers)
        if restarts > record.restarts:
            last = (containers[0].get("lastState") or {}).get("terminated") or {}
            self._tell(at, "restarted", record, f"exit code {last.get('exitCode', 0)}")
        record.restarts = restarts

    # --- jobs and groups -----------------------------------------------------------------

    def _see_job(self, job: JsonObject, at: float, deleted: bool) -> None:  # noqa: FBT001
        metadata = job["metadata"]
        record = self.jobs.get(metadata["uid"])
        if record is None:
            record = self.jobs[metadata["uid"]] = JobRecord(metadata["namespace"], metadata["name"])
            self._tell(at, "created", record, str(_wanted_pods(job)))
        record.wanted = _wanted_pods(job)
        record.active = int((job.get("status") or {}).get("active") or 0)
        if record.state in ("succeeded", "failed", "deleted"):
            return
        if deleted:
            record.state, record.deadline = "deleted", None
            self._tell(at, "deleted", record)
            return
        record.deadline = _deadline(job)
        self._see_job_end(record, job, at=at)

    def _see_job_end(self, record: JobRecord, job: JsonObject, *, at: float) -> None:
        status = job.get("status") or {}
        for kind, state in _JOB_ENDS.items():
            condition = _true_condition(status, kind)
            if condition is not None:
                record.state, record.deadline = state, None
                record.detail = _reason_and_message(condition) if state == "failed" else ""
                self._tell(at, state, record, record.detail)
                return
        suspended = bool(job["spec"].get("suspend"))
        if suspended != (record.state == "suspended"):
            record.state = "suspended" if suspended else "active"
            self._tell(at, "suspended" if suspended else "resumed", record)

    def _see_cron_job(self, cron_job: JsonObject, _at: float, deleted: bool) -> None:  # noqa: FBT001
        uid = cron_job["metadata"]["uid"]
        if deleted or cron_job["spec"].get("suspend"):
            self.timetables.discard(uid)
        else:
            self.timetables.add(uid)

    def _see_group(self, group: JsonObject, at: float, deleted: bool) -> None:  # noqa: FBT001
        metadata, spec = group["metadata"], group["spec"]
        key = PodGroupKey(metadata["namespace"], metadata["name"])
        record = self.groups.get(key)
        if record is None:
            kind, name = _controller(group)
            record = self.groups[key] = GroupRecord(key, job=name if kind == "Job" else "")
            self._tell(at, "created", record)
        gang = (spec.get("schedulingPolicy") or {}).get("gang")
        record.min_count = None if gang is None else int(gang.get("minCount") or 1)
        topology = (spec.get("schedulingConstraints") or {}).get("topology") or [{}]
        record.topology_key = topology[0].get("key") or ""
        record.exists = not deleted

    # --- nodes and events ----------------------------------------------------------------

    def _see_node(self, node: JsonObject, _at: float, deleted: bool) -> None:  # noqa: FBT001
        name = node["metadata"]["name"]
        if deleted:
            self.nodes.pop(name, None)
        else:
            self.nodes[name] = node["metadata"].get("labels") or {}

    def _see_event(self, event: JsonObject, _at: float, _deleted: bool) -> None:  # noqa: FBT001
        about = event.get("involvedObject") or {}
        job = self.jobs.get(about.get("uid") or "")
        if job is not None and event.get("type") == "Warning":
            job.problem = f"{event.get('reason', '')}: {event.get('message', '')}"


def _new_pod(pod: JsonObject, *, created: float) -> PodRecord:
    metadata, spec = pod["metadata"], pod["spec"]
    group = (spec.get("schedulingGroup") or {}).get("podGroupName")
    return PodRecord(
        uid=PodUid(metadata["uid"]),
        namespace=metadata["namespace"],
        name=metadata["name"],
        controller=_controller(pod),
        group=PodGroupKey(metadata["namespace"], group) if group else None,
        scheduler_name=spec.get("schedulerName") or "",
        created=created,
    )


def _controller(obj: JsonObject) -> tuple[str, str]:
    for owner in obj["metadata"].get("ownerReferences") or ():
        if owner.get("controller"):
            return owner["kind"], owner["name"]
    return "", ""


def _true_condition(status: JsonObject, kind: str) -> JsonObject | None:
    for condition in status.get("conditions") or ():
        if condition.get("type") == kind and condition.get("status") == "True":
            found: JsonObject = condition
            return found
    return None


def _failure(status: JsonObject) -> str:
    for container in status.get("containerStatuses") or ():
        ended = (container.get("state") or {}).get("terminated") or {}
        if ended.get("exitCode"):
            return f"exit code {ended['exitCode']}"
    return _reason_and_message(status)


def _reason_and_message(said: JsonObject) -> str:
    parts = (said.get("reason"), said.get("message"))
    return ": ".join(str(part) for part in parts if part)


def _wanted_pods(job: JsonObject) -> int:
    spec, status = job["spec"], job.get("status") or {}
    parallelism = int(spec.get("parallelism", 1))
    succeeded = int(status.get("succeeded") or 0)
    completions = spec.get("completions")
    if spec.get("suspend"):
        return 0
    if completions is None:
        return 0 if succeeded else parallelism
    return max(0, min(parallelism, int(completions) - succeeded))


def _deadline(job: JsonObject) -> float | None:
    started = (job.get("status") or {}).get("startTime")
    seconds = job["spec"].get("activeDeadlineSeconds")
    if seconds is None or not started or job["spec"].get("suspend"):
        return None
    return parse_time(started) + float(seconds)
