"""An overview: nodes by domain, gangs in the order of the queue. Pure."""

from __future__ import annotations

from kubegang.tools.overview.gangs import gangs_of
from kubegang.tools.overview.nodes import domains_of
from kubegang.tools.overview.report import Overview
from kubegang.tools.overview.units import Units
from kubegang.tools.placement import topology_keys
from kubegang.tools.rehearsal.stage import Stage


def overview_of(stage: Stage, *, version: str) -> Overview:
    """Return what a cluster looks like.

    Args:
        stage: the cluster.
        version: the release whose rules apply.
    """
    snapshot = stage.snapshot
    keys = topology_keys(
        (node.labels for node in snapshot.nodes.infos),
        wanted=[group.topology_key for group in snapshot.pod_groups()],
    )
    units = Units(stage)
    return Overview(
        kubernetes_version=version,
        taken=stage.state.taken,
        keys=keys,
        domains=domains_of(stage, keys, units),
        gangs=gangs_of(stage, keys, units),
        unseen=tuple(f"{one.resource}: {one.why}" for one in stage.state.unseen),
    )
