"""What ``kubegang top`` draws: gangs, nodes by domain, and what happened."""

from __future__ import annotations

from typing import Final

from rich.console import RenderableType
from rich.text import Text

from kubegang.apimachinery.times import human_duration
from kubegang.cli.rendering.tables import table
from kubegang.tools.overview.report import Domain, Gang, GangState, Overview
from kubegang.tools.workunits import count_of

STATES: Final[dict[GangState, tuple[str, str]]] = {
    "running": ("runs", "green"),
    "starting": ("is starting", "green"),
    "would-start": ("starts next", "green"),
    "unschedulable": ("waits: no room", "red"),
    "waiting": ("waits", "yellow"),
    "error": ("waits: a rule is broken", "red"),
    "finished": ("finished", "dim"),
}


def top_parts(overview: Overview, *, gangs: int | None = None) -> list[RenderableType]:
    """Return the parts of a picture.

    Args:
        overview: the cluster.
        gangs: so many of them at most; what waits comes first.
    """
    shown = overview.gangs[:gangs]
    left = len(overview.gangs) - len(shown)
    parts: list[RenderableType] = [_head(overview), _gangs(shown, overview.taken)]
    if left:
        parts.append(Text(f"{left} more", style="dim"))
    if overview.domains:
        parts.append(_domains(overview))
    if overview.unseen:
        parts.append(Text("not seen: " + "; ".join(overview.unseen), style="yellow"))
    return parts


def _head(overview: Overview) -> RenderableType:
    nodes = sum(len(domain.nodes) for domain in overview.domains)
    waiting = sum(gang.state in ("unschedulable", "waiting", "error") for gang in overview.gangs)
    return Text(
        f"Kubernetes {overview.kubernetes_version}: {count_of(nodes, 'node')}, {waiting} waiting",
        style="bold",
    )


def _gangs(gangs: tuple[Gang, ...], taken: float) -> RenderableType:
    rows = [
        (
            Text(str(gang.unit)),
            Text(*STATES[gang.state]),
            _pods(gang),
            str(gang.priority),
            human_duration(max(taken - gang.created, 0.0)) if gang.created else "",
            Text(gang.message or (f"in {gang.place}" if gang.place else "")),
        )
        for gang in gangs
    ]
    return table(("NAME", "STATE", "PODS", "PRIORITY", "AGE", "WHY OR WHERE"), rows)


def _pods(gang: Gang) -> str:
    if gang.state == "finished":
        return ""
    needs = f", needs {gang.needed}" if gang.needed else ""
    return f"{gang.scheduled}/{gang.exist}{needs}"


def _domains(overview: Overview) -> RenderableType:
    names = [key.rpartition("/")[2].upper() for key in overview.keys] or ["CLUSTER"]
    return table((*names, "NODES", "USED"), [_domain(one) for one in overview.domains])


def _domain(domain: Domain) -> tuple[str, ...]:
    used = ", ".join(
        f"{use.used}/{use.allocatable} {use.resource.rpartition('/')[2]}" for use in domain.uses
    )
    return (*(domain.path or ("all",)), str(len(domain.nodes)), used)
