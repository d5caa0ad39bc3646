"""From flags and files to what components are built with; what is wrong is told at once."""

from __future__ import annotations

from pathlib import Path

from kubegang.api.config.document import ConfigurationError
from kubegang.api.config.loading import default_configuration, load_scheduler_configuration
from kubegang.api.config.types import KubeSchedulerConfiguration
from kubegang.api.profile import VersionProfile
from kubegang.apimachinery.manifests import Manifest, ManifestError, load_manifests
from kubegang.apimachinery.objects import JsonObject
from kubegang.apiserver.admission.chain import UnknownPluginError, check_plugin_names
from kubegang.app.errors import BadInputError
from kubegang.app.options import UpOptions
from kubegang.app.profiles.gate_flags import GateFlagError
from kubegang.app.profiles.runtime_config import RuntimeConfigError
from kubegang.app.profiles.table import UnknownReleaseError, profile_named
from kubegang.app.scheduler import check_profiles
from kubegang.nodesim.node_file import (
    NodeFileError,
    SimulatedCluster,
    default_cluster,
    nodes_of,
    parse_node_file,
)

MAXIMUM_PLAIN_NODES = 100_000


def resolve_profile(options: UpOptions) -> VersionProfile:
    """Return the version profile with the flags applied.

    Raises:
        BadInputError: version, gates or API versions cannot be had.
    """
    gates = options.gates
    try:
        return profile_named(
            options.kubernetes_version,
            feature_gates=gates.all,
            component_gates={
                "apiserver": gates.apiserver,
                "controllers": gates.controllers,
                "scheduler": gates.scheduler,
                "kubelet": gates.kubelet,
            },
            runtime_config=options.runtime_config,
        )
    except (UnknownReleaseError, GateFlagError, RuntimeConfigError) as error:
        raise BadInputError(str(error)) from error


def check_files(options: UpOptions) -> None:
    """Read the files that flags name, so that a broken one is told before anything starts.

    Raises:
        BadInputError: a file cannot be read or used; says where it is wrong.
    """
    version = resolve_profile(options)
    config = scheduler_configuration(options.config, version)
    if options.config:
        check_profiles(version, config)
    _check_admission_plugins(options)
    initial_nodes(options.nodes)


def _check_admission_plugins(options: UpOptions) -> None:
    for text in (options.enable_admission_plugins, options.disable_admission_plugins):
        try:
            check_plugin_names(name.strip() for name in text.split(",") if name.strip())
        except UnknownPluginError as error:
            raise BadInputError(str(error)) from error


def scheduler_configuration(path: str, version: VersionProfile) -> KubeSchedulerConfiguration:
    """Return the scheduler's configuration for a release; the defaults without a path.

    Raises:
        BadInputError: the file cannot be read or used.
    """
    if not path:
        return default_configuration(version)
    try:
        return load_scheduler_configuration(read_text(path), path, version)
    except ConfigurationError as error:
        raise BadInputError(str(error)) from error


def initial_nodes(text: str) -> list[JsonObject]:
    """Return the Node objects of ``--nodes``: a number, or the path of a node file.

    Raises:
        BadInputError: the number or the file cannot be used.
    """
    if not text:
        raise BadInputError("--nodes: need a number or the path of a node file, found nothing")
    if text.isascii() and text.isdigit():
        if int(text) > MAXIMUM_PLAIN_NODES:
            raise BadInputError(f"--nodes: at most {MAXIMUM_PLAIN_NODES} nodes, found {text}")
        return nodes_of(default_cluster(int(text)))
    return nodes_of(load_node_file(text))


def load_node_file(path: str) -> SimulatedCluster:
    """Read a node file.

    Raises:
        BadInputError: it cannot be read or used; says where.
    """
    documents = manifests(path)
    if len(documents) != 1:
        raise BadInputError(f"{path}: need one SimulatedCluster, found {len(documents)} documents")
    try:
        return parse_node_file(documents[0].object)
    except NodeFileError as error:
        raise BadInputError(f"{documents[0].where}: {error}") from error


def manifests(path: str) -> list[Manifest]:
    """Return the objects of a manifest file.

    Raises:
        BadInputError: it cannot be read, or is not YAML; says line and column.
    """
    try:
        return load_manifests(read_text(path), path)
    except ManifestError as error:
        raise BadInputError(str(error)) from error


def read_text(path: str) -> str:
    """Return a file's text.

    Raises:
        BadInputError: it cannot be read, or is not UTF-8.
    """
    try:
        return Path(path).read_text(encoding="utf-8")
    except OSError as error:
        raise BadInputError(f"{path}: {error.strerror or error}") from error
    except UnicodeDecodeError as error:
        raise BadInputError(f"{path}: not UTF-8 text, byte {error.start} is invalid") from error
