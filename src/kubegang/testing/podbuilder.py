"""The builder of pods."""

from __future__ import annotations

import dataclasses
from typing import Any

from kubegang.api.core.affinity import (
    Affinity,
    NodeAffinity,
    NodeSelector,
    NodeSelectorRequirement,
    NodeSelectorTerm,
    PodAffinityTerm,
    PreferredSchedulingTerm,
    Toleration,
    TopologySpreadConstraint,
)
from kubegang.api.core.types import (
    Container,
    ContainerPort,
    Pod,
    PodCondition,
    PodSchedulingGate,
    PodSchedulingGroup,
    PodSpec,
    PodStatus,
    ResourceRequirements,
    Volume,
)
from kubegang.api.core.volumesources import (
    EphemeralVolumeSource,
    PersistentVolumeClaimVolumeSource,
)
from kubegang.api.meta import OwnerReference
from kubegang.apimachinery.objects import JsonObject
from kubegang.apimachinery.times import format_time
from kubegang.scheduler.framework.podconversion import pod_info
from kubegang.scheduler.framework.pods import PodInfo
from kubegang.testing.building import Builder, amounts_of, as_json, replaced
from kubegang.testing.podterms import with_apart, with_near


@dataclasses.dataclass(frozen=True)
class PodBuilder(Builder):
    """Builds pods."""

    spec: PodSpec
    status: PodStatus

    def _with_spec(self, **changes: Any) -> PodBuilder:
        return dataclasses.replace(self, spec=replaced(self.spec, **changes))

    def _with_container(self, **changes: Any) -> PodBuilder:
        first, *rest = self.spec.containers or ()
        return self._with_spec(containers=(replaced(first, **changes), *rest))

    def req(self, **amounts: str) -> PodBuilder:
        """Ask for resources; ``gpu`` stands for the extended resource, whose limit is set too."""
        requests = amounts_of(amounts)
        limits = {name: amount for name, amount in requests.items() if "/" in name}
        return self._with_container(resources=ResourceRequirements(requests, limits))

    def init(self, *, sidecar: bool = False, **amounts: str) -> PodBuilder:
        """Add an init container that asks for resources."""
        number = len(self.spec.init_containers)
        container = Container(
            name=f"init-{number}",
            image="registry.example/init:1",
            resources=ResourceRequirements(amounts_of(amounts)),
            restart_policy="Always" if sidecar else None,
        )
        return self._with_spec(init_containers=(*self.spec.init_containers, container))

    def overhead(self, **amounts: str) -> PodBuilder:
        """Add what the runtime itself needs."""
        return self._with_spec(overhead=amounts_of(amounts))

    def group(self, name: str) -> PodBuilder:
        """Make it a member of a PodGroup."""
        return self._with_spec(scheduling_group=PodSchedulingGroup(name))

    def priority(self, value: int) -> PodBuilder:
        """Set the priority that admission would compute."""
        return self._with_spec(priority=value)

    def never_preempting(self) -> PodBuilder:
        """Give it preemptionPolicy Never."""
        return self._with_spec(preemption_policy="Never")

    def scheduler(self, name: str) -> PodBuilder:
        """Choose the scheduler profile."""
        return self._with_spec(scheduler_name=name)

    def on(self, node: str) -> PodBuilder:
        """Bind it to a node."""
        return self._with_spec(node_name=node)

    def nominated(self, node: str) -> PodBuilder:
        """Promise it a node."""
        return dataclasses.replace(self, status=replaced(self.status, nominated_node_name=node))

    def phase(self, phase: str) -> PodBuilder:
        """Set status.phase."""
        return dataclasses.replace(self, status=replaced(self.status, phase=phase))

    def started(self, seconds: float) -> PodBuilder:
        """Set status.startTime, in seconds since the epoch."""
        return dataclasses.replace(
            self, status=replaced(self.status, start_time=format_time(seconds))
        )

    def preempted(self) -> PodBuilder:
        """Make it terminate, as a victim of preemption does."""
        condition = PodCondition(
            type="DisruptionTarget", status="True", reason="PreemptionByScheduler"
        )
        status = replaced(self.status, conditions=(*self.status.conditions, condition))
        return dataclasses.replace(self.terminating(), status=status)

    def gated(self, *names: str) -> PodBuilder:
        """Add scheduling gates."""
        return self._with_spec(scheduling_gates=tuple(PodSchedulingGate(name) for name in names))

    def toleration(
        self, key: str, operator: str = "Exists", *, value: str = "", effect: str = ""
    ) -> PodBuilder:
        """Tolerate a taint; an empty key tolerates every one."""
        added = Toleration(key, operator, value, effect)
        return self._with_spec(tolerations=(*self.spec.tolerations, added))

    def select(self, key: str, value: str) -> PodBuilder:
        """Ask for a node label through nodeSelector."""
        return self._with_spec(node_selector={**self.spec.node_selector, key: value})

    def requires(self, *requirements: tuple[str, str, tuple[str, ...]]) -> PodBuilder:
        """Add an alternative to the required affinity, of (key, operator, values) each."""
        return self._require(NodeSelectorTerm(match_expressions=_requirements(requirements)))

    def requires_name(self, operator: str, *names: str) -> PodBuilder:
        """Add an alternative about metadata.name, one expression per name."""
        fields = tuple(NodeSelectorRequirement("metadata.name", operator, (n,)) for n in names)
        return self._require(NodeSelectorTerm(match_fields=fields))

    def prefers(self, weight: int, *requirements: tuple[str, str, tuple[str, ...]]) -> PodBuilder:
        """Add a preferred node affinity term."""
        affinity = self._node_affinity()
        term = NodeSelectorTerm(match_expressions=_requirements(requirements))
        preferred = affinity.preferred_during_scheduling_ignored_during_execution
        added = (*preferred, PreferredSchedulingTerm(weight, term))
        return self._with_affinity(
            replaced(affinity, preferred_during_scheduling_ignored_during_execution=added)
        )

    def near(self, term: PodAffinityTerm, *, weight: int = 0) -> PodBuilder:
        """Add a pod affinity term; required if it has no weight."""
        return self._with_spec(affinity=with_near(self.spec.affinity, term, weight=weight))

    def apart(self, term: PodAffinityTerm, *, weight: int = 0) -> PodBuilder:
        """Add a pod anti-affinity term; required if it has no weight."""
        return self._with_spec(affinity=with_apart(self.spec.affinity, term, weight=weight))

    def spread(self, *constraints: TopologySpreadConstraint) -> PodBuilder:
        """Add topology spread constraints."""
        before = self.spec.topology_spread_constraints
        return self._with_spec(topology_spread_constraints=(*before, *constraints))

    def owned_by(self, kind: str, name: str, *, api_version: str = "apps/v1") -> PodBuilder:
        """Name the controller that manages it."""
        owner = OwnerReference(api_version, kind, name, f"uid-{name}", controller=True)
        return self._with_meta(owner_references=(owner,))

    def port(self, number: int, protocol: str = "TCP", *, ip: str = "") -> PodBuilder:
        """Take a port of the host."""
        first = (self.spec.containers or (Container(),))[0]
        added = ContainerPort(number, number, ip, protocol)
        return self._with_container(ports=(*first.ports, added))

    def claims(self, *names: str) -> PodBuilder:
        """Add a volume for each of these claims."""
        added = (
            Volume(f"v-{name}", PersistentVolumeClaimVolumeSource(claim_name=name))
            for name in names
        )
        return self.volumes(*added)

    def ephemeral(self, volume: str) -> PodBuilder:
        """Add a generic ephemeral volume."""
        return self.volumes(Volume(volume, ephemeral=EphemeralVolumeSource()))

    def volumes(self, *volumes: Volume) -> PodBuilder:
        """Add volumes."""
        return self._with_spec(volumes=(*self.spec.volumes, *volumes))

    def with_spec(self, **changes: Any) -> PodBuilder:
        """Set fields of the spec for which there is no word here."""
        return self._with_spec(**changes)

    def image(self, name: str) -> PodBuilder:
        """Set the container's image."""
        return self._with_container(image=name)

    def obj(self) -> Pod:
        """Return the typed form."""
        return Pod(metadata=self.metadata, spec=self.spec, status=self.status)

    def json(self) -> JsonObject:
        """Return what a client would send."""
        return as_json("v1", "Pod", self.obj())

    def info(self) -> PodInfo:
        """Return the scheduler's view."""
        return pod_info(self.obj())

    def _require(self, term: NodeSelectorTerm) -> PodBuilder:
        affinity = self._node_affinity()
        required = affinity.required_during_scheduling_ignored_during_execution or NodeSelector()
        terms = (*(required.node_selector_terms or ()), term)
        return self._with_affinity(
            replaced(
                affinity,
                required_during_scheduling_ignored_during_execution=NodeSelector(terms),
            )
        )

    def _node_affinity(self) -> NodeAffinity:
        affinity = self.spec.affinity
        return (affinity and affinity.node_affinity) or NodeAffinity()

    def _with_affinity(self, affinity: NodeAffinity) -> PodBuilder:
        before = self.spec.affinity or Affinity()
        return self._with_spec(affinity=replaced(before, node_affinity=affinity))


def _requirements(
    requirements: tuple[tuple[str, str, tuple[str, ...]], ...],
) -> tuple[NodeSelectorRequirement, ...]:
    return tuple(NodeSelectorRequirement(*requirement) for requirement in requirements)
