"""The statuses of pods that a simulated kubelet reports."""

from __future__ import annotations

from tests.unit.nodesim.life import T0, Life, with_spec


def test_a_running_pod_is_ready_and_keeps_the_schedulers_condition() -> None:
    life = Life().live()

    assert life.status["phase"] == "Running"
    assert life.conditions() == {
        "PodScheduled": "True",
        "PodReadyToStartContainers": "True",
        "Initialized": "True",
        "Ready": "True",
        "ContainersReady": "True",
    }
    assert life.container["ready"] is True
    assert (life.status["podIP"], life.status["hostIP"]) == ("10.0.0.1", "172.16.0.1")
    assert life.status["startTime"] == "2026-11-01T00:00:00Z"
    assert life.status["observedGeneration"] == 1


def test_a_pod_whose_containers_are_being_made_is_pending() -> None:
    life = Life(start_delay="5s").live()

    assert life.status["phase"] == "Pending"
    assert life.container["state"] == {"waiting": {"reason": "ContainerCreating"}}
    assert life.conditions()["Ready"] == "False ContainersNotReady"
    assert life.conditions()["PodReadyToStartContainers"] == "False"


def test_the_phase_follows_the_exit_code() -> None:
    succeeded = Life(run_duration="1s").live(steps=2)
    failed = Life(run_duration="1s", exit_code="2").live(steps=2)

    assert (succeeded.status["phase"], failed.status["phase"]) == ("Succeeded", "Failed")
    assert failed.container["state"] == {
        "terminated": {
            "exitCode": 2,
            "reason": "Error",
            "startedAt": "2026-11-01T00:00:00Z",
            "finishedAt": "2026-11-01T00:00:01Z",
        }
    }
    assert succeeded.conditions() == {
        "PodScheduled": "True",
        "PodReadyToStartContainers": "False",
        "Initialized": "True PodCompleted",
        "Ready": "False PodCompleted",
        "ContainersReady": "False PodCompleted",
    }
    assert failed.conditions()["Ready"] == "False PodFailed"
    assert failed.conditions()["Initialized"] == "True"


def test_a_restart_is_counted_and_its_last_end_kept() -> None:
    life = Life("OnFailure", fail_after="5s").live(steps=2)

    assert life.status["phase"] == "Running"
    assert life.container["restartCount"] == 1
    assert life.container["lastState"]["terminated"]["exitCode"] == 1
    assert life.container["state"] == {"running": {"startedAt": "2026-11-01T00:00:05Z"}}


def test_a_container_that_waits_says_for_how_long() -> None:
    life = Life("Always", run_duration="5s").live(steps=3)

    assert life.container["state"] == {
        "waiting": {
            "reason": "CrashLoopBackOff",
            "message": "back-off 10s restarting failed container=c pod=p_ns(u)",
        }
    }
    assert life.container["restartCount"] == 1
    assert life.conditions()["Ready"] == "False ContainersNotReady"

    again = life.live()
    assert again.container["restartCount"] == 2
    assert again.container["lastState"]["terminated"]["finishedAt"] == "2026-11-01T00:00:10Z"


def test_what_a_condition_said_before_is_taken_away() -> None:
    life = Life("Always", run_duration="5s").live(steps=4)

    assert all("message" not in condition for condition in life.status["conditions"])


def test_a_transition_time_moves_only_with_the_status() -> None:
    life = Life("OnFailure", fail_after="5s").live(steps=2)

    ready = next(c for c in life.status["conditions"] if c["type"] == "Ready")
    assert ready["lastTransitionTime"] == "2026-11-01T00:00:00Z"


def test_init_containers_have_ended_and_sidecars_run() -> None:
    life = with_spec(
        Life(),
        initContainers=[
            {"name": "prepare", "image": "i"},
            {"name": "beside", "image": "i", "restartPolicy": "Always"},
        ],
    ).live()

    prepare, beside = life.status["initContainerStatuses"]
    assert prepare["state"]["terminated"]["reason"] == "Completed"
    assert "running" in beside["state"]


def test_a_deleted_pod_ends_by_the_signal() -> None:
    life = Life().live().delete(at=T0 + 5).live()

    assert life.status["phase"] == "Failed"
    assert life.container["state"]["terminated"]["exitCode"] == 143


def test_a_pod_that_is_deleted_before_it_started_has_failed() -> None:
    life = Life().delete(at=T0).live()

    assert life.status["phase"] == "Failed"


def test_a_pod_that_was_active_for_too_long_says_so() -> None:
    life = with_spec(Life(), activeDeadlineSeconds=30).live(steps=2)

    assert (life.status["phase"], life.status["reason"]) == ("Failed", "DeadlineExceeded")
