"""Releases by name, and what flags make of them."""

from __future__ import annotations

import pytest

from kubegang.api.profile import VersionProfile
from kubegang.api.resources import ROWS
from kubegang.api.scheme import Scheme
from kubegang.app.profiles.gate_flags import GateFlagError
from kubegang.app.profiles.runtime_config import RuntimeConfigError
from kubegang.app.profiles.table import RELEASES, UnknownReleaseError, profile_named

GANG_GATES = {
    "1.35": {"GenericWorkload", "GangScheduling"},
    "1.36": {
        "GenericWorkload",
        "GangScheduling",
        "WorkloadAwarePreemption",
        "TopologyAwareWorkloadScheduling",
        "DRAWorkloadResourceClaims",
        "WorkloadWithJob",
    },
    "1.37": {
        "GenericWorkload",
        "TopologyAwareWorkloadScheduling",
        "DRAWorkloadResourceClaims",
        "WorkloadWithJob",
        "PodGroupPreemptionPolicy",
        "CompositePodGroup",
    },
}
ALL_OFF = ",".join(f"{gate}=false" for gate in sorted(GANG_GATES["1.37"]))


@pytest.mark.parametrize("version", GANG_GATES)
def test_every_gang_gate_of_a_release_is_on_in_every_component(version: str) -> None:
    profile = profile_named(version)
    assert {gate.name for gate in profile.known_gates if gate.gang} == GANG_GATES[version]
    assert set(profile.gates) == {"apiserver", "controllers", "scheduler", "kubelet"}
    for gates in profile.gates.values():
        assert all(gates.enabled(gate) for gate in GANG_GATES[version])


@pytest.mark.parametrize("version", GANG_GATES)
def test_other_gates_have_upstreams_default(version: str) -> None:
    profile = profile_named(version)
    for gate in profile.known_gates:
        if not gate.gang:
            assert profile.gates["apiserver"].enabled(gate.name) == gate.default
        else:
            assert not gate.default


def test_a_leading_v_does_not_matter() -> None:
    assert profile_named("v1.36").name == "1.36"


def test_an_unknown_release_names_those_that_are_known() -> None:
    with pytest.raises(UnknownReleaseError) as caught:
        profile_named("1.30")
    assert str(caught.value) == ("unknown Kubernetes version '1.30'; known are: 1.35, 1.36, 1.37")


@pytest.mark.parametrize(
    ("version", "want"),
    [
        ("1.35", ["v1", "v1alpha1"]),
        ("1.36", ["v1", "v1alpha2"]),
        ("1.37", ["v1", "v1beta1", "v1alpha3"]),
    ],
)
def test_scheduling_versions_come_in_discovery_order(version: str, want: list[str]) -> None:
    served = profile_named(version).served
    assert [v.version for v in served if v.group == "scheduling.k8s.io"] == want


@pytest.mark.parametrize("release", RELEASES, ids=lambda release: release.name)
def test_every_served_version_has_resources(release: VersionProfile) -> None:
    profile = profile_named(release.name)
    scheme = Scheme.for_profile(ROWS, profile.served, profile.gates["apiserver"])
    assert {row.group_version for row in scheme.resources()} == set(profile.served)


def test_a_common_flag_edits_every_component() -> None:
    profile = profile_named("1.37", feature_gates="CompositePodGroup=false")
    assert not any(gates.enabled("CompositePodGroup") for gates in profile.gates.values())


def test_a_components_own_flag_wins() -> None:
    profile = profile_named(
        "1.37",
        feature_gates="WorkloadWithJob=false",
        component_gates={"controllers": "WorkloadWithJob=true"},
    )
    assert profile.gates["controllers"].enabled("WorkloadWithJob")
    assert not profile.gates["apiserver"].enabled("WorkloadWithJob")


@pytest.mark.parametrize(
    ("flags", "want"),
    [
        pytest.param(
            "GangScheduling=true",
            "--feature-gates: unrecognized feature gate: GangScheduling "
            "(it exists in Kubernetes 1.35, 1.36)",
            id="gone",
        ),
        pytest.param("Nope=true", "--feature-gates: unrecognized feature gate: Nope", id="nope"),
        pytest.param(
            "GenericWorkload", "missing bool value for GenericWorkload", id="without-value"
        ),
        pytest.param(
            "GenericWorkload=maybe",
            "invalid value of GenericWorkload=maybe, err: "
            'strconv.ParseBool: parsing "maybe": invalid syntax',
            id="no-boolean",
        ),
        pytest.param(
            "TopologyAwareWorkloadScheduling=false",
            "CompositePodGroup is enabled, but depends on features that are disabled: "
            "[TopologyAwareWorkloadScheduling]",
            id="dependency-off",
        ),
        pytest.param(
            ALL_OFF.replace("WorkloadWithJob=false", "WorkloadWithJob=true").replace(
                "DRAWorkloadResourceClaims=false", "DRAWorkloadResourceClaims=true"
            ),
            "[DRAWorkloadResourceClaims is enabled, but depends on features that are disabled: "
            "[GenericWorkload], WorkloadWithJob is enabled, but depends on features that are "
            "disabled: [GenericWorkload]]",
            id="several",
        ),
    ],
)
def test_flags_that_upstream_refuses_are_refused_in_its_words(flags: str, want: str) -> None:
    with pytest.raises(GateFlagError) as caught:
        profile_named("1.37", feature_gates=flags)
    assert str(caught.value) == want


