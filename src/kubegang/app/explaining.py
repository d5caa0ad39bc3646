"""``kubegang explain``: a cluster is read, and one object in it explained."""

from __future__ import annotations

from collections.abc import Callable
from typing import Final

from kubegang.app.clustersource import Source, SourceOptions, load_source
from kubegang.app.errors import BadInputError
from kubegang.app.inputs import ReadStandardInput
from kubegang.base.clock import RealClock
from kubegang.tools.explaining.explain import explain
from kubegang.tools.explaining.report import ExplainReport, Subject
from kubegang.tools.explaining.targets import NotThereError

_NAMES: Final = {
    "pod": "Pod",
    "po": "Pod",
    "podgroup": "PodGroup",
    "pg": "PodGroup",
    "compositepodgroup": "CompositePodGroup",
    "cpg": "CompositePodGroup",
    "workload": "Workload",
    "wl": "Workload",
    "job": "Job",
    "replicaset": "ReplicaSet",
    "rs": "ReplicaSet",
    "statefulset": "StatefulSet",
    "sts": "StatefulSet",
    "mpijob": "MPIJob",
    "jobset": "JobSet",
}
"""Kinds as people type them; each also with an s, and with its group behind a dot."""


def explain_object(
    options: SourceOptions,
    name: str,
    namespace: str,
    *,
    read_standard_input: ReadStandardInput,
    progress: Callable[[str], None],
) -> ExplainReport:
    """Explain ``KIND/NAME``.

    Raises:
        BadInputError: a flag, a file or the name is wrong.
        ClusterUnreachableError: the cluster does not answer.
    """
    subject = subject_named(name, namespace)
    source = load_source(
        options, read_standard_input=read_standard_input, progress=progress, clock=RealClock()
    )
    return explain_in(source, subject)


def explain_in(source: Source, subject: Subject) -> ExplainReport:
    """Explain an object of a cluster that was read.

    Raises:
        BadInputError: there is no such object.
    """
    try:
        return explain(
            source.stage(),
            subject,
            version=source.rules.version.name,
            backoff=source.rules.backoff,
        )
    except NotThereError as error:
        unseen = ", ".join(one.resource for one in source.state.unseen)
        hint = f"; what could not be read: {unseen}" if unseen else ""
        raise BadInputError(f"{error}{hint}") from error


def subject_named(name: str, namespace: str) -> Subject:
    """Return what ``pod/x`` or ``podgroups.scheduling.k8s.io/x`` names.

    Raises:
        BadInputError: it is no such name.
    """
    typed, slash, rest = name.partition("/")
    kind = typed.partition(".")[0].lower()
    found = _NAMES.get(kind) or _NAMES.get(kind.removesuffix("s"))
    if not slash or not rest or found is None:
        known = ", ".join(sorted(set(_NAMES.values())))
        raise BadInputError(f"need KIND/NAME with a kind of {known}, found {name!r}")
    return Subject(found, namespace, rest)
