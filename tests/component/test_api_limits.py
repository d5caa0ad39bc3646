"""What a request may be at most."""

from __future__ import annotations

from tests.component.apiharness import Api, api_test


@api_test
async def test_a_head_of_more_than_a_mebibyte_is_too_large(api: Api) -> None:
    """Measured on 1.37.2."""
    assert (await api.get("/version", headers={"x-big": "a" * 1_000_000})).status == 200
    assert (await api.get("/version", headers={"x-big": "a" * 1_100_000})).status == 431
