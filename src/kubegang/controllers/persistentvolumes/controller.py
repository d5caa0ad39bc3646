"""Binds claims and volumes to each other, and follows what becomes of both.

Volumes are never made here: claims that need one name who is to make it, and wait. Volumes
whose claim is gone are released; the policy Delete removes those that no driver has to remove.
"""

from __future__ import annotations

from typing import Final, Literal

from kubegang.apimachinery.errors import NotFoundError
from kubegang.apimachinery.objects import JsonObject
from kubegang.client.informer import Informer
from kubegang.client.interface import Client, Resource
from kubegang.client.resources import PERSISTENTVOLUMECLAIMS, PERSISTENTVOLUMES
from kubegang.client.workers import work
from kubegang.client.workqueue import WorkQueue
from kubegang.controllers.changing import update_with
from kubegang.controllers.events import EventRecorder
from kubegang.controllers.persistentvolumes.decisions import (
    ClaimPlan,
    Happening,
    incompatible,
    is_over,
    plan_claim,
    plan_removal,
    plan_volume,
    waiting_names,
)
from kubegang.controllers.persistentvolumes.objects import (
    claim_key,
    class_of,
    name_of,
    reference_of,
    referenced_key,
    volume_name_of,
)
from kubegang.controllers.persistentvolumes.patches import (
    ask_provisioner,
    claim_bound,
    claim_without_volume,
    give_volume,
    promise_volume,
    unbind_volume,
    volume_phase,
)
from kubegang.controllers.podclaims import BY_CLAIM, index_by_claim

WORKERS: Final = 1
"""One after the other, as upstream: two claims must not be promised one volume."""

BY_REFERENCE: Final = "claim"
BY_VOLUME: Final = "volume"
UNBOUND: Final = "unbound"

Key = tuple[Literal["claim", "volume"], str, str]


