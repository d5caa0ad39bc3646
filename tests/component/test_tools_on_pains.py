"""What explain and what-if say about situations that users of gang schedulers suffer from.

The inputs are small forms of what public issue threads tell; each test names its thread.
"""

from __future__ import annotations

from kubegang.app.supposed import AddedNodes, Suppositions
from tests.component.toolscenes import (
    RACK,
    binds,
    changes,
    explained,
    gang,
    node,
    plan,
    pod,
    report_of,
    source,
    what_if,
)

MPI_JOB = {
    "apiVersion": "kubeflow.org/v2beta1",
    "kind": "MPIJob",
    "metadata": {"name": "m"},
    "spec": {
        "launcherCreationPolicy": "WaitForWorkersReady",
        "mpiReplicaSpecs": {"Worker": {"replicas": 4}, "Launcher": {"replicas": 1}},
    },
}


def test_a_launcher_that_waits_for_running_workers_never_completes_a_quorum() -> None:
    """mpi-operator#608."""
    workers = [pod(f"w{i}", group="g", owner=("MPIJob", "m"), cpu="1") for i in range(4)]

    found = explained(source(node("n1", cpu="12"), MPI_JOB, gang("g", 5), *workers), "podgroup/g")

    assert found.quorum is not None
    assert (found.quorum.exist, found.quorum.needed, found.quorum.reachable) == (4, 5, False)
    assert found.quorum.message == (
        "4 of 5 members exist; missing 1; MPIJob m makes 4 at most (it waits for running pods "
        "before it makes the launcher); quorum can never be met; use min 4"
    )
    assert list(changes(found)) == ["lower-min-count"]
    assert found.changes[0].message == "lower minCount of PodGroup g from 5 to 4"


def test_whole_nodes_are_counted_not_sums_of_gpus() -> None:
    """kueue#1476: 22 GPUs are free, but only one whole node."""
    nodes = [node(f"n{i}", gpu="8") for i in (1, 2, 3)]
    held = [pod("a", on="n1", gpu="1"), pod("b", on="n2", gpu="1")]
    members = [pod("master", group="g", gpu="8"), pod("worker", group="g", gpu="8")]
    cluster = source(*nodes, *held, gang("g", 2), *members)

    found = explained(cluster, "podgroup/g")

    (total,) = found.totals
    assert (total.needed, total.exists, total.free, total.suffices) == ("16", "24", "22", True)
    assert (found.domains[0].placed, found.domains[0].missing) == (1, 1)
    assert [(near.node, near.lacks[0].amount) for near in found.near] == [("n1", "1"), ("n2", "1")]
    assert changes(found)["free"].message == "free 1 nvidia.com/gpu on n1"
    assert changes(found)["move-pods"].message == "move 1 pod: default/a to n2"
    later = source(*nodes, *held, gang("g", 2), *members, pod("single", gpu="8"))
    assert binds(plan(later, Suppositions())) == {"single": "n3"}


def test_scattered_gpus_are_put_together_by_two_moves_and_by_no_single_one() -> None:
    """volcano#3948."""
    used = {1: "421", 2: "42", 3: "421"}
    held = [pod(f"a{n}-{g}", on=f"n{n}", gpu=g) for n, gpus in used.items() for g in gpus]
    nodes = [node(f"n{n}", gpu="8") for n in used]

    found = explained(source(*nodes, *held, pod("new", gpu="4")), "pod/new")

    assert found.state == "unschedulable"
    assert (found.totals[0].needed, found.totals[0].free) == ("4", "4")
    move = changes(found)["move-pods"]
    assert (move.size, move.smallest) == (2, True)
    moved = plan(source(*nodes, *held, pod("new", gpu="4")), Suppositions(defrag=True))
    assert len(moved.moves) == 2
    assert {one.beneficiary for one in moved.moves} == {"Pod default/new"}
    assert (moved.pending, moved.evictions, list(binds(moved))) == ((), (), ["new"])
    (freed,) = {one.origin for one in moved.moves}
    assert binds(moved) == {"new": freed}
    assert freed not in {one.node for one in moved.moves}
    assert plan(source(*nodes, *held, pod("new", gpu="4")), Suppositions()).moves == ()


def test_members_in_two_domains_are_reported_as_a_conflict() -> None:
    """kubernetes#140308: an empty value and a missing label."""
    nodes = [
        node("n1", cpu="4", labels={RACK: ""}),
        node("n2", cpu="4", labels={RACK: "r1"}),
        node("n3", cpu="4"),
    ]
    members = [
        pod("a", on="n1", group="g", cpu="1"),
        pod("b", on="n2", group="g", cpu="1"),
        pod("c", group="g", cpu="1"),
    ]

    found = explained(source(*nodes, gang("g", 3, key=RACK), *members), "podgroup/g")

    assert found.warnings == (
        f'conflict: members run in 2 domains of {RACK}: a in "", b in "r1"',
        f"1 node without the label {RACK} can never be used: n3",
        f"1 node with an empty label {RACK} make a domain of their own: n1",
    )


