"""KubeSchedulerConfiguration: upstream's files, their defaults and their mistakes."""

from __future__ import annotations

import pytest

from kubegang.api.config import (
    ConfigurationError,
    KubeSchedulerConfiguration,
    duration_seconds,
    load_scheduler_configuration,
)
from kubegang.api.config_plugins import configured_profiles, merged_plugins
from kubegang.api.profile import PluginWeight
from kubegang.app.profiles.table import profile_named

HEAD = "apiVersion: kubescheduler.config.k8s.io/v1\nkind: KubeSchedulerConfiguration\n"


def load(text: str) -> KubeSchedulerConfiguration:
    return load_scheduler_configuration(HEAD + text, "sched.yaml")


def test_an_empty_file_has_upstreams_defaults() -> None:
    config = load("")
    assert (config.client_connection.qps, config.client_connection.burst) == (50, 100)
    assert (config.parallelism, config.percentage_of_nodes_to_score) == (16, 0)
    assert (config.pod_initial_backoff_seconds, config.pod_max_backoff_seconds) == (1, 10)
    assert config.leader_election.leader_elect
    assert [profile.scheduler_name for profile in config.profiles] == ["default-scheduler"]


def test_an_object_without_members_is_the_default_configuration() -> None:
    assert load_scheduler_configuration("{}", "f") == load("")


def test_arguments_of_plugins_are_kept_as_given() -> None:
    config = load(
        "profiles:\n"
        "- pluginConfig:\n"
        "  - name: NodeResourcesFit\n"
        "    args: {scoringStrategy: {type: MostAllocated}}\n"
    )
    assert config.profiles[0].arguments == {
        "NodeResourcesFit": {"scoringStrategy": {"type": "MostAllocated"}}
    }


@pytest.mark.parametrize(
    ("text", "want"),
    [
        pytest.param(
            "podInitialBackoffSecond: 1\n",
            "sched.yaml:3: podInitialBackoffSecond: unknown field",
            id="unknown-at-the-top",
        ),
        pytest.param(
            "profiles:\n- schedulerName: a\n  plugins:\n    scor: {}\n",
            "sched.yaml:6: profiles[0].plugins.scor: unknown field",
            id="unknown-further-down",
        ),
        pytest.param(
            "profiles:\n- pluginConfig:\n  - name: A\n  - name: A\n",
            'sched.yaml:6: profiles[0].pluginConfig[1]: Duplicate value: "A"',
            id="arguments-twice",
        ),
        pytest.param(
            "parallelism: x\n", "sched.yaml:3: parallelism: Expected `int`, got `str`", id="type"
        ),
        pytest.param(
            "parallelism: 0\n",
            "sched.yaml:3: parallelism: Invalid value: 0: "
            "should be an integer value greater than zero",
            id="parallelism",
        ),
        pytest.param(
            "percentageOfNodesToScore: 101\n",
            "sched.yaml:3: percentageOfNodesToScore: Invalid value: 101: "
            "not in valid range [0-100]",
            id="percentage",
        ),
        pytest.param(
            "podInitialBackoffSeconds: 0\n",
            "sched.yaml:3: podInitialBackoffSeconds: Invalid value: 0: must be greater than 0",
            id="initial-backoff",
        ),
        pytest.param(
            "podInitialBackoffSeconds: 5\npodMaxBackoffSeconds: 2\n",
            "sched.yaml:4: podMaxBackoffSeconds: Invalid value: 2: "
            "must be greater than or equal to PodInitialBackoffSeconds",
            id="backoff",
        ),
        pytest.param(
            "profiles:\n- schedulerName: a\n- {}\n",
            "sched.yaml:5: profiles[1].schedulerName: Required value",
            id="no-name",
        ),
        pytest.param(
            "profiles:\n- schedulerName: a\n- schedulerName: a\n",
            'sched.yaml:5: profiles[1].schedulerName: Duplicate value: "a"',
            id="same-name",
        ),
        pytest.param(
            "leaderElection: {retryPeriod: x}\n",
            'sched.yaml:3: leaderElection.retryPeriod: Invalid value: "x": '
            'time: invalid duration "x"',
            id="duration",
        ),
        pytest.param(
            "extenders: [{urlPrefix: a}]\n",
            "sched.yaml:3: extenders: Forbidden: extenders are not supported",
            id="extenders",
        ),
        pytest.param(
            "parallelism: 1\nparallelism: 2\n", "sched.yaml:4: parallelism: given twice", id="twice"
        ),
        pytest.param(
            "profiles: [\n",
            "sched.yaml:4: expected the node content, but found '<stream end>'",
            id="no-yaml",
        ),
    ],
)
def test_a_mistake_is_told_with_its_line_and_field(text: str, want: str) -> None:
    with pytest.raises(ConfigurationError) as caught:
        load(text)
    assert str(caught.value) == want


