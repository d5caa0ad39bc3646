"""The sorted index against sorted()."""

from __future__ import annotations

from hypothesis import given, settings
from hypothesis import strategies as st

from kubegang.store.index import KeyIndex, first_after, prefix_end
from kubegang.store.interface import Item, Revision

TEXTS = st.text(st.sampled_from("ab/\0" + chr(0x10FFFF)), max_size=6)


def item(key: str) -> Item:
    return Item(key, key.encode(), Revision(1))


@given(st.sets(TEXTS), TEXTS)
def test_a_prefix_selects_what_starts_with_it(keys: set[str], prefix: str) -> None:
    index = KeyIndex([item(key) for key in sorted(keys)])
    wanted = sorted(key for key in keys if key.startswith(prefix))

    assert index.keys(prefix, prefix_end(prefix)) == wanted
    assert index.count(prefix, prefix_end(prefix)) == len(wanted)


@given(st.sets(TEXTS), TEXTS)
def test_what_follows_a_key_is_greater_than_it(keys: set[str], key: str) -> None:
    index = KeyIndex([item(one) for one in sorted(keys)])

    assert index.keys(first_after(key), None) == sorted(one for one in keys if one > key)


@settings(deadline=None)
@given(st.lists(st.tuples(st.booleans(), st.integers(0, 3_000)), max_size=60), st.booleans())
def test_any_order_of_changes_leaves_the_keys_sorted(
    changes: list[tuple[bool, int]], grown: bool
) -> None:
    index = KeyIndex()
    model: dict[str, Item] = {}
    # Enough keys that chunks are split and emptied.
    for number in range(0, 3_000, 2) if grown else ():
        model[f"/{number:04}"] = item(f"/{number:04}")
        index.put(model[f"/{number:04}"])
    for present, number in changes:
        key = f"/{number:04}"
        if present:
            model[key] = item(key)
            index.put(model[key])
        elif key in model:
            del model[key]
            index.remove(key)

    assert index.keys("", None) == sorted(model)
    assert len(index) == len(model)
    assert all(index.get(key) is model[key] for key in model)


def test_an_index_that_was_emptied_can_be_filled_again() -> None:
    index = KeyIndex([item("/a")])
    index.remove("/a")
    assert index.keys("", None) == []
    assert index.count("", None) == 0

    index.put(item("/b"))

    assert index.keys("", None) == ["/b"]
