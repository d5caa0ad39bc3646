"""Plays a scenario on a control plane, whichever it is, and says what came of it."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from contextlib import suppress
from typing import Final

import msgspec

from kubegang.apimachinery.errors import ApiError, ForbiddenError, NotFoundError
from kubegang.apimachinery.objects import JsonObject
from kubegang.apimachinery.times import format_time
from kubegang.base.clock import Clock
from kubegang.client.interface import Client, Resource
from kubegang.client.resources import (
    COMPOSITEPODGROUPS,
    DEVICECLASSES,
    EVENTS,
    NAMESPACES,
    NODES,
    PODDISRUPTIONBUDGETS,
    PODS,
    PRIORITYCLASSES,
    RESOURCECLAIMS,
    RESOURCESLICES,
)
from tests.differential import claimforms, objects
from tests.differential.objects import Release
from tests.differential.observing import Observer
from tests.differential.scenario import Outcome, Picture, Scenario

POLL_SECONDS: Final = 0.1
FIRST_START: Final = 1_790_000_000.0
"""When the first pod of a scenario began to run; long ago, and each a second later."""

CLASS_SECONDS: Final = 5.0
"""Until an admission cache knows a PriorityClass."""


class Pace(msgspec.Struct, frozen=True, kw_only=True):
    """How long a player waits.

    Attributes:
        between: after every request, so that a scheduler has acted before the next one.
        quiet: nothing may change for so long; a backoff of one second may take two, since it
            ends with a whole one (measured on 1.37.2).
        patience: until a plane counts as restless.
    """

    between: float = 0.12
    quiet: float = 2.4
    patience: float = 15.0


class Player:
    """Plays scenarios on one plane, one at a time."""

    def __init__(self, client: Client, release: Release, *, clock: Clock, pace: Pace) -> None:
        self._client = client
        self._release = release
        self._clock = clock
        self._pace = pace
        self._namespace = ""
        self._refused: list[str] = []
        self._made: list[str] = []

    async def play(
        self,
        scenario: Scenario,
        *,
        namespace: str,
        before_phase: Callable[[int], None] = lambda _: None,
    ) -> Outcome:
        """Play a scenario in a namespace of its own and remove everything again.

        Args:
            before_phase: told the number of the picture that is worked towards.
        """
        self._namespace = namespace
        self._refused = []
        self._made = []
        try:
            await self._prepare(scenario)
            return await self._play(scenario, before_phase)
        finally:
            await self._clear()

    async def _play(self, scenario: Scenario, before_phase: Callable[[int], None]) -> Outcome:
        observer = Observer(self._client, self._release, self._namespace)
        pictures: list[Picture] = []
        restless = False
        before_phase(0)
        for number, step in enumerate(scenario.steps):
            if "settle" in step:
                picture, quiet = await self._settle(observer)
                pictures.append(picture)
                restless = restless or not quiet
                before_phase(len(pictures))
                continue
            try:
                await self._step(step, observer)
            except ApiError as error:
                self._refused.append(f"{number}: {error.reason}")
        return Outcome(
            pictures=tuple(pictures),
            events=await observer.events(),
            refused=tuple(self._refused),
            restless=restless,
        )

    # --- steps ---------------------------------------------------------------------------

    async def _prepare(self, scenario: Scenario) -> None:
        metadata = {"name": self._namespace}
        body = {"apiVersion": "v1", "kind": "Namespace", "metadata": metadata}
        await self._client.create(NAMESPACES, body)
        for priority_class in objects.priority_classes(scenario.steps):
            with suppress(ApiError):
                await self._client.create(PRIORITYCLASSES, priority_class)
        if any("slice" in step or "claim" in step for step in scenario.steps):
            with suppress(ApiError):
                await self._client.create(DEVICECLASSES, claimforms.device_class())
        await self._clock.sleep(self._pace.between)

    async def _step(self, step: JsonObject, observer: Observer) -> None:
        verb = next(iter(step))
        match verb:
            case "node":
                await self._create("node", objects.node(step))
            case "group":
                await self._create("group", objects.group(step, self._release))
            case "composite":
                await self._create("composite", objects.composite(step, self._release))
            case "slice":
                await self._create("slice", claimforms.resource_slice(step))
            case "claim":
                await self._create("claim", claimforms.claim(step))
            case "pods":
                for pod in objects.pods(step, self._release):
                    observer.expect(pod["metadata"]["name"])
                    self._made.append(pod["metadata"]["name"])
                    await self._create("pod", pod)
            case "budget":
                await self._budget(step)
            case "delete":
                await self._delete(step["delete"], step.get("grace"), observer)
            case "delete_if_ending":
                await self._end(step["delete_if_ending"])
            case "patch":
                await self._patch(step["patch"], step["with"], step.get("sub", ""))
            case "strip":
                await self._patch(step["strip"], {"metadata": {"finalizers": None}}, "")
            case "run":
                await self._run_pods()
            case "ungate":
                await self._ungate(step["ungate"])
            case _:
                raise ValueError(f"unknown step {step}")

    async def _create(self, word: str, obj: JsonObject) -> None:
        resource = objects.resource_of(word, self._release)
        namespace = self._namespace if resource.namespaced else ""
        started = self._clock.now()
        while True:
            try:
                await self._client.create(resource, obj, namespace)
                break
            except ForbiddenError as error:
                # Admission learns of PriorityClasses and namespaces through caches.
                late = self._clock.now() - started > CLASS_SECONDS
                if late or "no PriorityClass" not in str(error):
                    raise
                await self._clock.sleep(self._pace.between)
        await self._clock.sleep(self._pace.between)

    async def _budget(self, step: JsonObject) -> None:
        await self._create("budget", objects.budget(step))
        await self._patch(
            f"budget/{step['budget']}", {"status": objects.budget_status(step)}, "status"
        )

    async def _delete(self, reference: str, grace: int | None, observer: Observer) -> None:
        word, name = reference.split("/")
        resource = objects.resource_of(word, self._release)
        namespace = self._namespace if resource.namespaced else ""
        if word == "pod" and grace == 0:
            observer.forget(name)
        await self._client.delete(resource, name, namespace, grace_period_seconds=grace)
        await self._clock.sleep(self._pace.between)

    async def _end(self, reference: str) -> None:
        """Let a pod that has a deletion mark be gone, as its kubelet would."""
        _, name = reference.split("/")
        with suppress(NotFoundError):
            pod = await self._client.get(PODS, name, self._namespace)
            if "deletionTimestamp" in pod["metadata"]:
                await self._client.delete(PODS, name, self._namespace, grace_period_seconds=0)
                await self._clock.sleep(self._pace.between)

    async def _patch(self, reference: str, patch: JsonObject, subresource: str) -> None:
        word, name = reference.split("/")
        resource = objects.resource_of(word, self._release)
        namespace = self._namespace if resource.namespaced else ""
        await self._client.patch(resource, name, namespace, patch=patch, subresource=subresource)
        await self._clock.sleep(self._pace.between)

    async def _ungate(self, name: str) -> None:
        await self._client.patch(
            PODS,
            name,
            self._namespace,
            patch=[{"op": "replace", "path": "/spec/schedulingGates", "value": []}],
            patch_type="json",
        )
        await self._clock.sleep(self._pace.between)

    async def _run_pods(self) -> None:
        """Let pods that have a node run, as kubelets would, each since another second."""
        for pod in (await self._client.list(PODS, self._namespace)).items:
            name, status = pod["metadata"]["name"], pod["status"]
            if not pod["spec"].get("nodeName") or status.get("phase") != "Pending":
                continue
            since = format_time(FIRST_START + self._made.index(name))
            running = {"status": {"phase": "Running", "startTime": since}}
            await self._client.patch(
                PODS, name, self._namespace, patch=running, subresource="status"
            )
        await self._clock.sleep(self._pace.between)

    # --- waiting -------------------------------------------------------------------------

    async def _settle(self, observer: Observer) -> tuple[Picture, bool]:
        """Return the picture that stays, and whether it did."""
        started = since = self._clock.now()
        picture = await observer.picture()
        while self._clock.now() - since < self._pace.quiet:
            if self._clock.now() - started > self._pace.patience:
                return picture, False
            await self._clock.sleep(POLL_SECONDS)
            now = await observer.picture()
            if now != picture:
                picture, since = now, self._clock.now()
        return picture, True

    # --- removing ------------------------------------------------------------------------

    async def _clear(self) -> None:
        """Remove everything, pods first, so that nothing is scheduled any more."""
        groups = [self._release.groups]
        if self._release.has_trees:
            groups.append(COMPOSITEPODGROUPS)
        about_devices = (RESOURCECLAIMS, RESOURCESLICES)
        for resource in (NODES, PODS, *groups, *about_devices, PODDISRUPTIONBUDGETS, EVENTS):
            namespace = self._namespace if resource.namespaced else ""
            items: Sequence[JsonObject] = (await self._client.list(resource, namespace)).items
            for item in items:
                with suppress(NotFoundError):
                    await self._remove_object(resource, item, namespace)
            if resource is PODS:
                await self._clock.sleep(self._pace.between)
        with suppress(ApiError):
            await self._client.delete(NAMESPACES, self._namespace)
        await self._clock.sleep(5 * self._pace.between)

    async def _remove_object(self, resource: Resource, item: JsonObject, namespace: str) -> None:
        name = item["metadata"]["name"]
        if item["metadata"].get("finalizers"):
            nothing = {"metadata": {"finalizers": None}}
            await self._client.patch(resource, name, namespace, patch=nothing)
        grace = 0 if resource is PODS else None
        await self._client.delete(resource, name, namespace, grace_period_seconds=grace)
