"""The commands of an upgrade plan: what a user runs, in order. Pure."""

from __future__ import annotations

import shlex
from collections.abc import Iterable, Iterator, Sequence

from kubegang.tools.upgradeplan import ObjectReference, UpgradeStep


def commands(
    steps: Sequence[UpgradeStep], *, data_directory: str, kubeconfig: str
) -> tuple[str, ...]:
    """Return the commands that walk a data directory through the steps."""
    return tuple(
        line
        for step in steps
        for line in _of_step(step, up=_up(data_directory), kubeconfig=kubeconfig)
    )


def _up(data_directory: str) -> str:
    return f"kubegang up --data-dir {shlex.quote(data_directory)} --kubernetes-version"


def _of_step(step: UpgradeStep, *, up: str, kubeconfig: str) -> Iterator[str]:
    if step.must_be_deleted:
        yield f"{up} {step.from_version}   # unless it runs already"
        yield f"export KUBECONFIG={shlex.quote(kubeconfig)}"
        yield from _deletions(step.must_be_deleted)
    yield f"{up} {step.to_version}   # once it was stopped"


def _deletions(references: Iterable[ObjectReference]) -> Iterator[str]:
    """Yield a command per resource and namespace; groups of Workloads first."""
    names: dict[tuple[str, str], list[ObjectReference]] = {}
    for reference in references:
        names.setdefault((reference.resource, reference.namespace), []).append(reference)
    for (resource, namespace), some in names.items():
        where = f" --namespace {shlex.quote(namespace)}" if namespace else ""
        holders = sorted({pod for reference in some for pod in reference.held_by})
        if holders:
            # The finalizer of a PodGroup waits for its pods.
            yield f"kubectl delete pods{where} {' '.join(map(shlex.quote, holders))}"
        listed = " ".join(shlex.quote(reference.name) for reference in some)
        yield f"kubectl delete {resource}{where} {listed}"
