"""A case for each seed: a Job, what stands around it, and what happens to it."""

from __future__ import annotations

import random

from tests.joblife.jobs import random_job, surroundings
from tests.joblife.lives import random_life
from tests.joblife.steps import Case


def make_case(seed: int) -> Case:
    """Return the case of a seed."""
    chance = random.Random(seed)
    # A class of that name exists in no cluster before the case itself makes it.
    job = random_job(chance, late_class=f"late-{seed}")
    return Case(seed, surroundings(chance, job), job, random_life(chance, job))
