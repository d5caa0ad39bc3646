"""What kubelets report of pods."""

from __future__ import annotations

from kubegang.apimachinery.objects import JsonObject
from tests.joblife.steps import MovePods


def status_after(pod: JsonObject, step: MovePods, *, moment: str) -> JsonObject:
    """Return what a kubelet would report."""
    match step.what:
        case "run" | "restart":
            restarts = 2 if step.what == "restart" else 0
            return {
                "phase": "Running",
                "startTime": moment,
                "conditions": [_condition("Ready", "True", moment)],
                "containerStatuses": [_container({"running": {"startedAt": moment}}, restarts)],
            }
        case "succeed":
            return _ended("Succeeded", 0, moment)
        case "fail":
            return _ended("Failed", step.exit_code, moment)
        case "fail-init" if pod["spec"].get("initContainers"):
            return _ended_early(step.exit_code, moment)
        case "fail-init":
            return _ended("Failed", step.exit_code, moment)
        case "disrupt":
            return _ended("Failed", 137, moment, condition="DisruptionTarget")
        case "misconfigure":
            return _ended("Failed", 1, moment, condition="ConfigIssue")
        case "unready":
            return {"conditions": [_condition("Ready", "False", moment)]}
        case _:
            finished = pod["status"]["phase"] in ("Succeeded", "Failed")
            return {} if finished else _ended("Failed", 143, moment)


def _ended(phase: str, exit_code: int, moment: str, *, condition: str = "") -> JsonObject:
    conditions = [_condition("Ready", "False", moment)]
    if condition:
        conditions.append(_condition(condition, "True", moment))
    return {
        "phase": phase,
        "conditions": conditions,
        "containerStatuses": [_container(_terminated(exit_code, moment), 0)],
    }


def _ended_early(exit_code: int, moment: str) -> JsonObject:
    """Return what is reported when an init container fails: the others never started."""
    waiting = {"waiting": {"reason": "PodInitializing"}}
    return {
        "phase": "Failed",
        "conditions": [_condition("Ready", "False", moment)],
        "initContainerStatuses": [_container(_terminated(exit_code, moment), 0, name="i")],
        "containerStatuses": [_container(waiting, 0)],
    }


def _terminated(exit_code: int, moment: str) -> JsonObject:
    return {"terminated": {"exitCode": exit_code, "finishedAt": moment, "startedAt": moment}}


def _container(state: JsonObject, restarts: int, *, name: str = "c") -> JsonObject:
    return {
        "name": name,
        "image": "registry.example/app:1",
        "imageID": "",
        "ready": "running" in state,
        "restartCount": restarts,
        "state": state,
    }


def _condition(kind: str, status: str, moment: str) -> JsonObject:
    return {"type": kind, "status": status, "lastTransitionTime": moment}
