"""KubeSchedulerConfiguration: upstream's files, their defaults and their mistakes."""

from __future__ import annotations

import pytest

from kubegang.api.config.document import ConfigurationError
from kubegang.api.config.durations import duration_seconds
from kubegang.api.config.loading import default_configuration, load_scheduler_configuration
from kubegang.api.config.plugins import configured_profiles, merged_plugins
from kubegang.api.config.types import KubeSchedulerConfiguration
from kubegang.api.profile import PluginWeight, PointChanges
from kubegang.app.profiles.table import profile_named

HEAD = "apiVersion: kubescheduler.config.k8s.io/v1\nkind: KubeSchedulerConfiguration\n"
VERSION = profile_named("1.37")


NO_OBJECT = (
    "f: couldn't get version/kind; json parse error: json: cannot unmarshal array into Go value of "
    'type struct { APIVersion string "json:\\"apiVersion,omitempty\\""; '
    'Kind string "json:\\"kind,omitempty\\"" }'
)


def load(text: str) -> KubeSchedulerConfiguration:
    return load_scheduler_configuration(HEAD + text, "sched.yaml", VERSION)


def test_an_empty_file_has_upstreams_defaults() -> None:
    config = load("")
    assert (config.client_connection.qps, config.client_connection.burst) == (50, 100)
    assert (config.parallelism, config.percentage_of_nodes_to_score) == (16, 0)
    assert (config.pod_initial_backoff_seconds, config.pod_max_backoff_seconds) == (1, 10)
    assert config.leader_election.leader_elect
    assert [profile.scheduler_name for profile in config.profiles] == ["default-scheduler"]


def test_without_a_file_the_defaults_hold() -> None:
    assert default_configuration(VERSION) == load("")


def test_arguments_of_plugins_are_completed() -> None:
    config = load(
        "profiles:\n"
        "- pluginConfig:\n"
        "  - name: NodeResourcesFit\n"
        "    args: {scoringStrategy: {type: MostAllocated}}\n"
    )
    assert config.profiles[0].arguments == {
        "NodeResourcesFit": {
            "kind": "NodeResourcesFitArgs",
            "apiVersion": "kubescheduler.config.k8s.io/v1",
            "scoringStrategy": {
                "type": "MostAllocated",
                "resources": [{"name": "cpu", "weight": 1}, {"name": "memory", "weight": 1}],
            },
        }
    }


