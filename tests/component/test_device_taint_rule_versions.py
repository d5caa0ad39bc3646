"""DeviceTaintRules before 1.37: in versions that are served only when asked for.

As kube-apiserver 1.36.3 and 1.35.4 with ``--runtime-config`` and without.
"""

from __future__ import annotations

import pytest

from kubegang.apimachinery.errors import NotFoundError
from kubegang.app.profiles.runtime_config import RuntimeConfigError
from kubegang.app.profiles.table import profile_named
from kubegang.app.served import scheme_of
from kubegang.base.clock import run_virtual
from kubegang.client.api import ApiClient
from kubegang.client.asgi import AsgiTransport
from kubegang.client.resources import device_taint_rules_in
from tests.component.apiharness import Api
from tests.component.taintobjects import taint_rule

OFFERED = [
    ("1.35", ["v1alpha3"]),
    ("1.36", ["v1beta2", "v1alpha3"]),
    ("1.37", ["v1", "v1beta2", "v1alpha3"]),
]


def served(release: str, runtime_config: str) -> list[str]:
    profile = profile_named(release, runtime_config=runtime_config)
    rows = scheme_of(profile).resources()
    return [row.version for row in rows if row.plural == "devicetaintrules"]


@pytest.mark.parametrize(("release", "versions"), OFFERED)
def test_each_release_offers_its_versions_and_serves_only_the_final_one(
    release: str, versions: list[str]
) -> None:
    asked = ",".join(f"resource.k8s.io/{version}=true" for version in versions)
    assert served(release, asked) == versions
    assert served(release, "") == [version for version in versions if version == "v1"]
    assert served(release, "api/all=true") == versions


def test_what_a_release_does_not_have_cannot_be_asked_for() -> None:
    with pytest.raises(RuntimeConfigError, match=r"resource\.k8s\.io/v1beta2 is not served"):
        served("1.35", "resource.k8s.io/v1beta2=true")


def test_versions_show_the_same_rules() -> None:
    async def main() -> None:
        api = await Api.start(
            version="1.36",
            runtime_config="resource.k8s.io/v1beta2=true,resource.k8s.io/v1alpha3=true",
        )
        transport = AsgiTransport(api.app, user="admin", groups=("system:masters",))
        client = ApiClient(transport, user_agent="kubectl")
        beta, alpha = device_taint_rules_in("v1beta2"), device_taint_rules_in("v1alpha3")
        rule = {**taint_rule("r"), "apiVersion": beta.api_version}
        made = await client.create(beta, rule)
        assert made["spec"]["taint"]["timeAdded"]

        seen = await client.get(alpha, "r")
        assert seen["apiVersion"] == alpha.api_version
        assert seen["spec"] == made["spec"]
        # These versions take a PUT without a version; v1 does not.
        del seen["metadata"]["resourceVersion"]
        changed = await client.update(alpha, {**seen, "spec": {"taint": made["spec"]["taint"]}})
        assert changed["metadata"]["generation"] == 2
        with pytest.raises(NotFoundError):
            await client.get(device_taint_rules_in("v1"), "r")

    run_virtual(main())
