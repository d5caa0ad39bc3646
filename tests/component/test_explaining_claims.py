"""explain and what-if on pods with device claims, as files describe them."""

from __future__ import annotations

from kubegang.app.supposed import Suppositions
from tests.component.deviceobjects import claim, claims, device_class, published, wants
from tests.component.toolscenes import binds, explained, gang, node, plan, pod, source

GANG = (
    gang("g", 2),
    *(pod(name, group="g", cpu="1", spec={"resourceClaims": claims(dev="c")}) for name in "pq"),
)


def test_a_pod_without_a_device_is_told_so() -> None:
    found = explained(
        source(
            node("n1", cpu="4"),
            device_class("gpu"),
            published("n1", "d0"),
            claim("c", wants(count=2)),
            pod("p", cpu="1", spec={"resourceClaims": claims(dev="c")}),
        ),
        "pod/p",
    )
    assert "cannot allocate all claims" in str(found)


def test_a_gang_that_shares_a_claim_goes_where_its_device_is() -> None:
    made = plan(
        source(
            node("n1", cpu="4"),
            node("n2", cpu="4"),
            device_class("gpu"),
            published("n2", "d0"),
            claim("c"),
            *GANG,
        ),
        Suppositions(),
    )
    assert binds(made) == {"p": "n2", "q": "n2"}
