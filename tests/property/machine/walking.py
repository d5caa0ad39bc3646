"""A walk through the acts of the world by a seed: the same course every time."""

from __future__ import annotations

import hashlib
import random

import structlog

from tests.property.machine.stillness import check_still, come_to_rest
from tests.property.machine.world import ACTS, OFTEN, Setting, World


def walk(setting: Setting, *, seed: int, steps: int) -> list[str]:
    """Let things happen, come to rest, and return every decision as JSON."""
    chance = random.Random(seed)
    names = [*ACTS, *(3 * OFTEN)]
    world = World(setting, seed=seed)
    try:
        for name in ("n0", "n1"):
            world.act("set_node", name=name, cpu=4, rack="r0", cordoned=False)
        for _ in range(steps):
            act = chance.choice(names)
            world.act(act, **{key: chance.choice(values) for key, values in ACTS[act].items()})
        come_to_rest(world)
        check_still(world)
    finally:
        world.close()
    return world.story


def fingerprint() -> str:
    """Return a digest of what all releases and scheduler profiles decide in one walk each."""
    structlog.configure(wrapper_class=structlog.make_filtering_bound_logger(50))
    story = [
        line
        for release in ("1.35", "1.36", "1.37")
        for profile in ("default-scheduler", "kubegang")
        for line in walk(Setting(release, profile), seed=5, steps=25)
    ]
    return f"{len(story)} {hashlib.sha256(chr(10).join(story).encode()).hexdigest()}"
