"""``what-if --defrag``: which running pods would have to run elsewhere for more to start."""

from __future__ import annotations

import json

import pytest
import yaml
from click.testing import CliRunner

from kubegang.app.supposed import Suppositions
from kubegang.cli.main import commands
from tests.component.toolscenes import RACK, binds, gang, node, plan, pod, source

pytestmark = pytest.mark.usefixtures("own_logging")

MOVES = Suppositions(defrag=True)


def test_a_group_gets_room_on_several_nodes_at_once() -> None:
    """Four half-full nodes: two whole ones are there once two pods stand together."""
    nodes = [node(f"n{index}", cpu="4") for index in range(4)]
    held = [pod(f"h{index}", on=f"n{index}", cpu="2") for index in range(4)]
    members = [pod(f"m{index}", group="g", cpu="4") for index in range(2)]

    found = plan(source(*nodes, *held, gang("g", 2), *members), MOVES)

    assert len(found.moves) == 2
    assert {one.beneficiary for one in found.moves} == {"PodGroup default/g"}
    assert set(binds(found).values()) == {one.origin for one in found.moves}
    assert found.pending == ()


def test_a_group_gets_room_in_one_domain() -> None:
    nodes = [node(f"n{i}", cpu="4", labels={RACK: rack}) for i, rack in enumerate("aabb")]
    held = [pod("a", on="n0", cpu="1"), pod("b", on="n2", cpu="3"), pod("c", on="n3", cpu="3")]
    members = [pod(f"m{index}", group="g", cpu="4") for index in range(2)]

    found = plan(source(*nodes, *held, gang("g", 2, key=RACK), *members), MOVES)

    assert [(one.pod, one.origin) for one in found.moves] == [("default/a", "n0")]
    assert found.moves[0].node in {"n2", "n3"}
    assert set(binds(found).values()) == {"n0", "n1"}


def test_one_after_another_gets_room_and_no_pod_is_named_twice() -> None:
    nodes = [node(f"n{index}", cpu="4") for index in range(4)]
    held = [pod(f"h{index}", on=f"n{index}", cpu="1") for index in range(4)]

    found = plan(source(*nodes, *held, pod("x", cpu="4"), pod("y", cpu="4")), MOVES)

    assert {one.beneficiary for one in found.moves} == {"Pod default/x", "Pod default/y"}
    assert len({one.pod for one in found.moves}) == len(found.moves) == 2
    assert found.pending == ()


def test_members_of_running_groups_are_not_moved() -> None:
    nodes = [node("n0", cpu="4"), node("n1", cpu="4")]
    running = [pod(f"r{index}", group="r", on=f"n{index}", cpu="2") for index in range(2)]

    found = plan(source(*nodes, gang("r", 2), *running, pod("x", cpu="4")), MOVES)

    assert found.moves == ()
    assert [one.unit for one in found.pending] == ["Pod default/x"]
    assert found.notes == ("no 3 pods or fewer of those that run could make room by moving",)


def test_nothing_is_moved_where_everything_starts() -> None:
    found = plan(source(node("n", cpu="4"), pod("h", on="n", cpu="1"), pod("x", cpu="1")), MOVES)

    assert (found.moves, found.notes, binds(found)) == ((), (), {"x": "n"})


def test_moves_are_printed_and_are_in_the_json() -> None:
    objects = [node(f"n{index}", cpu="4") for index in range(2)]
    objects += [pod(f"h{index}", on=f"n{index}", cpu="1") for index in range(2)]
    text = yaml.safe_dump_all([*objects, pod("x", cpu="4")])
    words = ["what-if", "--defrag", "-f", "-"]

    printed = CliRunner().invoke(commands, words, input=text)
    as_json = CliRunner().invoke(commands, [*words, "-o", "json"], input=text)

    assert printed.exit_code == as_json.exit_code == 0
    assert "Kubernetes 1.37: would have to move" in printed.stdout
    assert "1 pod would have to move first." in printed.stdout
    ((move,),) = [one["moves"] for one in json.loads(as_json.stdout)["plans"]]
    assert (move["beneficiary"], move["node"] == move["origin"]) == ("Pod default/x", False)
