"""Objects of other gang schedulers, which nothing in Kubernetes reads. Pure."""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from typing import Any, Final, NamedTuple

from kubegang.apimachinery.objects import GroupVersionKind
from kubegang.tools.checking.model import Found, Written


class _Form(NamedTuple):
    """A kind of another scheduler.

    Attributes:
        minimum: the path of the number of members that must start together.
        otherwise: what counts without it; empty if the group is complete with nobody then.
    """

    owner: str
    minimum: str
    otherwise: str = ""


_FORMS: Final[Mapping[tuple[str, str], _Form]] = {
    ("scheduling.volcano.sh", "PodGroup"): _Form("Volcano", "spec.minMember"),
    ("batch.volcano.sh", "Job"): _Form("Volcano", "spec.minAvailable", otherwise="all tasks"),
    ("scheduling.x-k8s.io", "PodGroup"): _Form("scheduler-plugins", "spec.minMember"),
    ("scheduling.run.ai", "PodGroup"): _Form("KAI", "spec.minMember"),
}


def is_foreign(gvk: GroupVersionKind) -> bool:
    """Return whether a kind belongs to another gang scheduler that is known here."""
    return (gvk.group, gvk.kind) in _FORMS


def foreign_findings(written: Written) -> Iterator[Found]:
    """Yield what there is to say about such an object."""
    form = _FORMS[written.gvk.group, written.gvk.kind]
    yield Found(
        "other-gang-scheduler",
        written,
        "kind",
        f"{written.label} is for {form.owner}; no component of Kubernetes reads it",
    )
    if not form.otherwise and not _value(written.object, form.minimum):
        has_sum = bool(_value(written.object, "spec.minResources"))
        about = "minResources has" if has_sum else "nothing in it has"
        name = form.minimum.rpartition(".")[2]
        yield Found(
            "no-minimum",
            written,
            "spec.minResources" if has_sum else "spec",
            f"{written.label} has no {name}: {about} no counterpart in Kubernetes; set minCount",
        )


def _value(obj: Any, path: str) -> Any:
    for name in path.split("."):
        obj = obj.get(name) if isinstance(obj, dict) else None
    return obj
