"""What may happen to devices and claims: acts of the family ``devices``."""

from __future__ import annotations

from typing import Any

from tests.differential.acts import gang
from tests.differential.story import Story


def some_devices(story: Story) -> None:
    """Publish devices on a node that has none yet."""
    bare = [name for name in story.nodes if name not in story.equipped]
    if bare:
        name = story.rng.choice(bare)
        story.equipped.append(name)
        story.add(slice=name, devices=_devices(story))


def _devices(story: Story) -> list[dict[str, Any]]:
    rng = story.rng
    found = []
    for index in range(rng.randint(1, 4)):
        memory = rng.choice([40, 40, 80])
        device: dict[str, Any] = {"name": f"d{index}", "memory": memory, "numa": index // 2}
        if story.chance(0.1):
            device["taint"] = rng.choice(["NoSchedule", "NoExecute"])
        found.append(device)
    return found


def _claim(story: Story) -> str:
    """Make a claim for some devices."""
    rng = story.rng
    members: dict[str, Any] = {"count": rng.choice([1, 1, 1, 2, 3])}
    if story.chance(0.15):
        members["all"] = True
    if story.chance(0.25):
        members["memory"] = rng.choice([40, 80])
    if story.chance(0.15):
        members["same"] = "numa"
    if story.chance(0.2):
        members["or"] = {"count": 1}
    if story.chance(0.15):
        members["tolerates"] = True
    name = story.fresh("c")
    story.claims.append(name)
    story.add(claim=name, **members)
    return name


def claiming_pods(story: Story) -> None:
    """Make pods, each with a claim of its own, or all with the same one."""
    rng = story.rng
    shared = _claim(story) if story.chance(0.4) else ""
    for _ in range(rng.randint(1, 3)):
        claim = shared or _claim(story)
        story.plain(1, cpu=1, priority=rng.choice([10, 50, 100]), claims=[claim])


def claiming_gang(story: Story) -> None:
    """Make a gang that shares a claim: the group's, or one that each pod names for itself."""
    claim = _claim(story)
    members: dict[str, Any] = {"priority": story.rng.choice([50, 100])}
    if story.chance(0.6):
        members["claims"] = [claim]
    gang(story, often=0.02, pod_claims=[claim], **members)


def gang_of_claims(story: Story) -> None:
    """Make a gang of pods with a claim each."""
    rng = story.rng
    size = rng.randint(2, 4)
    name = story.group(min=rng.choice([size, size, 1]), priority=rng.choice([50, 100]))
    story.add(**story.groups[name])
    for index in range(size):
        story.members(name, [f"{name}p{index}"], cpu=1, claims=[_claim(story)])


def strong_claiming_pod(story: Story) -> None:
    """Make a pod that may evict others and wants devices."""
    rng = story.rng
    story.plain(1, cpu=rng.choice([1, 3]), priority=500, claims=[_claim(story)])


def late_claim(story: Story) -> None:
    """Make a pod whose claim comes later."""
    name = story.fresh("c")
    story.plain(1, cpu=1, priority=50, claims=[name])
    story.settle()
    story.claims.append(name)
    story.add(claim=name, count=1)


def devices_gone(story: Story) -> None:
    """Take a node's devices away."""
    if story.equipped:
        name = story.rng.choice(story.equipped)
        story.equipped.remove(name)
        story.add(delete=f"slice/{name}")
