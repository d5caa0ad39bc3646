"""From flags and files to what components are built with; what is wrong is told at once."""

from __future__ import annotations

import re
from pathlib import Path

from kubegang.api.config.document import ConfigurationError
from kubegang.api.config.loading import default_configuration, load_scheduler_configuration
from kubegang.api.config.types import KubeSchedulerConfiguration
from kubegang.api.profile import VersionProfile
from kubegang.apimachinery.manifests import Manifest, ManifestError, load_manifests
from kubegang.apimachinery.objects import JsonObject
from kubegang.apimachinery.places import place_of
from kubegang.app.errors import BadInputError
from kubegang.app.options import UpOptions
from kubegang.app.profiles.gate_flags import GateFlagError
from kubegang.app.profiles.runtime_config import RuntimeConfigError
from kubegang.app.profiles.table import UnknownReleaseError, profile_named
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
        place = place_of(read_text(path), documents[0], node_file_field(error))
        raise BadInputError(f"{place}: {error}") from error


def node_file_field(error: NodeFileError) -> str:
    """Return the path that the error names, in either of its two forms."""
    text = str(error)
    decoding = re.search(r"at `\$\.(?P<path>[^`]*)`", text)
    if decoding is not None:
        return decoding["path"]
    return text.partition(":")[0] if text.startswith("nodePools") else ""


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
        body = Path(path).read_bytes()
    except OSError as error:
        raise BadInputError(f"{path}: {error.strerror or error}") from error
    return text_of(body, path)


def text_of(body: bytes, source: str) -> str:
    """Return what bytes say, with plain line ends and without a byte order mark.

    Raises:
        BadInputError: they are not UTF-8; says where.
    """
    try:
        text = body.decode("utf-8-sig")
    except UnicodeDecodeError as error:
        before = body[: error.start]
        line, column = before.count(b"\n") + 1, error.start - (before.rfind(b"\n") + 1) + 1
        raise BadInputError(f"{source}:{line}:{column}: not UTF-8 text") from error
    # As text files are read: positions in them count lines of one kind.
    return text.replace("\r\n", "\n").replace("\r", "\n")
