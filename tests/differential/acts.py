"""What may happen in a scenario: each act appends a few steps to a story."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

from tests.differential.story import RACK, ZONE, Story
from tests.differential.wishes import wishes

Act = Callable[[Story], None]


def gang(story: Story, *, often: float = 0.06, **members: Any) -> str:
    """Make a gang, or now and then a basic group, with its pods before or after it."""
    rng = story.rng
    size = members.pop("size", 0) or rng.randint(1, 5)
    cpu = members.pop("cpu", 0) or rng.choice([1, 1, 2, 2, 3])
    grace = members.pop("grace", 0)
    named = {"claims": members.pop("pod_claims")} if "pod_claims" in members else {}
    if "min" not in members and not story.chance(0.15):
        members["min"] = size if story.chance(0.6) else rng.randint(1, size + 1)
    if story.release.has_pod_groups and "disruption" not in members and story.chance(0.3):
        members["disruption"] = rng.choice(["single", "all"])
    if story.release.number < 36 and story.chance(0.2):
        story_replica: dict[str, Any] = {"replica": f"k{rng.randrange(2)}"}
    else:
        story_replica = {}
    name = story.group(**members)
    names = [f"{name}p{index}" for index in range(size)]
    # The real queue may start before it has taken in all pods; rarely, so that it is no rule.
    last = story.chance(0.15 if members.get("min") == size else 0.05)
    if not last:
        story.add(**story.groups[name])
    if story.chance(0.35):
        for pod in names:
            wished = {"cpu": rng.choice([1, 2, 3]), **wishes(story, often=0.15)}
            _gate(story, pod, wished)
            story.members(name, [pod], grace=grace, **wished, **story_replica, **named)
    else:
        wished = wishes(story, often=often)
        story.members(name, names, cpu=cpu, grace=grace, **wished, **story_replica, **named)
    if last:
        story.add(**story.groups[name])
    return name


def _gate(story: Story, pod: str, members: dict[str, Any]) -> None:
    if story.chance(0.08):
        members["gated"] = True
        story.gated.append(pod)


def some_gang(story: Story) -> None:
    """Make a gang of usual priority."""
    gang(story, priority=_usual(story))


def _usual(story: Story) -> int:
    return story.rng.choice([10, 50, 50, 100])


def basic_group(story: Story) -> None:
    """Make a group without a minimum."""
    gang(story, priority=_usual(story), min=1)
    name = list(story.groups)[-1]
    about = story.groups[name]
    about.pop("min")
    for step in story.steps:
        if step.get("group") == name and "pods" not in step:
            step.pop("min", None)


def plain_pods(story: Story) -> None:
    """Make pods without a group."""
    rng = story.rng
    story.plain(
        rng.randint(1, 3),
        cpu=rng.choice([1, 1, 2, 3]),
        priority=_usual(story),
        **wishes(story, often=0.12),
    )


def interleaved(story: Story) -> None:
    """Make two gangs whose pods come mixed."""
    rng = story.rng
    first, second = (
        story.group(min=size, priority=50) for size in (rng.randint(2, 4), rng.randint(2, 4))
    )
    pods = []
    for name in (first, second):
        story.add(**story.groups[name])
        pods += [(name, f"{name}p{index}") for index in range(story.groups[name]["min"])]
    rng.shuffle(pods)
    cpu = rng.choice([1, 2])
    for name, pod in pods:
        story.members(name, [pod], cpu=cpu)


def strong_gang(story: Story) -> None:
    """Make a gang that may evict others."""
    extra: dict[str, Any] = {}
    if story.chance(0.12):
        extra["never"] = True
    gang(story, priority=story.rng.choice([200, 500]), **extra)


def strong_pods(story: Story) -> None:
    """Make plain pods that may evict others."""
    rng = story.rng
    count = rng.randint(1, 2)
    extra = {"never": True} if story.chance(0.1) else {}
    cpu = rng.choice([1, 2, 3, 4])
    wished = wishes(story, often=0.06)
    story.plain(count, cpu=cpu, priority=rng.choice([200, 500]), **extra, **wished)


def topology_gang(story: Story) -> None:
    """Make a gang that wants one rack or zone."""
    key = story.rng.choice([RACK, RACK, ZONE])
    gang(story, priority=story.rng.choice([50, 100, 200]), topology=key, often=0.04)


def slow_victims(story: Story) -> None:
    """Fill the cluster with pods that end slowly, evict some, and let them end later."""
    rng = story.rng
    gang(story, priority=10, size=rng.randint(2, 4), cpu=rng.choice([1, 2]), grace=30)
    slow = [name for name, group in story.pods.items() if group == list(story.groups)[-1]]
    story.settle()
    rng.choice([strong_gang, strong_pods])(story)
    story.settle()
    for pod in slow:
        story.add(delete_if_ending=f"pod/{pod}")
    story.settle()


def budget(story: Story) -> None:
    """Protect some pods."""
    story.add(
        budget=story.fresh("b"),
        match={"app": story.rng.choice(["a", "b", "c"])},
        allowed=story.rng.choice([0, 0, 1]),
    )


def more_nodes(story: Story) -> None:
    """Make nodes."""
    for _ in range(story.rng.randint(1, 2)):
        story.node()


def fewer_nodes(story: Story) -> None:
    """Remove a node."""
    if len(story.nodes) > 1:
        name = story.rng.choice(story.nodes)
        story.nodes.remove(name)
        story.add(delete=f"node/{name}")


def changed_node(story: Story) -> None:
    """Cordon a node, change its labels, its taints or what it has."""
    rng = story.rng
    name = rng.choice(story.nodes)
    change = rng.choice(
        [
            {"spec": {"unschedulable": True}},
            {"spec": {"unschedulable": None}},
            {"metadata": {"labels": {RACK: f"r{rng.randrange(story.racks)}"}}},
            {"metadata": {"labels": {"disk": "ssd"}}},
            {"spec": {"taints": None}},
            {"spec": {"taints": [{"key": "dedicated", "value": "x", "effect": "NoSchedule"}]}},
        ]
    )
    if story.chance(0.3):
        amounts = {"cpu": str(rng.choice([1, 4, 8]))}
        change = {"status": {"allocatable": amounts, "capacity": amounts}}
        story.add(patch=f"node/{name}", **{"with": change}, sub="status")
    else:
        story.add(patch=f"node/{name}", **{"with": change})


def lost_pods(story: Story) -> None:
    """Delete pods."""
    rng = story.rng
    for _ in range(rng.randint(1, 2)):
        if story.pods:
            name = rng.choice(sorted(story.pods))
            del story.pods[name]
            story.add(delete=f"pod/{name}", grace=0)


def born_again(story: Story) -> None:
    """Delete a pod and make it again, now and then in another group."""
    rng = story.rng
    if not story.pods:
        return
    name = rng.choice(sorted(story.pods))
    group = story.pods[name]
    story.add(delete=f"pod/{name}", grace=0)
    if story.chance(0.3) and story.groups:
        group = rng.choice(sorted(story.groups))
    if group:
        story.members(group, [name], cpu=rng.choice([1, 2]))
    else:
        story.add(pods=[name], cpu=rng.choice([1, 2]), priority=50)


def late_members(story: Story) -> None:
    """Make more pods for a group that exists."""
    rng = story.rng
    if story.groups:
        group = rng.choice(sorted(story.groups))
        names = [f"{group}l{rng.randrange(100)}" for _ in range(rng.randint(1, 2))]
        story.members(group, list(dict.fromkeys(names)), cpu=rng.choice([1, 2]))


def group_again(story: Story) -> None:
    """Delete a group's object and make it again, with another minimum."""
    rng = story.rng
    if not story.groups:
        return
    name = rng.choice(sorted(story.groups))
    story.add(delete=f"group/{name}")
    story.add(strip=f"group/{name}")
    if story.chance(0.5):
        story.settle()
    if "min" in story.groups[name]:
        story.groups[name] = {**story.groups[name], "min": rng.randint(1, 5)}
    story.add(**story.groups[name])


