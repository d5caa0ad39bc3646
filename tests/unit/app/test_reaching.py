"""What the scheduler leaves out where a cluster does not serve it."""

from __future__ import annotations

import pytest

from kubegang.app.reaching import without_unserved_composites
from kubegang.client.api import ApiClient
from kubegang.client.asgi import AsgiTransport
from kubegang.testing.deciding import default_profile
from tests.component.apiharness import Api


@pytest.mark.parametrize(("gates", "served"), [("", True), ("CompositePodGroup=false", False)])
async def test_composites_are_left_out_where_they_are_not_served(
    gates: str, *, served: bool
) -> None:
    api = await Api.start(feature_gates=gates)
    transport = AsgiTransport(api.app, user="admin", groups=("system:masters",))
    client = ApiClient(transport, user_agent="tests")
    (profile,) = await without_unserved_composites(client, (default_profile(),))
    assert profile.gates["CompositePodGroup"] is served