@pytest.mark.parametrize(
    ("text", "want"),
    [
        pytest.param("- a\n", "f: needed an object with apiVersion and kind", id="no-object"),
        pytest.param(
            "apiVersion: kubescheduler.config.k8s.io/v1beta3\nkind: KubeSchedulerConfiguration\n",
            "f:1: apiVersion: needed kubescheduler.config.k8s.io/v1, kind "
            "KubeSchedulerConfiguration; found kubescheduler.config.k8s.io/v1beta3, kind "
            "KubeSchedulerConfiguration",
            id="old-version",
        ),
    ],
)
def test_another_document_is_refused(text: str, want: str) -> None:
    with pytest.raises(ConfigurationError) as caught:
        load_scheduler_configuration(text, "f")
    assert str(caught.value) == want


def test_a_null_means_that_the_field_is_not_there() -> None:
    assert load("parallelism: null\n").parallelism == 16


DEFAULTS = (PluginWeight("A"), PluginWeight("B", 2), PluginWeight("C", 1))


def merged(plugins: str) -> tuple[PluginWeight, ...]:
    return merged_plugins(DEFAULTS, load(f"profiles: [{{plugins: {plugins}}}]").profiles[0].plugins)


def test_without_changes_the_default_plugins_stay() -> None:
    assert merged("{}") == DEFAULTS


def test_a_disabled_plugin_goes() -> None:
    assert merged("{multiPoint: {disabled: [{name: B}]}}") == (DEFAULTS[0], DEFAULTS[2])


def test_a_star_disables_all_but_what_is_enabled() -> None:
    plugins = merged("{multiPoint: {disabled: [{name: '*'}], enabled: [{name: C, weight: 5}]}}")
    assert plugins == (PluginWeight("C", 5),)


def test_an_enabled_default_keeps_its_place_and_gets_the_weight() -> None:
    plugins = merged("{multiPoint: {enabled: [{name: D}, {name: B, weight: 9}]}}")
    assert plugins == (DEFAULTS[0], PluginWeight("B", 9), DEFAULTS[2], PluginWeight("D"))


def test_a_plugin_may_be_disabled_at_one_extension_point() -> None:
    changed = merged("{score: {disabled: [{name: B}]}}")[1]
    assert changed.points is not None
    assert "score" not in changed.points
    assert "filter" in changed.points


def test_disabling_and_enabling_at_one_point_changes_the_weight() -> None:
    changed = merged("{score: {disabled: [{name: B}], enabled: [{name: B, weight: 7}]}}")[1]
    assert changed.weight == 7
    assert changed.points is not None
    assert "score" in changed.points


def test_a_plugin_may_be_enabled_at_one_extension_point_only() -> None:
    added = merged("{score: {enabled: [{name: D, weight: 3}]}}")[-1]
    assert added == PluginWeight("D", 3, points=frozenset({"score"}))


def test_each_profile_takes_its_own_percentage_or_the_common_one() -> None:
    config = load(
        "percentageOfNodesToScore: 30\n"
        "profiles:\n"
        "- schedulerName: a\n"
        "- schedulerName: b\n"
        "  percentageOfNodesToScore: 50\n"
    )
    profiles = configured_profiles(config, profile_named("1.37").schedulers[0])
    found = [(p.scheduler_name, p.percentage_of_nodes_to_score) for p in profiles]
    assert found == [("a", 30), ("b", 50)]


@pytest.mark.parametrize(
    ("text", "want"),
    [("10m0s", 600.0), ("1h1.5s", 3601.5), ("250ms", 0.25), ("0", 0.0), ("-2s", -2.0)],
)
def test_durations_are_gos(text: str, want: float) -> None:
    assert duration_seconds(text) == want
