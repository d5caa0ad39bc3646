"""Ingresses that name no class get the default one, as on 1.37.2."""

from __future__ import annotations

from tests.component.apiharness import Api, api_test


@api_test
async def test_an_ingress_gets_the_newest_default_class(api: Api) -> None:
    mark = {"ingressclass.kubernetes.io/is-default-class": "true"}
    classes = "/apis/networking.k8s.io/v1/ingressclasses"
    for name in ("b", "a"):
        metadata = {"name": name, "annotations": mark}
        await api.create(classes, {"metadata": metadata, "spec": {"controller": "example.com/c"}})
    spec = {"defaultBackend": {"service": {"name": "s", "port": {"number": 80}}}}
    ingresses = "/apis/networking.k8s.io/v1/namespaces/default/ingresses"
    made = await api.create(ingresses, {"metadata": {"name": "i"}, "spec": spec})
    assert made["spec"]["ingressClassName"] == "a"
    old_way = {"name": "j", "annotations": {"kubernetes.io/ingress.class": "x"}}
    assert (
        "ingressClassName"
        not in (await api.create(ingresses, {"metadata": old_way, "spec": spec}))["spec"]
    )
