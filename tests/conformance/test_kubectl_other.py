"""kubectl commands whose output depends on the cluster: identity, versions, differences."""

from __future__ import annotations

import json

from tests.conformance.kubectl.running import Kubectl

CONFIG_MAP = "apiVersion: v1\nkind: ConfigMap\nmetadata:\n  name: c\ndata:\n  a: '%s'\n"


def test_whoami_names_the_user_and_the_groups(kubectl: Kubectl) -> None:
    result = kubectl("auth", "whoami", "-o", "json")
    user = json.loads(result.stdout)["status"]["userInfo"]

    assert user["username"]
    assert {"system:masters", "system:authenticated"} <= set(user["groups"])


def test_the_list_of_rights_begins_with_everything(kubectl: Kubectl) -> None:
    result = kubectl("auth", "can-i", "--list")

    assert result.code == 0
    assert result.stdout.splitlines()[1].split() == ["*.*", "[]", "[]", "[*]"]


def test_the_api_versions_of_the_scheduling_group_are_all_served(kubectl: Kubectl) -> None:
    result = kubectl("api-versions")

    assert [line for line in result.stdout.splitlines() if line.startswith("scheduling")] == [
        "scheduling.k8s.io/v1",
        "scheduling.k8s.io/v1alpha3",
        "scheduling.k8s.io/v1beta1",
    ]


def test_resources_are_listed_with_short_names_and_scope(kubectl: Kubectl) -> None:
    rows = {
        line.split()[0]: line.split()[1:]
        for line in kubectl("api-resources", "--no-headers").stdout.splitlines()
    }

    assert rows["pods"] == ["po", "v1", "true", "Pod"]
    assert rows["nodes"] == ["no", "v1", "false", "Node"]
    assert rows["jobs"] == ["batch/v1", "true", "Job"]
    assert rows["podgroups"] == ["scheduling.k8s.io/v1beta1", "true", "PodGroup"]


def test_diff_shows_what_apply_would_change(kubectl: Kubectl) -> None:
    (kubectl.directory / "one.yaml").write_text(CONFIG_MAP % 1)
    (kubectl.directory / "two.yaml").write_text(CONFIG_MAP % 2)
    kubectl("apply", "-f", "one.yaml")

    same = kubectl("diff", "-f", "one.yaml")
    different = kubectl("diff", "-f", "two.yaml")
    by_server = kubectl("diff", "--server-side", "--force-conflicts", "-f", "two.yaml")

    assert (same.code, same.stdout) == (0, "")
    assert (different.code, by_server.code) == (1, 1)
    for output in (different.stdout, by_server.stdout):
        assert '-  a: "1"' in output
        assert '+  a: "2"' in output


def test_moving_from_apply_to_server_side_apply_happens_once(kubectl: Kubectl) -> None:
    (kubectl.directory / "one.yaml").write_text(CONFIG_MAP % 1)
    kubectl("apply", "-f", "one.yaml")
    kubectl("apply", "--server-side", "-f", "one.yaml")
    moved = kubectl("get", "configmap", "c", "--show-managed-fields", "-o", "yaml").stdout

    kubectl("apply", "--server-side", "-f", "one.yaml")

    assert kubectl("get", "configmap", "c", "--show-managed-fields", "-o", "yaml").stdout == moved
    assert "manager: kubectl\n" in moved
    assert "kubectl-client-side-apply" not in moved


def test_everything_of_a_list_can_be_created_again(kubectl: Kubectl) -> None:
    (kubectl.directory / "one.yaml").write_text(CONFIG_MAP % 1)
    kubectl("create", "-f", "one.yaml")
    dump = kubectl("get", "configmaps", "--field-selector=metadata.name=c", "-o", "yaml").stdout
    kubectl("delete", "configmap", "c")

    result = kubectl("apply", "-f", "-", stdin=dump)

    assert result.stdout == "configmap/c created\n"
