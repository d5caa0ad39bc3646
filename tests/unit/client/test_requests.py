"""Paths and bodies that the contract suite does not show."""

from __future__ import annotations

import pytest

from kubegang.client.requests import (
    create_request,
    get_request,
    list_request,
    patch_request,
    path_of,
    update_request,
)
from kubegang.client.resources import NODES, PODGROUPS, PODS


def test_paths_name_group_version_namespace_and_name() -> None:
    assert path_of(PODS) == "/api/v1/pods"
    assert path_of(PODS, "ns", "p", subresource="status") == "/api/v1/namespaces/ns/pods/p/status"
    assert path_of(NODES, name="n") == "/api/v1/nodes/n"
    assert path_of(PODGROUPS, "ns") == ("/apis/scheduling.k8s.io/v1beta1/namespaces/ns/podgroups")


def test_a_missing_namespace_or_name_is_a_mistake_of_the_caller() -> None:
    with pytest.raises(ValueError, match="namespace of pods 'p' is missing"):
        get_request(PODS, "p")
    with pytest.raises(ValueError, match="nodes have no namespace, yet 'ns'"):
        list_request(NODES, "ns")
    with pytest.raises(ValueError, match="namespace of the Pod to create is missing"):
        create_request(PODS, {"metadata": {"name": "p"}})
    with pytest.raises(ValueError, match="name of the Node to update is missing"):
        update_request(NODES, {"metadata": {}})


def test_options_that_say_nothing_are_left_out() -> None:
    assert list_request(PODS).query == ()
    assert patch_request(NODES, "n", patch={}).query == ()


def test_an_apply_names_its_manager_and_may_force() -> None:
    request = patch_request(
        NODES, "n", patch={"kind": "Node"}, patch_type="apply", field_manager="me", force=True
    )

    assert request.query == (("fieldManager", "me"), ("force", "true"))
    assert request.body == b'{"kind":"Node"}'
