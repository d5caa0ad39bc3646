"""A KubeSchedulerConfiguration from a file, checked and completed as kube-scheduler does it.

Files written for upstream are accepted unchanged. What is wrong is told in upstream's words,
each complaint with the file and line in front. Pure.
"""

from __future__ import annotations

import msgspec

from kubegang.api.config.arguments import completed_arguments
from kubegang.api.config.checks import configuration_errors, late_errors
from kubegang.api.config.decoding import check_kind, decoded_configuration
from kubegang.api.config.document import Document
from kubegang.api.config.schema import configuration_schema
from kubegang.api.config.types import (
    API_VERSION,
    KIND,
    KubeSchedulerConfiguration,
    KubeSchedulerProfile,
    PluginConfig,
)
from kubegang.api.profile import VersionProfile
from kubegang.base.feature_gates import FeatureGates


def load_scheduler_configuration(
    text: str, source: str, version: VersionProfile
) -> KubeSchedulerConfiguration:
    """Read a configuration from YAML or JSON.

    Args:
        text: the document.
        source: its name in errors.
        version: the release whose rules hold.

    Raises:
        ConfigurationError: it cannot be used.
    """
    document = Document(text, source)
    check_kind(document)
    schema = configuration_schema(version.extension_points)
    gates = version.gates["scheduler"]
    config = _with_arguments(decoded_configuration(document, schema), gates)
    problems = [
        (error.field, f"{error.field}: {error.message}")
        for error in configuration_errors(config, gates)
    ] or list(late_errors(config))
    if problems:
        raise document.errors(problems)
    return config


def default_configuration(version: VersionProfile) -> KubeSchedulerConfiguration:
    """Return the configuration that holds without a file."""
    text = f"apiVersion: {API_VERSION}\nkind: {KIND}\n"
    return load_scheduler_configuration(text, "the default configuration", version)


def _with_arguments(
    config: KubeSchedulerConfiguration, gates: FeatureGates
) -> KubeSchedulerConfiguration:
    """Complete the arguments that are given; those of other plugins stay unsaid."""

    def completed(profile: KubeSchedulerProfile) -> KubeSchedulerProfile:
        entries = tuple(
            PluginConfig(name=entry.name, args=completed_arguments(entry.name, entry.args, gates))
            for entry in profile.plugin_config
        )
        return msgspec.structs.replace(profile, plugin_config=entries)

    profiles = tuple(completed(profile) for profile in config.profiles)
    return msgspec.structs.replace(config, profiles=profiles)
