"""Discovery, plain and aggregated, as kube-apiserver 1.37.2 answers it."""

from __future__ import annotations

import pytest
from starlette.applications import Starlette

from kubegang.api.resources import ROWS
from kubegang.api.scheme import Scheme
from kubegang.apimachinery.objects import GroupVersion, GroupVersionKind
from kubegang.apiserver.catalog import Catalog
from kubegang.apiserver.discovery import AGGREGATED_TYPE, discovery_routes
from kubegang.apiserver.discovery_documents import storage_version_hash
from kubegang.base.feature_gates import FeatureGates
from tests.unit.apiserver.asgi import Reply, call

SERVED = (
    GroupVersion("", "v1"),
    GroupVersion("events.k8s.io", "v1"),
    GroupVersion("batch", "v1"),
    GroupVersion("scheduling.k8s.io", "v1"),
    GroupVersion("scheduling.k8s.io", "v1beta1"),
    GroupVersion("scheduling.k8s.io", "v1alpha3"),
)
AGGREGATED = {"Accept": f"{AGGREGATED_TYPE},application/json"}


def make_app(*, composite: bool = True) -> Starlette:
    gates = FeatureGates({"GenericWorkload": True, "CompositePodGroup": composite})
    scheme = Scheme.for_profile(ROWS, SERVED, gates)
    return Starlette(routes=discovery_routes(Catalog(scheme), git_version="v1.37.2+kubegang"))


async def get(target: str, headers: dict[str, str] | None = None) -> Reply:
    return await call(make_app(), "GET", target, headers=headers)


@pytest.mark.parametrize(
    ("kind", "want_hash"),
    [
        (GroupVersionKind("", "v1", "Pod"), "xPOwRZ+Yhw8="),
        (GroupVersionKind("batch", "v1", "Job"), "mudhfqk/qZY="),
        (GroupVersionKind("scheduling.k8s.io", "v1beta1", "PodGroup"), "QjOl2H5qPs0="),
        (GroupVersionKind("scheduling.k8s.io", "v1alpha3", "CompositePodGroup"), "L+dT284DGFE="),
    ],
)
def test_the_storage_version_hash_is_upstreams(kind: GroupVersionKind, want_hash: str) -> None:
    assert storage_version_hash(kind) == want_hash


async def test_groups_and_versions_come_in_the_order_served() -> None:
    groups = (await get("/apis")).json()["groups"]

    assert [group["name"] for group in groups] == ["events.k8s.io", "batch", "scheduling.k8s.io"]
    assert groups[2]["preferredVersion"]["version"] == "v1"
    assert [entry["version"] for entry in groups[2]["versions"]] == ["v1", "v1beta1", "v1alpha3"]


async def test_a_group_describes_itself() -> None:
    batch = {"groupVersion": "batch/v1", "version": "v1"}

    assert (await get("/apis/batch")).json() == {
        "kind": "APIGroup",
        "apiVersion": "v1",
        "name": "batch",
        "versions": [batch],
        "preferredVersion": batch,
    }


async def test_the_core_groups_root_tells_the_address_reached() -> None:
    document = (await get("/api")).json()

    assert document["versions"] == ["v1"]
    assert document["serverAddressByClientCIDRs"] == [
        {"clientCIDR": "0.0.0.0/0", "serverAddress": "127.0.0.1:6443"}
    ]


async def test_resources_are_sorted_with_their_subresources_behind_them() -> None:
    document = (await get("/apis/scheduling.k8s.io/v1alpha3")).json()
    group = document["resources"][2]

    assert [entry["name"] for entry in document["resources"]] == [
        "compositepodgroups",
        "compositepodgroups/status",
        "podgroups",
        "podgroups/status",
        "workloads",
    ]
    # Stored as v1beta1, whatever the version asked for.
    assert group["storageVersionHash"] == "QjOl2H5qPs0="
    assert "shortNames" not in group
    assert "categories" not in group


