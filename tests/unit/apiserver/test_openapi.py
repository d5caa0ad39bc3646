"""OpenAPI v3: what kubectl needs to create, apply and explain."""

from __future__ import annotations

import hashlib
from typing import Any

import pytest
from starlette.applications import Starlette

from kubegang.api.facts import load_facts
from kubegang.api.resources import ROWS
from kubegang.api.scheme import Scheme
from kubegang.apimachinery.objects import GroupVersion
from kubegang.apiserver.catalog import Catalog
from kubegang.apiserver.descriptions import load_descriptions
from kubegang.apiserver.openapi import openapi_routes
from kubegang.apiserver.protowire import pairs, read_bytes, read_string
from kubegang.base.feature_gates import FeatureGates
from tests.unit.apiserver.asgi import Reply, call

SERVED = (
    GroupVersion("", "v1"),
    GroupVersion("batch", "v1"),
    GroupVersion("scheduling.k8s.io", "v1"),
    GroupVersion("scheduling.k8s.io", "v1beta1"),
)
GROUP = "/openapi/v3/apis/scheduling.k8s.io/v1beta1"
SCHEDULING = "io.k8s.api.scheduling.v1beta1"


@pytest.fixture(scope="module")
def app() -> Starlette:
    gates = FeatureGates({"GenericWorkload": True, "CompositePodGroup": True})
    scheme = Scheme.for_profile(ROWS, SERVED, gates)
    return Starlette(
        routes=openapi_routes(
            Catalog(scheme),
            load_facts("1.37"),
            descriptions=load_descriptions(),
            git_version="v1.37.2+kubegang",
        )
    )


async def get(app: Starlette, target: str) -> Reply:
    return await call(app, "GET", target)


async def schema(app: Starlette, name: str) -> Any:
    return (await get(app, GROUP)).json()["components"]["schemas"][name]


async def test_the_index_is_text_and_names_every_document_with_its_hash(app: Starlette) -> None:
    index = await get(app, "/openapi/v3")
    url = index.json()["paths"]["apis/scheduling.k8s.io/v1beta1"]["serverRelativeURL"]
    document = await get(app, url)

    assert index.headers["content-type"] == "text/plain; charset=utf-8"
    assert {"api", "api/v1", "apis", "apis/batch", "version"} <= index.json()["paths"].keys()
    assert url == f"{GROUP}?hash={hashlib.sha512(document.body).hexdigest().upper()}"
    assert document.headers["cache-control"] == "public, immutable"


async def test_a_wrong_hash_leads_to_the_right_one(app: Starlette) -> None:
    reply = await get(app, f"{GROUP}?hash=WRONG")

    assert (reply.status, reply.body) == (301, b"")
    assert (await get(app, reply.headers["location"])).status == 200


async def test_what_is_not_served_is_not_there(app: Starlette) -> None:
    assert (await get(app, "/openapi/v3/apis/none/v1")).status == 404


async def test_the_older_document_has_every_definition(app: Starlette) -> None:
    definitions = (await get(app, "/openapi/v2")).json()["definitions"]
    group = definitions[f"{SCHEDULING}.PodGroupSpec"]["properties"]

    assert group["schedulingPolicy"] == {
        "description": "Gang or basic; required.",
        "$ref": f"#/definitions/{SCHEDULING}.PodGroupSchedulingPolicy",
    }
    assert group["resourceClaims"]["items"] == {
        "$ref": f"#/definitions/{SCHEDULING}.PodGroupResourceClaim"
    }
    assert definitions["io.k8s.apimachinery.pkg.util.intstr.IntOrString"] == {
        "type": "string",
        "format": "int-or-string",
    }


async def test_the_older_document_comes_as_protobuf_where_that_is_asked_for(
    app: Starlette,
) -> None:
    accept = "application/com.github.proto-openapi.spec.v2@v1.0+protobuf"
    reply = await call(app, "GET", "/openapi/v2", headers={"Accept": accept})
    fields = dict(pairs(memoryview(reply.body)))

    assert reply.headers["content-type"] == accept.replace("@", ".")
    assert bytes(read_bytes(fields[1])) == b"2.0"
    names = [
        read_string(dict(pairs(read_bytes(entry)))[1]) for _, entry in pairs(read_bytes(fields[9]))
    ]
    assert f"{SCHEDULING}.PodGroup" in names