class VolumeBinder:
    """Reconciles claims and volumes, keyed by what they are, namespace and name."""

    def __init__(
        self,
        client: Client,
        *,
        claims: Informer[JsonObject],
        volumes: Informer[JsonObject],
        classes: Informer[JsonObject],
        pods: Informer[JsonObject],
        recorder: EventRecorder,
        queue: WorkQueue[Key],
    ) -> None:
        self._client = client
        self._claims = claims
        self._volumes = volumes
        self._classes = classes
        self._pods = pods
        self._recorder = recorder
        self._queue = queue
        claims.index(BY_VOLUME, _volume_index)
        pods.index(BY_CLAIM, index_by_claim)
        volumes.index(BY_REFERENCE, _reference_index)
        claims.add_handler(
            self._claim_changed, lambda _, new: self._claim_changed(new), self._claim_gone
        )
        volumes.add_handler(
            self._volume_changed, lambda _, new: self._volume_changed(new), self._volume_gone
        )
        classes.add_handler(self._class_added)

    async def run(self) -> None:
        """Reconcile until cancelled."""
        for informer in (self._claims, self._volumes, self._classes, self._pods):
            await informer.synced.wait()
        await work(
            self._queue, self._reconcile, workers=WORKERS, failed="claim not bound, retrying"
        )

    # --- what happened ---------------------------------------------------------------------

    def _claim_changed(self, claim: JsonObject) -> None:
        self._queue.add(("claim", *claim_key(claim)))
        self._look_at_volumes_of(claim)

    def _claim_gone(self, claim: JsonObject) -> None:
        self._look_at_volumes_of(claim)

    def _look_at_volumes_of(self, claim: JsonObject) -> None:
        if volume_name_of(claim):
            self._queue.add(("volume", "", volume_name_of(claim)))
        for volume in self._volumes.by_index(BY_REFERENCE, "/".join(claim_key(claim))):
            self._queue.add(("volume", "", name_of(volume)))

    def _volume_changed(self, volume: JsonObject) -> None:
        self._queue.add(("volume", "", name_of(volume)))
        key = referenced_key(volume)
        if key is not None:
            self._queue.add(("claim", *key))
        else:
            self._look_at_claims(class_of(volume))
        self._volume_gone(volume)

    def _volume_gone(self, volume: JsonObject) -> None:
        for claim in self._claims.by_index(BY_VOLUME, name_of(volume)):
            self._queue.add(("claim", *claim_key(claim)))

    def _class_added(self, storage_class: JsonObject) -> None:
        self._look_at_claims(name_of(storage_class))

    def _look_at_claims(self, storage_class: str) -> None:
        for claim in self._claims.by_index(BY_VOLUME, UNBOUND):
            if class_of(claim) == storage_class:
                self._queue.add(("claim", *claim_key(claim)))

    # --- what is done about it -------------------------------------------------------------

    async def _reconcile(self, key: Key) -> None:
        what, namespace, name = key
        try:
            if what == "claim":
                claim = self._claims.get(namespace, name)
                if claim is not None:
                    await self._sync_claim(claim)
            else:
                volume = self._volumes.get("", name)
                if volume is not None:
                    await self._sync_volume(volume)
        except NotFoundError:
            # It went while it was looked at; that is told separately.
            return

    async def _sync_claim(self, claim: JsonObject) -> None:
        storage_class = self._classes.get("", class_of(claim)) if class_of(claim) else None
        users = self._pods.by_index(BY_CLAIM, "/".join(claim_key(claim)))
        plan = plan_claim(
            claim,
            volumes=self._volumes.items(),
            volume_named=lambda name: self._volumes.get("", name),
            storage_class=storage_class,
            waiting_pods=waiting_names(users),
        )
        if plan.action == "bind" and plan.volume is not None:
            await self._bind(plan.volume, claim)
        elif plan.action == "provision":
            await self._provision(claim, storage_class)
        else:
            await self._without_volume(claim, plan)

    async def _bind(self, volume: JsonObject, claim: JsonObject) -> None:
        """Let volume and claim name each other, and say so; each step may be done already."""
        volume = await self._write(PERSISTENTVOLUMES, volume, promise_volume(volume, claim))
        volume = await self._set_phase(volume, "Bound")
        claim = await self._write(PERSISTENTVOLUMECLAIMS, claim, give_volume(claim, volume))
        await self._write_status(PERSISTENTVOLUMECLAIMS, claim, claim_bound(claim, volume))

    async def _without_volume(self, claim: JsonObject, plan: ClaimPlan) -> None:
        change = claim_without_volume(claim, "Lost" if plan.action == "lost" else "Pending")
        # A loss is told once, what a claim waits for as often as it is looked at.
        if plan.happening is not None and (plan.action == "pend" or change is not None):
            self._record(claim, plan.happening)
        await self._write_status(PERSISTENTVOLUMECLAIMS, claim, change)

    async def _provision(self, claim: JsonObject, storage_class: JsonObject | None) -> None:
        """Name who is to make the volume; nobody is where the class does not exist."""
        name = class_of(claim)
        if storage_class is None:
            text = f'storageclass.storage.k8s.io "{name}" not found'
            self._record(claim, Happening("Warning", "ProvisioningFailed", text))
            return
        provisioner = str(storage_class.get("provisioner") or "")
        if provisioner.startswith("kubernetes.io/"):
            text = f"no volume plugin matched name: {provisioner}"
            self._record(claim, Happening("Warning", "ProvisioningFailed", text))
            return
        await self._write(PERSISTENTVOLUMECLAIMS, claim, ask_provisioner(claim, provisioner))
        text = (
            "Waiting for a volume to be created either by the external provisioner "
            f"'{provisioner}' or manually by the system administrator. If volume creation is "
            "delayed, please verify that the provisioner is running and correctly registered."
        )
        self._record(claim, Happening("Normal", "ExternalProvisioning", text))

    async def _sync_volume(self, volume: JsonObject) -> None:
        claim = await self._claim_of(volume)
        plan = plan_volume(volume, claim)
        if plan.action == "phase":
            await self._set_phase(volume, plan.phase)
        elif plan.action == "unbind":
            freed = await self._write(PERSISTENTVOLUMES, volume, unbind_volume(volume))
            await self._set_phase(freed, "Available")
        elif plan.action == "release":
            if not is_over(volume):
                volume = await self._set_phase(volume, "Released")
            await self._reclaim(volume)
        elif claim is not None:
            told = incompatible(volume, claim)
            if told is None:
                self._queue.add(("claim", *claim_key(claim)))
            else:
                self._record(volume, told[0])
                self._record(claim, told[1])

    async def _claim_of(self, volume: JsonObject) -> JsonObject | None:
        """Return the very claim that a volume names; the API is asked before it counts as gone."""
        reference, key = reference_of(volume), referenced_key(volume)
        if reference is None or key is None or not reference.get("uid"):
            return None
        claim = self._claims.get(*key)
        if (claim is None and not is_over(volume)) or _is_another(claim, reference):
            try:
                claim = await self._client.get(PERSISTENTVOLUMECLAIMS, key[1], key[0])
            except NotFoundError:
                return None
        return None if _is_another(claim, reference) else claim

    async def _reclaim(self, volume: JsonObject) -> None:
        """Do what the policy says about a released volume."""
        removal = plan_removal(volume)
        if removal.remove:
            await self._client.delete(PERSISTENTVOLUMES, name_of(volume))
        elif removal.problem:
            failed = await self._set_phase(volume, "Failed", removal.problem)
            if failed is not volume:
                told = Happening("Warning", "VolumeFailedDelete", removal.problem)
                self._record(volume, told)

    # --- writing ---------------------------------------------------------------------------

    def _record(self, obj: JsonObject, happening: Happening) -> None:
        type_, reason, message = happening
        self._recorder.record(obj, type_=type_, reason=reason, message=message)

    async def _set_phase(self, volume: JsonObject, phase: str, message: str = "") -> JsonObject:
        change = volume_phase(volume, phase, message)
        return await self._write_status(PERSISTENTVOLUMES, volume, change)

    async def _write_status(
        self, resource: Resource, obj: JsonObject, change: JsonObject | None
    ) -> JsonObject:
        return await self._write(resource, obj, change, subresource="status")

    async def _write(
        self, resource: Resource, obj: JsonObject, change: JsonObject | None, subresource: str = ""
    ) -> JsonObject:
        """Write a change to what was seen, and to nothing newer; return the object then."""
        if change is None:
            return obj
        return await update_with(
            self._client, resource, obj, change=change, subresource=subresource
        )


def _volume_index(claim: JsonObject) -> list[str]:
    return [volume_name_of(claim) or UNBOUND]


def _reference_index(volume: JsonObject) -> list[str]:
    key = referenced_key(volume)
    return [] if key is None else ["/".join(key)]


def _is_another(claim: JsonObject | None, reference: JsonObject) -> bool:
    return claim is not None and claim["metadata"]["uid"] != reference.get("uid")
