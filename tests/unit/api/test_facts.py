"""The facts tables: right as facts, and built into schemas that walk well."""

from __future__ import annotations

import hashlib
import json
from pathlib import Path

import pytest

from kubegang.api.facts import Facts, load_facts
from kubegang.apimachinery.objects import GroupVersionKind
from kubegang.apimachinery.schema import ANY

SCHEMAS = Path(__file__).resolve().parents[3] / "src" / "kubegang" / "api" / "schema"
DIGESTS = Path(__file__).parent / "data" / "openapi_1_37_digests.json"

POD = GroupVersionKind("", "v1", "Pod")


@pytest.fixture(scope="module")
def facts() -> Facts:
    return load_facts("1.37")


def test_every_definition_agrees_with_the_real_servers_openapi() -> None:
    """Recorded by scripts/compare_with_server.py from kube-apiserver 1.37.2, all gates on."""
    table = json.loads((SCHEMAS / "v1_37.json").read_text())["definitions"]
    recorded = json.loads(DIGESTS.read_text())
    differing = [name for name, digest in recorded.items() if digest_of(table[name]) != digest]
    assert differing == []


def digest_of(definition: dict[str, object]) -> str:
    not_in_openapi = ("always", "keepsZero", "nulls")
    kept = {key: value for key, value in definition.items() if key not in not_in_openapi}
    return hashlib.sha256(json.dumps(kept, sort_keys=True).encode()).hexdigest()[:10]


@pytest.mark.parametrize("version", ["1.35", "1.36", "1.37"])
def test_every_definition_can_be_built(version: str) -> None:
    facts = load_facts(version)
    assert all(facts.definition(name).name == name for name in facts.names())


@pytest.mark.parametrize("version", ["1.35", "1.36", "1.37"])
def test_no_table_holds_upstreams_sentences(version: str) -> None:
    text = (SCHEMAS / f"v{version.replace('.', '_')}.json").read_text()
    assert '"description":"' not in text.replace('"description":"string"', "")


def test_a_table_is_loaded_once() -> None:
    assert load_facts("1.37") is load_facts("1.37")


def test_an_unknown_version_is_a_value_error() -> None:
    with pytest.raises(ValueError, match=r"no facts about Kubernetes 1\.20"):
        load_facts("1.20")


def test_an_unknown_kind_is_a_key_error(facts: Facts) -> None:
    with pytest.raises(KeyError):
        facts.kind(GroupVersionKind("example.com", "v1", "Nothing"))


def test_each_release_has_its_own_scheduling_kinds() -> None:
    group = "scheduling.k8s.io"
    versions = {
        version: sorted(
            {kind.version for kind in load_facts(version).kinds() if kind.group == group}
        )
        for version in ("1.35", "1.36", "1.37")
    }
    assert versions == {
        "1.35": ["v1", "v1alpha1"],
        "1.36": ["v1", "v1alpha2"],
        "1.37": ["v1", "v1alpha3", "v1beta1"],
    }


def test_a_list_of_containers_merges_by_name(facts: Facts) -> None:
    containers = facts.kind(POD).fields["spec"].fields["containers"]
    assert containers.type == "array"
    assert containers.list_type == "map"
    assert containers.list_map_keys == ("name",)
    assert containers.merge_key == "name"
    assert containers.patch_strategies == {"merge"}
    assert containers.items is facts.definition("io.k8s.api.core.v1.Container")


def test_container_ports_have_two_keys_but_merge_by_one(facts: Facts) -> None:
    ports = facts.definition("io.k8s.api.core.v1.Container").fields["ports"]
    assert (ports.list_map_keys, ports.merge_key) == (
        ("containerPort", "protocol"),
        "containerPort",
    )


def test_templates_of_a_workload_have_no_merge_key(facts: Facts) -> None:
    workload = facts.kind(GroupVersionKind("scheduling.k8s.io", "v1beta1", "Workload"))
    templates = workload.fields["spec"].fields["podGroupTemplates"]
    assert (templates.list_type, templates.list_map_keys) == ("map", ("name",))
    assert (templates.merge_key, templates.patch_strategies) == ("", frozenset())


def test_a_node_selector_is_one_atomic_map(facts: Facts) -> None:
    selector = facts.kind(POD).fields["spec"].fields["nodeSelector"]
    assert (selector.type, selector.map_type) == ("map", "atomic")


def test_attributes_of_one_field_do_not_reach_other_users_of_its_definition(facts: Facts) -> None:
    strategy = facts.definition("io.k8s.api.apps.v1.DeploymentSpec").fields["strategy"]
    shared = facts.definition("io.k8s.api.apps.v1.DeploymentStrategy")
    assert strategy.patch_strategies == {"retainKeys"}
    assert shared.patch_strategies == frozenset()
    assert strategy.fields is shared.fields


@pytest.mark.parametrize(
    ("definition", "field", "want_type", "want_format"),
    [
        ("meta.v1.ObjectMeta", "creationTimestamp", "string", "date-time"),
        ("meta.v1.ManagedFieldsEntry", "fieldsV1", "any", ""),
    ],
)
def test_types_with_a_json_form_of_their_own_are_repaired(
    facts: Facts, definition: str, field: str, want_type: str, want_format: str
) -> None:
    schema = facts.definition(f"io.k8s.apimachinery.pkg.apis.{definition}").fields[field]
    assert (schema.type, schema.format) == (want_type, want_format)


def test_quantities_and_micro_times_are_told_apart_from_texts(facts: Facts) -> None:
    limits = facts.definition("io.k8s.api.core.v1.ResourceRequirements").fields["limits"]
    assert limits.items is not None
    assert limits.items.format == "quantity"
    renewed = facts.definition("io.k8s.api.coordination.v1.LeaseSpec").fields["renewTime"]
    assert renewed.format == "micro-time"
    port = facts.definition("io.k8s.api.core.v1.HTTPGetAction").fields["port"]
    assert port.type == "int-or-string"


def test_a_definition_may_contain_itself(facts: Facts) -> None:
    name = "io.k8s.api.scheduling.v1beta1.CompositePodGroupTemplate"
    template = facts.definition(name)
    assert template.fields["compositePodGroupTemplates"].items is template


def test_kind_and_api_version_allow_any_text(facts: Facts) -> None:
    assert facts.kind(POD).fields["kind"].enum == ()


def test_enums_are_kept(facts: Facts) -> None:
    policy = facts.kind(POD).fields["spec"].fields["restartPolicy"]
    assert policy.enum == ("Always", "Never", "OnFailure")


def test_free_form_json_is_the_one_any(facts: Facts) -> None:
    revision = facts.definition("io.k8s.api.apps.v1.ControllerRevision")
    assert revision.fields["data"].type == ANY.type


def test_the_kinds_of_a_definition_are_known(facts: Facts) -> None:
    assert facts.kinds_of("io.k8s.api.core.v1.Pod") == (POD,)
    assert facts.kinds_of("io.k8s.api.core.v1.PodSpec") == ()