async def test_the_core_resource_list_has_no_version_of_its_own() -> None:
    document = (await get("/api/v1")).json()
    eviction = next(entry for entry in document["resources"] if entry["name"] == "pods/eviction")

    assert list(document) == ["kind", "groupVersion", "resources"]
    assert (eviction["group"], eviction["version"], eviction["kind"]) == (
        "policy",
        "v1",
        "Eviction",
    )


async def test_a_resource_whose_gate_is_off_is_not_listed() -> None:
    app = make_app(composite=False)
    document = (await call(app, "GET", "/apis/scheduling.k8s.io/v1alpha3")).json()

    names = [entry["name"] for entry in document["resources"]]
    assert names == ["podgroups", "podgroups/status", "workloads"]


async def test_the_aggregated_list_leaves_built_in_response_kinds_without_a_group() -> None:
    reply = await get("/apis", AGGREGATED)
    scheduling = reply.json()["items"][2]
    pod_group = scheduling["versions"][1]["resources"][0]

    assert reply.headers["content-type"] == AGGREGATED_TYPE
    assert scheduling["metadata"] == {"name": "scheduling.k8s.io"}
    assert scheduling["versions"][1]["freshness"] == "Current"
    assert pod_group["responseKind"] == {"group": "", "version": "", "kind": "PodGroup"}
    assert [entry["subresource"] for entry in pod_group["subresources"]] == ["status"]


async def test_the_aggregated_core_list_has_one_nameless_group() -> None:
    items = (await get("/api", AGGREGATED)).json()["items"]

    assert [item["metadata"] for item in items] == [{}]


async def test_a_client_that_has_the_aggregated_list_gets_no_body() -> None:
    etag = (await get("/apis", AGGREGATED)).headers["etag"]
    again = await get("/apis", {**AGGREGATED, "If-None-Match": etag})

    assert etag.strip('"').isalnum()
    assert etag == etag.upper()
    assert (again.status, again.body) == (304, b"")


async def test_the_beta_form_of_the_aggregated_list_falls_back_to_the_plain_one() -> None:
    accept = AGGREGATED_TYPE.replace("v=v2", "v=v2beta1")
    reply = await get("/apis", {"Accept": f"{accept},application/json"})

    assert reply.json()["kind"] == "APIGroupList"


@pytest.mark.parametrize("path", ["/apis/none", "/apis/none/v1", "/apis/none/v1/"])
async def test_an_unknown_group_is_a_plain_404(path: str) -> None:
    reply = await get(path)

    assert (reply.status, reply.body) == (404, b"404 page not found\n")


@pytest.mark.parametrize("path", ["/apis/batch/v9", "/api/v2", "/api/v2/"])
async def test_an_unknown_version_is_a_status_with_empty_details(path: str) -> None:
    status = (await get(path)).json()

    assert (status["code"], status["reason"], status["details"]) == (404, "NotFound", {})


@pytest.mark.parametrize("path", ["/api", "/apis", "/api/v1", "/apis/batch/v1", "/version"])
async def test_a_trailing_slash_changes_nothing(path: str) -> None:
    assert (await get(f"{path}/")).body == (await get(path)).body


async def test_the_version_names_the_release_and_its_predecessor() -> None:
    version = (await get("/version")).json()

    assert version["gitVersion"] == "v1.37.2+kubegang"
    assert (version["major"], version["minor"]) == ("1", "37")
    assert version["minCompatibilityMinor"] == "36"


async def test_documents_can_be_had_as_yaml_and_not_as_html() -> None:
    as_yaml = await get("/apis/batch", {"Accept": "application/yaml"})
    as_html = await get("/apis/batch", {"Accept": "text/html"})

    assert as_yaml.body.startswith(b"apiVersion: v1\nkind: APIGroup\n")
    assert as_html.status == 406


async def test_documents_can_only_be_read() -> None:
    assert (await call(make_app(), "POST", "/version")).json()["reason"] == "MethodNotAllowed"