async def test_a_kind_is_found_by_its_group_version_and_kind(app: Starlette) -> None:
    assert (await schema(app, f"{SCHEDULING}.PodGroup"))["x-kubernetes-group-version-kind"] == [
        {"group": "scheduling.k8s.io", "version": "v1beta1", "kind": "PodGroup"}
    ]


async def test_every_reference_leads_to_a_schema_of_the_same_document(app: Starlette) -> None:
    for path in (await get(app, "/openapi/v3")).json()["paths"]:
        document = (await get(app, f"/openapi/v3/{path}")).json()
        known = document["components"]["schemas"].keys()
        assert set(references(document)) <= {f"#/components/schemas/{name}" for name in known}


def references(value: Any) -> list[str]:
    """Return every ``$ref`` in a document."""
    if isinstance(value, dict):
        found = [value["$ref"]] if isinstance(value.get("$ref"), str) else []
        return found + [item for inner in value.values() for item in references(inner)]
    if isinstance(value, list):
        return [item for inner in value for item in references(inner)]
    return []


async def test_lists_say_how_they_are_merged(app: Starlette) -> None:
    claims = (await schema(app, f"{SCHEDULING}.PodGroupSpec"))["properties"]["resourceClaims"]

    assert claims["x-kubernetes-list-type"] == "map"
    assert claims["x-kubernetes-list-map-keys"] == ["name"]
    assert claims["x-kubernetes-patch-merge-key"] == "name"
    assert claims["x-kubernetes-patch-strategy"] == "merge,retainKeys"


async def test_a_reference_with_a_description_stands_in_all_of(app: Starlette) -> None:
    policy = (await schema(app, f"{SCHEDULING}.PodGroupSpec"))["properties"]["schedulingPolicy"]

    assert policy["allOf"] == [
        {"$ref": f"#/components/schemas/{SCHEDULING}.PodGroupSchedulingPolicy"}
    ]
    assert policy["description"] == "Gang or basic; required."


async def test_patch_takes_all_four_types_and_validates_fields(app: Starlette) -> None:
    path = "/apis/scheduling.k8s.io/v1beta1/namespaces/{namespace}/podgroups/{name}"
    patch = (await get(app, GROUP)).json()["paths"][path]["patch"]

    assert sorted(patch["requestBody"]["content"]) == [
        "application/apply-patch+yaml",
        "application/json-patch+json",
        "application/merge-patch+json",
        "application/strategic-merge-patch+json",
    ]
    assert patch["operationId"] == "patchSchedulingV1beta1NamespacedPodGroup"
    assert [parameter["name"] for parameter in patch["parameters"]] == [
        "dryRun",
        "fieldManager",
        "fieldValidation",
        "force",
    ]


async def test_an_eviction_is_a_kind_of_another_group(app: Starlette) -> None:
    document = (await get(app, "/openapi/v3/api/v1")).json()
    post = document["paths"]["/api/v1/namespaces/{namespace}/pods/{name}/eviction"]["post"]

    assert post["x-kubernetes-group-version-kind"]["group"] == "policy"
    assert "io.k8s.api.policy.v1.Eviction" in document["components"]["schemas"]


@pytest.mark.parametrize("version", ["1.37", "1.36", "1.35"])
def test_every_gang_scheduling_field_has_a_description(version: str) -> None:
    facts = load_facts(version)
    texts = load_descriptions()

    missing = [
        f"{name}.{field}"
        for name in facts.names()
        if name.startswith("io.k8s.api.scheduling.")
        for field in ("", *facts.definition(name).fields)
        if not texts.get(f"io.k8s.api.scheduling.{name.split('.')[-1]}", {}).get(field)
    ]

    assert missing == []
