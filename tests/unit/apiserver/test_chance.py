from __future__ import annotations

import random
import uuid

from kubegang.apiserver.chance import generated_name, new_uid


def test_uids_are_random_uuids() -> None:
    rng = random.Random(1)
    uids = [new_uid(rng) for _ in range(200)]

    assert len(set(uids)) == 200
    for uid in uids:
        parsed = uuid.UUID(uid)
        assert str(parsed) == uid
        assert (parsed.version, parsed.variant) == (4, uuid.RFC_4122)


def test_the_same_seed_gives_the_same_names() -> None:
    names = {generated_name("job-", random.Random(7)) for _ in range(3)}

    assert len(names) == 1
    assert len(names.pop()) == len("job-") + 5


def test_a_long_base_is_cut_so_that_the_name_has_63_characters() -> None:
    name = generated_name("a" * 70, random.Random(1))

    assert len(name) == 63
    assert name.startswith("a" * 58)