def other_minimum(story: Story) -> None:
    """Change a gang's minimum (1.37)."""
    gangs = sorted(name for name, about in story.groups.items() if "min" in about)
    if gangs and story.release.number >= 37:
        minimum = {"gang": {"minCount": story.rng.randint(1, 6)}}
        name = story.rng.choice(gangs)
        story.add(patch=f"group/{name}", **{"with": {"spec": {"schedulingPolicy": minimum}}})


def open_gates(story: Story) -> None:
    """Take a gate off, or let a gated pod come."""
    if story.gated:
        story.add(ungate=story.gated.pop(0))
        return
    gated = story.plain(1, cpu=1, priority=50, gated=True)
    story.gated += gated


def mismatch(story: Story) -> None:
    """Make a gang of which one pod has another priority than the group."""
    name = gang(story, priority=50, size=2, min=3)
    story.members(name, [f"{name}odd"], cpu=1, priority=100)


def finished(story: Story) -> None:
    """Let a pod come to its end."""
    if story.pods:
        name = story.rng.choice(sorted(story.pods))
        phase = story.rng.choice(["Succeeded", "Failed"])
        story.add(patch=f"pod/{name}", **{"with": {"status": {"phase": phase}}}, sub="status")


def settled(story: Story) -> None:
    """Wait."""
    story.settle()