@pytest.mark.parametrize(
    ("text", "want"),
    [
        pytest.param(
            "podInitialBackoffSecond: 1\n",
            'sched.yaml:3: strict decoding error: unknown field "podInitialBackoffSecond"',
            id="unknown-at-the-top",
        ),
        pytest.param(
            "profiles:\n- schedulerName: a\n  plugins:\n    scor: {}\n",
            'sched.yaml:6: strict decoding error: unknown field "profiles[0].plugins.scor"',
            id="unknown-further-down",
        ),
        pytest.param(
            "profiles:\n- pluginConfig:\n  - name: A\n  - name: A\n",
            'sched.yaml:6: profiles[0].pluginConfig[1]: Duplicate value: "A"',
            id="arguments-twice",
        ),
        pytest.param(
            "parallelism: x\n",
            "sched.yaml:3: json: cannot unmarshal string into Go struct field "
            "KubeSchedulerConfiguration.parallelism of type int32",
            id="type",
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
            "sched.yaml:5: profiles[1].schedulerName: Duplicate value: {}",
            id="same-name",
        ),
        pytest.param(
            "leaderElection: {retryPeriod: x}\n",
            'sched.yaml:1: time: invalid duration "x"',
            id="duration",
        ),
        pytest.param(
            "extenders: [{urlPrefix: a}]\n",
            "sched.yaml:3: extenders: Forbidden: extenders are not supported",
            id="extenders",
        ),
        pytest.param(
            "parallelism: 1\nparallelism: 2\n",
            "sched.yaml:1: strict decoding error: yaml: unmarshal errors:\n"
            '  line 4: key "parallelism" already set in map',
            id="twice",
        ),
        pytest.param(
            "parallelism: 0\npodInitialBackoffSeconds: 0\n",
            "sched.yaml:3: parallelism: Invalid value: 0: "
            "should be an integer value greater than zero\n"
            "sched.yaml:4: podInitialBackoffSeconds: Invalid value: 0: must be greater than 0",
            id="several",
        ),
        pytest.param(
            "profiles: [\n",
            "sched.yaml:3: yaml: line 3: did not find expected node content",
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
        pytest.param("- a\n", NO_OBJECT, id="no-object"),
        pytest.param(
            "apiVersion: kubescheduler.config.k8s.io/v1beta3\nkind: KubeSchedulerConfiguration\n",
            'f:1: no kind "KubeSchedulerConfiguration" is registered for version '
            '"kubescheduler.config.k8s.io/v1beta3"; needed is KubeSchedulerConfiguration in '
            "kubescheduler.config.k8s.io/v1",
            id="old-version",
        ),
    ],
)
def test_another_document_is_refused(text: str, want: str) -> None:
    with pytest.raises(ConfigurationError) as caught:
        load_scheduler_configuration(text, "f", VERSION)
    assert str(caught.value) == want


def test_a_null_means_that_the_field_is_not_there() -> None:
    assert load("parallelism: null\n").parallelism == 16


DEFAULTS = (PluginWeight("A"), PluginWeight("B", 2), PluginWeight("C", 1))


def merged(multi_point: str) -> tuple[PluginWeight, ...]:
    config = load(f"profiles: [{{plugins: {{multiPoint: {multi_point}}}}}]")
    return merged_plugins(DEFAULTS, config.profiles[0].plugins.multi_point)


def test_without_changes_the_default_plugins_stay() -> None:
    assert merged("{}") == DEFAULTS


def test_a_disabled_plugin_goes() -> None:
    assert merged("{disabled: [{name: B}]}") == (DEFAULTS[0], DEFAULTS[2])


def test_a_star_disables_all_but_what_is_enabled() -> None:
    plugins = merged("{disabled: [{name: '*'}], enabled: [{name: C, weight: 5}]}")
    assert plugins == (PluginWeight("C", 5),)


def test_an_enabled_default_keeps_its_place_and_gets_the_weight() -> None:
    plugins = merged("{enabled: [{name: D}, {name: B, weight: 9}]}")
    assert plugins == (DEFAULTS[0], PluginWeight("B", 9), DEFAULTS[2], PluginWeight("D"))


def test_a_default_that_is_disabled_and_enabled_goes_to_the_end() -> None:
    plugins = merged("{disabled: [{name: B}], enabled: [{name: B, weight: 9}]}")
    assert plugins == (DEFAULTS[0], DEFAULTS[2], PluginWeight("B", 9))


def test_a_plugin_enabled_twice_stays_twice_so_that_it_can_be_refused() -> None:
    plugins = merged("{enabled: [{name: B}, {name: B, weight: 9}]}")
    assert plugins == (DEFAULTS[0], PluginWeight("B", 9), DEFAULTS[2], PluginWeight("B"))


def test_what_is_said_about_one_extension_point_stands_beside_the_plugins() -> None:
    config = load(
        "profiles:\n"
        "- plugins:\n"
        "    score: {disabled: [{name: B}], enabled: [{name: D, weight: 3}]}\n"
        "    filter: {disabled: [{name: '*'}]}\n"
    )
    base = profile_named("1.37").schedulers[0]
    (profile,) = configured_profiles(config, [base])
    assert profile.plugins == base.plugins
    assert profile.points == {
        "filter": PointChanges(disabled=frozenset({"*"})),
        "score": PointChanges((PluginWeight("D", 3),), frozenset({"B"})),
    }


def test_each_profile_takes_its_own_percentage_or_the_common_one() -> None:
    config = load(
        "percentageOfNodesToScore: 30\n"
        "profiles:\n"
        "- schedulerName: a\n"
        "- schedulerName: b\n"
        "  percentageOfNodesToScore: 50\n"
    )
    profiles = configured_profiles(config, profile_named("1.37").schedulers)
    found = [(p.scheduler_name, p.percentage_of_nodes_to_score) for p in profiles]
    assert found == [("a", 30), ("b", 50)]


@pytest.mark.parametrize(
    ("text", "want"),
    [("10m0s", 600.0), ("1h1.5s", 3601.5), ("250ms", 0.25), ("0", 0.0), ("-2s", -2.0)],
)
def test_durations_are_gos(text: str, want: float) -> None:
    assert duration_seconds(text) == want


def test_a_configured_profile_keeps_what_its_name_stands_for() -> None:
    names = ("default-scheduler", "kubegang", "mine")
    config = load(f"profiles: [{', '.join(f'{{schedulerName: {name}}}' for name in names)}]\n")

    profiles = configured_profiles(config, VERSION.schedulers)

    assert tuple(profile.scheduler_name for profile in profiles) == names
    assert [profile.speaking for profile in profiles] == [False, True, False]