def test_a_refusal_names_the_component_where_only_one_is_wrong() -> None:
    with pytest.raises(GateFlagError) as caught:
        profile_named(
            "1.37", component_gates={"scheduler": "TopologyAwareWorkloadScheduling=false"}
        )
    assert str(caught.value).startswith("scheduler: CompositePodGroup is enabled, but depends")


def test_an_unknown_gate_of_one_component_names_its_flag() -> None:
    with pytest.raises(GateFlagError, match=r"^--kubelet-feature-gates: unrecognized"):
        profile_named("1.37", component_gates={"kubelet": "Nope=true"})


def test_with_all_gang_gates_off_no_gang_kind_is_served() -> None:
    profile = profile_named("1.37", feature_gates=ALL_OFF)
    scheme = Scheme.for_profile(ROWS, profile.served, profile.gates["apiserver"])
    assert [r.plural for r in scheme.resources() if r.group == "scheduling.k8s.io"] == [
        "priorityclasses"
    ]


@pytest.mark.parametrize(
    ("flags", "want"),
    [
        ("", ["GangScheduling", "TopologyPlacementGenerator", "PodGroupPodsCount"]),
        (
            "TopologyAwareWorkloadScheduling=false,CompositePodGroup=false",
            ["GangScheduling"],
        ),
        (ALL_OFF, []),
    ],
)
def test_plugins_of_the_default_scheduler_follow_its_gates(flags: str, want: list[str]) -> None:
    profile = profile_named("1.37", feature_gates=flags)
    names = [plugin.name for plugin in profile.schedulers[0].plugins]
    assert names[names.index("NodeDeclaredFeatures") + 1 :] == want


def test_weights_of_1_37() -> None:
    plugins = profile_named("1.37").schedulers[0].plugins
    assert {plugin.name: plugin.weight for plugin in plugins if plugin.weight} == {
        "TaintToleration": 3,
        "NodeAffinity": 2,
        "NodeResourcesFit": 1,
        "PodTopologySpread": 2,
        "InterPodAffinity": 2,
        "DynamicResources": 2,
        "NodeResourcesBalancedAllocation": 1,
        "ImageLocality": 1,
        "PodGroupPodsCount": 1,
    }


def test_two_scheduler_names_are_served_and_ours_speaks() -> None:
    default, own = profile_named("1.36").schedulers
    assert (default.scheduler_name, default.group_cycle) == (
        "default-scheduler",
        "popped-by-member",
    )
    assert (own.scheduler_name, own.group_cycle, own.speaking) == ("kubegang", "entity", True)
    assert default.initially_scheduled_condition == own.initially_scheduled_condition


@pytest.mark.parametrize(
    ("text", "want"),
    [
        ("scheduling.k8s.io/v1alpha3=false", ["v1", "v1beta1"]),
        ("api/beta=false", ["v1", "v1alpha3"]),
        ("api/alpha=false,scheduling.k8s.io/v1alpha3=true", ["v1", "v1beta1", "v1alpha3"]),
        ("scheduling.k8s.io/v1beta1", ["v1", "v1beta1", "v1alpha3"]),
        ("api/all=false", []),
    ],
)
def test_runtime_config_picks_versions(text: str, want: list[str]) -> None:
    served = profile_named("1.37", runtime_config=text).served
    assert [v.version for v in served if v.group == "scheduling.k8s.io"] == want


@pytest.mark.parametrize("text", ["scheduling.k8s.io/v1alpha2=true", "a/v1", "v1=maybe"])
def test_a_runtime_config_that_cannot_be_followed_is_refused(text: str) -> None:
    with pytest.raises(RuntimeConfigError, match=r"^--runtime-config: "):
        profile_named("1.37", runtime_config=text)


def test_a_gate_of_any_release_is_known_there_and_named_elsewhere() -> None:
    assert profile_named("1.37", feature_gates="DRAPrioritizedList=true").name == "1.37"
    with pytest.raises(GateFlagError) as caught:
        profile_named("1.35", component_gates={"scheduler": "H2CContainerProbe=true"})
    assert str(caught.value) == (
        "--scheduler-feature-gates: unrecognized feature gate: H2CContainerProbe "
        "(it exists in Kubernetes 1.37)"
    )


def test_a_locked_gate_cannot_be_changed() -> None:
    with pytest.raises(GateFlagError) as caught:
        profile_named("1.37", feature_gates="DynamicResourceAllocation=false")
    assert str(caught.value) == (
        "cannot set feature gate DynamicResourceAllocation to false, feature is locked to true"
    )


def test_all_alpha_sets_every_alpha_gate_that_is_not_named() -> None:
    gates = profile_named("1.37", feature_gates="AllAlpha=true,QOSReserved=false").gates
    assert gates["scheduler"].enabled("SchedulerPreQueueingHints")
    assert not gates["scheduler"].enabled("QOSReserved")
    assert not gates["scheduler"].enabled("SchedulerAsyncAPICalls"), "that is beta, and off"


def test_all_beta_off_breaks_what_depends_on_beta_gates() -> None:
    with pytest.raises(GateFlagError, match="WorkloadWithJob is enabled, but depends on"):
        profile_named("1.37", feature_gates="AllBeta=false")


def test_a_gate_may_be_named_with_its_component() -> None:
    gates = profile_named("1.37", feature_gates="kube:CompositePodGroup=false").gates
    assert not gates["scheduler"].enabled("CompositePodGroup")
