"""The ResourceClaim controller: what news of pods, groups, templates and claims make it do."""

from __future__ import annotations

from typing import Final, Literal

from kubegang.apimachinery.objects import JsonObject
from kubegang.base.clock import Clock
from kubegang.client.informer import Informer
from kubegang.client.interface import Client, Resource
from kubegang.client.workers import work
from kubegang.client.workqueue import WorkQueue
from kubegang.controllers.events import EventRecorder
from kubegang.controllers.resourceclaim.groups import GroupClaims
from kubegang.controllers.resourceclaim.made import MadeClaims
from kubegang.controllers.resourceclaim.making import ClaimMaker
from kubegang.controllers.resourceclaim.pods import PodClaims
from kubegang.controllers.resourceclaim.references import (
    BY_CLAIM,
    BY_GROUP,
    BY_TEMPLATE,
    entries,
    index_by_claim,
    index_by_group,
    index_by_template,
    is_done,
    listed_claims,
    used_claims,
    uses_claims,
)
from kubegang.controllers.resourceclaim.releasing import Releaser
from kubegang.controllers.resourceclaim.settings import ClaimSettings

WORKERS: Final = 50
"""As kube-controller-manager's ``concurrent-resource-claim-syncs``."""

Key = tuple[Literal["pod", "podgroup", "claim"], str, str]
"""What is to be looked at: its kind, namespace and name."""


class ResourceClaims:
    """Reconciles pods, PodGroups and claims."""

    def __init__(
        self,
        client: Client,
        *,
        pods: Informer[JsonObject],
        groups: Informer[JsonObject] | None,
        group_resource: Resource,
        claims: Informer[JsonObject],
        templates: Informer[JsonObject],
        recorder: EventRecorder,
        queue: WorkQueue[Key],
        clock: Clock,
        settings: ClaimSettings,
    ) -> None:
        """Set up.

        Args:
            client: the API.
            pods: all pods.
            groups: all PodGroups, ``None`` where there are none.
            group_resource: in which API version groups are written.
            claims: all claims.
            templates: all templates.
            recorder: for events of claims that could not be made.
            queue: what is to be looked at.
            clock: the time.
            settings: gates and the release's rules.
        """
        self._pods = pods
        self._claimants = groups if settings.group_claims else None
        self._claims = claims
        self._templates = templates
        self._queue = queue
        self._settings = settings
        made = MadeClaims(client, claims, clock=clock)
        maker = ClaimMaker(made, templates, settings=settings)
        self._of_pods = PodClaims(
            client,
            pods=pods,
            groups=groups,
            claims=claims,
            made=made,
            maker=maker,
            recorder=recorder,
            settings=settings,
        )
        self._releaser = Releaser(
            client,
            claims=claims,
            pods=pods,
            groups=self._claimants,
            group_resource=group_resource,
            rules=settings.rules,
        )
        self._of_groups = (
            GroupClaims(
                client,
                group_resource,
                groups=self._claimants,
                claims=claims,
                made=made,
                maker=maker,
                recorder=recorder,
            )
            if self._claimants is not None
            else None
        )
        self._listen()

    async def run(self) -> None:
        """Reconcile until cancelled."""
        for informer in (self._pods, self._claims, self._templates, self._claimants):
            if informer is not None:
                await informer.synced.wait()
        await work(
            self._queue, self._reconcile, workers=WORKERS, failed="claims not right, retrying"
        )

    async def _reconcile(self, key: Key) -> None:
        kind, namespace, name = key
        if kind == "pod":
            await self._of_pods.reconcile(namespace, name)
        elif kind == "claim":
            await self._releaser.reconcile(namespace, name)
        elif self._of_groups is not None:
            await self._of_groups.reconcile(namespace, name)

    def _listen(self) -> None:
        self._pods.index(BY_CLAIM, index_by_claim)
        self._pods.index(BY_TEMPLATE, index_by_template)
        self._pods.index(BY_GROUP, index_by_group)
        if self._claimants is not None:
            self._claimants.index(BY_CLAIM, index_by_claim)
            self._claimants.index(BY_TEMPLATE, index_by_template)
            self._claimants.add_handler(
                self._group_changed, lambda _, new: self._group_changed(new), self._group_gone
            )
        self._pods.add_handler(
            self._pod_changed, lambda _, new: self._pod_changed(new), self._pod_gone
        )
        self._claims.add_handler(
            self._claim_added, lambda _, new: self._claim_changed(new), self._claim_matters
        )
        if self._settings.rules.template_wakes:
            self._templates.add_handler(
                self._template_changed, lambda _, new: self._template_changed(new), None
            )

    # News

    def _pod_changed(self, pod: JsonObject) -> None:
        if not uses_claims(pod):
            return
        if is_done(pod):
            self._look_at_claims(pod, list(used_claims(pod)))
        if self._of_pods.need_work(pod):
            self._queue.add(("pod", *_key(pod)))

    def _pod_gone(self, pod: JsonObject) -> None:
        if uses_claims(pod):
            self._releaser.saw_go(pod)
            self._look_at_claims(pod, list(used_claims(pod)))

    def _group_changed(self, group: JsonObject) -> None:
        if not entries(group) or self._of_groups is None:
            return
        if self._of_groups.need_work(group):
            self._queue.add(("podgroup", *_key(group)))
        self._look_at_members(group)

    def _group_gone(self, group: JsonObject) -> None:
        if entries(group):
            self._releaser.saw_go(group)
            self._look_at_claims(group, list(listed_claims(group)))
            self._look_at_members(group)

    def _look_at_members(self, group: JsonObject) -> None:
        """Look at a group's pods: they are told which claims the group has."""
        for pod in self._pods.by_index(BY_GROUP, "/".join(_key(group))):
            self._pod_changed(pod)

    def _look_at_claims(self, obj: JsonObject, names: list[str]) -> None:
        for name in names:
            self._queue.add(("claim", obj["metadata"]["namespace"], name))

    def _claim_added(self, claim: JsonObject) -> None:
        if not self._claims.synced.is_set():
            self._releaser.saw_at_start(claim)
        self._claim_changed(claim)

    def _claim_changed(self, claim: JsonObject) -> None:
        # Also at the start: whoever it is reserved for may be gone since long.
        self._queue.add(("claim", *_key(claim)))
        self._claim_matters(claim)

    def _claim_matters(self, claim: JsonObject) -> None:
        """Look at whoever uses a claim."""
        self._look_at_users(BY_CLAIM, claim)

    def _template_changed(self, template: JsonObject) -> None:
        self._look_at_users(BY_TEMPLATE, template)

    def _look_at_users(self, index: str, obj: JsonObject) -> None:
        key = "/".join(_key(obj))
        for pod in self._pods.by_index(index, key):
            self._pod_changed(pod)
        if self._claimants is not None:
            for group in self._claimants.by_index(index, key):
                self._group_changed(group)


def _key(obj: JsonObject) -> tuple[str, str]:
    return obj["metadata"]["namespace"], obj["metadata"]["name"]
