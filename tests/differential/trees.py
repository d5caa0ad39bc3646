"""What may happen to trees of groups (1.37): acts of the family ``trees``."""

from __future__ import annotations

from typing import Any, Final

from tests.differential.acts import gang
from tests.differential.story import RACK, ZONE, Story

DEEPEST: Final = 2
"""Levels of composite groups; a group below the last is the third level."""


def some_tree(story: Story) -> None:
    """Make a tree of usual priority."""
    _tree(story, priority=story.rng.choice([10, 50, 50, 100]))


def strong_tree(story: Story) -> None:
    """Make a tree that may evict others."""
    _tree(story, priority=story.rng.choice([200, 500]))


def _tree(story: Story, *, priority: int) -> None:
    made = len(story.steps)
    _composite(story, "", priority=priority, level=1)
    if story.chance(0.15):
        # Parents that come after their children.
        added = story.steps[made:]
        story.rng.shuffle(added)
        story.steps[made:] = added


def _composite(story: Story, parent: str, *, priority: int, level: int) -> None:
    """Make a composite group and what is below it."""
    rng = story.rng
    children = rng.randint(1, 3)
    members: dict[str, Any] = {"priority": priority}
    if not story.chance(0.25):
        members["min"] = children if story.chance(0.6) else rng.randint(1, children + 1)
    if story.chance(0.25):
        members["topology"] = ZONE if level == 1 else RACK
    if story.chance(0.2):
        members["disruption"] = rng.choice(["single", "all"])
    if parent:
        members["parent"] = parent
    name = story.composite(**members)
    story.add(**story.composites[name])
    for _ in range(children):
        if level < DEEPEST and story.chance(0.3):
            _composite(story, name, priority=priority, level=level + 1)
        else:
            _branch(story, name, priority=priority)


def _branch(story: Story, parent: str, *, priority: int) -> None:
    """Make a group of a tree, now and then of another priority or with a key of its own."""
    extra: dict[str, Any] = {}
    if story.chance(0.12):
        extra["topology"] = RACK
    if story.chance(0.05):
        priority = 75
    size = story.rng.choice([1, 2, 2, 3])
    gang(story, often=0.03, parent=parent, priority=priority, size=size, **extra)


def late_branch(story: Story) -> None:
    """Make one more group below a composite group that exists."""
    if story.composites:
        name = story.rng.choice(sorted(story.composites))
        _branch(story, name, priority=story.composites[name]["priority"])


def other_group_minimum(story: Story) -> None:
    """Change how many groups a composite group wants."""
    wanting = sorted(name for name, about in story.composites.items() if "min" in about)
    if wanting:
        minimum = {"gang": {"minGroupCount": story.rng.randint(1, 4)}}
        name = story.rng.choice(wanting)
        story.add(patch=f"composite/{name}", **{"with": {"spec": {"schedulingPolicy": minimum}}})


def composite_again(story: Story) -> None:
    """Delete a composite group and make it again."""
    if not story.composites:
        return
    name = story.rng.choice(sorted(story.composites))
    story.add(delete=f"composite/{name}")
    story.add(strip=f"composite/{name}")
    if story.chance(0.5):
        story.settle()
    story.add(**story.composites[name])