def test_nobody_is_evicted_for_a_gang_that_is_larger_than_the_cluster() -> None:
    """volcano#5026."""
    low = [pod(f"low-{i}", on="n1", cpu="1") for i in range(4)]
    high = [pod(f"high-{i}", group="g", cpu="3", priority=100) for i in range(2)]
    cluster = source(node("n1", cpu="4"), *low, gang("g", 2, priority=100), *high)

    found = explained(cluster, "podgroup/g")

    assert found.room is not None
    assert (found.room.possible, found.room.weaker_pods) == (False, 4)
    assert found.room.message == (
        "0 evictions: it would not fit without the 4 pods of lower priority either: "
        "needs 6 cpu, 4 exist"
    )
    assert plan(cluster, Suppositions()).evictions == ()


def test_a_small_group_runs_past_one_that_never_fits() -> None:
    """kube-batch#514: 12 of 10 CPU."""
    large = [pod(f"a{i}", group="pg1", cpu="4") for i in range(3)]
    cluster = source(
        node("n1", cpu="10"), gang("pg1", 3), *large, gang("pg2", 1), pod("b", group="pg2", cpu="3")
    )

    made = plan(cluster, Suppositions())
    (total,) = explained(cluster, "podgroup/pg1").totals

    assert binds(made) == {"b": "n1"}
    assert [(one.unit, one.pods) for one in made.pending] == [("PodGroup default/pg1", 3)]
    assert (total.needed, total.exists, total.suffices) == ("12", "10", False)


def test_a_surge_of_one_never_makes_a_gang_of_two() -> None:
    """volcano#4739: the new ReplicaSet may have one pod more before an old one goes."""
    surge = {
        "apiVersion": "apps/v1",
        "kind": "ReplicaSet",
        "metadata": {"name": "new"},
        "spec": {"replicas": 1, "selector": {"matchLabels": {"app": "a"}}},
    }
    nodes = [node(f"n{i}", cpu="1") for i in range(3)]
    old = [pod(f"old-{i}", on=f"n{i}", cpu="1") for i in range(2)]
    new = pod("new-0", group="g", owner=("ReplicaSet", "new"), cpu="1")

    found = explained(source(*nodes, *old, surge, gang("g", 2), new), "podgroup/g")

    assert found.quorum is not None
    assert found.quorum.message == (
        "1 of 2 members exist; missing 1; ReplicaSet new makes 1 at most (replicas is 1); "
        "quorum can never be met; use min 1"
    )


def test_a_missing_member_is_told_with_what_its_job_was_told() -> None:
    """kubernetes#141900."""
    job = {
        "apiVersion": "batch/v1",
        "kind": "Job",
        "metadata": {"name": "x"},
        "spec": {"parallelism": 4, "completions": 4, "template": {"spec": {"containers": []}}},
    }
    event = {
        "apiVersion": "v1",
        "kind": "Event",
        "metadata": {"name": "x.1"},
        "involvedObject": {"kind": "Job", "namespace": "default", "name": "x"},
        "type": "Warning",
        "reason": "FailedCreate",
        "message": "exceeded quota: pods",
    }
    members = [pod(f"x-{i}", group="g", owner=("Job", "x"), cpu="1") for i in range(3)]

    (found,) = report_of(
        source(node("n1", cpu="10"), job, event, gang("g", 4), *members), "job/x"
    ).parts

    assert found.state == "waiting"
    assert found.quorum is not None
    assert found.quorum.message == (
        "3 of 4 members exist; missing 1; Job x makes 4 at most (parallelism is 4), "
        "last error: FailedCreate: exceeded quota: pods"
    )
    assert found.changes[0].message == "create the member that is missing"


def test_members_of_two_schedulers_are_both_named() -> None:
    """kubernetes#139293."""
    members = [
        pod("a", group="g", cpu="1"),
        pod("b", group="g", cpu="1", spec={"schedulerName": "other"}),
    ]

    found = explained(source(node("n1", cpu="10"), gang("g", 2), *members), "podgroup/g")

    assert found.state == "error"
    assert '"other" and "default-scheduler"' in found.message
    assert found.changes[0].kind == "same-scheduler"


def test_a_mixed_gang_needs_three_nodes_or_four_in_the_order_of_its_creation() -> None:
    """autoscaler#8783, autoscaler#6045."""
    members = [pod(f"p{i}", group="g", cpu=cpu) for i, cpu in enumerate(("6", "6", "12", "12"))]
    cluster = source(gang("g", 4), *members)

    enough = what_if(cluster, Suppositions(add_nodes=(AddedNodes(0, 5, "cpu=16"),)))
    too_few = what_if(cluster, Suppositions(add_nodes=(AddedNodes(0, 2, "cpu=16"),)))

    assert enough.answer == (
        "4 nodes of cpu=16 are enough; 3 nodes would be, if the groups' pods were created anew, "
        "those that ask for most first"
    )
    assert len(enough.plans[0].binds) == 4
    assert too_few.answer == "do not scale: 2 nodes of cpu=16 cannot help"
    assert not too_few.is_fine


def test_a_gang_of_a_thousand_cpus_says_what_exists() -> None:
    """volcano#5075: what convert refuses to make of it would wait, and say why."""
    found = explained(
        source(node("n1", cpu="10"), gang("g", 1), pod("a", group="g", cpu="1000")), "podgroup/g"
    )

    assert (found.totals[0].needed, found.totals[0].exists) == ("1k", "10") or (
        found.totals[0].needed,
        found.totals[0].exists,
    ) == ("1000", "10")
    assert changes(found)["add-nodes"].message == "add 1 node with 1000 cpu"
