"""Devices that others use are for administrators: in namespaces that are marked for it."""

from __future__ import annotations

from tests.component.apiharness import Api, api_test
from tests.component.claimobjects import claim, template

CLAIMS = "/apis/resource.k8s.io/v1/namespaces/default/resourceclaims"
TEMPLATES = "/apis/resource.k8s.io/v1/namespaces/default/resourceclaimtemplates"
NEEDED = (
    "spec.devices.requests[0].adminAccess: Forbidden: admin access to devices requires the "
    "`resource.kubernetes.io/admin-access: true` label on the containing namespace"
)


@api_test
async def test_admin_access_needs_a_marked_namespace(api: Api) -> None:
    asking, made = claim("c"), template("t")
    for spec in (asking["spec"], made["spec"]["spec"]):
        spec["devices"]["requests"][0]["exactly"]["adminAccess"] = True

    for path, obj in ((CLAIMS, asking), (TEMPLATES, made)):
        reply = await api.post(path, obj)
        assert (reply.status, reply.message.partition("is invalid: ")[2]) == (422, NEEDED)

    label = {"metadata": {"labels": {"resource.kubernetes.io/admin-access": "true"}}}
    await api.patch("/api/v1/namespaces/default", label)

    for path, obj in ((CLAIMS, asking), (TEMPLATES, made)):
        await api.create(path, obj)
