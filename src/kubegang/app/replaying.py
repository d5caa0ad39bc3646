"""``kubegang replay``: a trace and a node file are read, and the trace is played."""

from __future__ import annotations

import random
from pathlib import Path
from typing import Final

import msgspec
from resvg_py import svg_to_bytes

from kubegang.api.profile import VersionProfile
from kubegang.apimachinery.manifests import ManifestError, load_manifests
from kubegang.apimachinery.places import place_of
from kubegang.apimachinery.times import parse_time
from kubegang.app.clustersource import Rules
from kubegang.app.configuration import (
    initial_nodes,
    read_text,
    resolve_profile,
    scheduler_configuration,
)
from kubegang.app.errors import BadInputError
from kubegang.app.inputs import ReadStandardInput
from kubegang.app.options import UpOptions
from kubegang.tools.cluster.reading import ObjectError, StateReader
from kubegang.tools.cluster.state import ClusterState
from kubegang.tools.replaying.drawing import svg_of
from kubegang.tools.replaying.objects import ObjectMaker
from kubegang.tools.replaying.replay import Progress, capacity_of, replay
from kubegang.tools.replaying.report import ReplayReport
from kubegang.tools.replaying.trace import KIND as TRACE_KIND
from kubegang.tools.replaying.trace import TraceError, TraceJob, parse_csv, parse_document

FIRST_MOMENT: Final = parse_time("2026-01-01T00:00:00Z")
"""When virtual time begins."""

SVG, PNG = ".svg", ".png"
_PIXELS: Final = 2.0
"""In a PNG for each unit of the drawing, so that it stays sharp on good screens."""

WITHOUT_GPUS: Final = "cpu"
"""The resource whose use is told where no node has GPUs."""


class ReplayOptions(msgspec.Struct, frozen=True, kw_only=True):
    """The flags of ``replay``.

    Attributes:
        trace: a path, or ``-`` for standard input.
        gpu_resource: what GPUs are called.
        scheduler_name: whose pods they are.
        cluster: the flags that ``replay`` shares with ``up``; of them nodes, release, gates and
            configuration.
    """

    trace: str
    gpu_resource: str
    scheduler_name: str
    seed: int = 0
    cluster: UpOptions = UpOptions()


def replay_trace(
    options: ReplayOptions, *, read_standard_input: ReadStandardInput, progress: Progress
) -> ReplayReport:
    """Play a trace.

    Raises:
        BadInputError: a flag or a file is wrong.
    """
    flags = options.cluster
    version = resolve_profile(flags)
    state = _cluster(flags, version)
    jobs = _jobs(options, state, read_standard_input)
    config = scheduler_configuration(flags.config, version)
    rules = Rules(version=version, config=config, configured=bool(flags.config))
    deciders = rules.deciders((options.scheduler_name,))
    has_gpus = capacity_of(state, options.gpu_resource) > 0
    return replay(
        jobs,
        state,
        deciders,
        ObjectMaker(deciders.main, version.gates["apiserver"]),
        resource=options.gpu_resource if has_gpus else WITHOUT_GPUS,
        version=version.name,
        backoff=rules.backoff,
        chance=lambda: random.Random(options.seed),
        progress=progress,
    )


def write_plot(report: ReplayReport, path: str) -> None:
    """Draw a replay, as SVG or PNG by the ending of the name.

    Raises:
        BadInputError: the name ends otherwise, or the file cannot be written.
    """
    check_plot_name(path)
    drawn = svg_of(report)
    try:
        if path.endswith(PNG):
            Path(path).write_bytes(svg_to_bytes(svg_string=drawn, zoom=_PIXELS))
        else:
            Path(path).write_text(drawn, encoding="utf-8")
    except OSError as error:
        raise BadInputError(f"--plot {path}: {error.strerror or error}") from error


def check_plot_name(path: str) -> None:
    """Refuse a name that says no known form; before the replay, which may take a while.

    Raises:
        BadInputError: it ends otherwise.
    """
    if not path.endswith((SVG, PNG)):
        raise BadInputError(f"--plot: need a name that ends in {SVG} or {PNG}, found {path!r}")


def _cluster(flags: UpOptions, version: VersionProfile) -> ClusterState:
    reader = StateReader(version.gates["apiserver"])
    try:
        for node in initial_nodes(flags.nodes):
            reader.add_written(node)
    except ObjectError as error:
        raise BadInputError(f"--nodes: {error}") from error
    state = reader.state(taken=FIRST_MOMENT)
    if not state.nodes:
        raise BadInputError("there are no nodes: give --nodes N, or a node file")
    return state


def _jobs(
    options: ReplayOptions, state: ClusterState, read_standard_input: ReadStandardInput
) -> tuple[TraceJob, ...]:
    is_standard_input = options.trace == "-"
    text = read_standard_input() if is_standard_input else read_text(options.trace)
    source = "stdin" if is_standard_input else options.trace
    if not _is_csv(text):
        return _jobs_of_document(text, source)
    per_node = max(dict(node.allocatable).get(options.gpu_resource, 0) for node in state.nodes)
    try:
        return parse_csv(text, resource=options.gpu_resource, per_node=per_node)
    except TraceError as error:
        raise BadInputError(f"{source}:{error}") from error


def _jobs_of_document(text: str, source: str) -> tuple[TraceJob, ...]:
    try:
        documents = load_manifests(text, source)
    except ManifestError as error:
        raise BadInputError(str(error)) from error
    if len(documents) != 1:
        raise BadInputError(f"{source}: need one {TRACE_KIND}, found {len(documents)} documents")
    try:
        return parse_document(documents[0].object)
    except TraceError as error:
        place = place_of(text, documents[0], error.field)
        raise BadInputError(f"{place}: {error}") from error


def _is_csv(text: str) -> bool:
    """Return whether the first line is a header; a document has a colon in it, or a brace."""
    first = next((line for line in text.splitlines() if line.strip()), "")
    return "," in first and ":" not in first
