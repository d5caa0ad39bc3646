"""Makes, corrects and deletes the pods of a StatefulSet, and their claims before them."""

from __future__ import annotations

from kubegang.apimachinery.errors import AlreadyExistsError, ApiError, ConflictError, NotFoundError
from kubegang.apimachinery.objects import JsonObject
from kubegang.base.clock import Clock
from kubegang.client.informer import Informer
from kubegang.client.interface import Client, UnreachableError
from kubegang.client.resources import PERSISTENTVOLUMECLAIMS, PODS
from kubegang.controllers.events import EventRecorder
from kubegang.controllers.job.expectations import Expectations
from kubegang.controllers.statefulset.identity import (
    claim_name,
    claim_templates,
    corrected,
    has_identity,
    has_storage,
    ordinal_of,
)
from kubegang.controllers.statefulset.retention import (
    has_other_controller,
    is_right,
    is_stale,
    new_claim,
    waits_for_claims,
    with_right_owner,
)
from kubegang.controllers.workloads.availability import is_going
from kubegang.controllers.workloads.objects import name_of, uid_of

_CONFLICTING = (
    "PersistentVolumeClaim {} has a conflicting OwnerReference that acts as a manging "
    "controller, the retention policy is ignored for this claim"
)


class StatefulPods:
    """Acts on pods and claims. Failures are told as events and raised."""

    def __init__(
        self,
        client: Client,
        *,
        claims: Informer[JsonObject],
        expectations: Expectations,
        recorder: EventRecorder,
        clock: Clock,
    ) -> None:
        self._client = client
        self._claims = claims
        self._expectations = expectations
        self._recorder = recorder
        self._clock = clock

    def is_blocked(self, stateful_set: JsonObject, pod: JsonObject) -> bool:
        """Return whether a pod cannot be made yet, as a claim goes with the one before."""
        if not waits_for_claims(stateful_set):
            return False
        return any(is_stale(claim, pod) for claim in self._claims_of(stateful_set, pod))

    async def create(self, stateful_set: JsonObject, pod: JsonObject) -> None:
        """Make a pod and its claims.

        Raises:
            ApiError: something was refused.
        """
        uid, made_uid = uid_of(stateful_set), ""
        self._expectations.begin_creation(uid, now=self._clock.steady())
        try:
            await self.create_claims(stateful_set, pod)
            namespace = stateful_set["metadata"]["namespace"]
            made_uid = uid_of(await self._client.create(PODS, pod, namespace))
        except AlreadyExistsError:
            # It was made before, and has only not been seen.
            raise
        except (ApiError, UnreachableError) as failure:
            self._tell_failure(stateful_set, pod, "Create", failure)
            raise
        finally:
            self._expectations.end_creation(uid, made_uid, now=self._clock.steady())
        await self.own_claims(stateful_set, pod)
        self._tell_success(stateful_set, pod, "Create")

    async def delete(self, stateful_set: JsonObject, pod: JsonObject) -> None:
        """Delete a pod.

        Raises:
            ApiError: it was refused.
        """
        uid = uid_of(stateful_set)
        self._expectations.expect_deleted(uid, [uid_of(pod)], now=self._clock.steady())
        try:
            await self._client.delete(PODS, name_of(pod), pod["metadata"]["namespace"])
        except NotFoundError:
            self._expectations.saw_deleted(uid, uid_of(pod))
        except (ApiError, UnreachableError) as failure:
            self._expectations.saw_deleted(uid, uid_of(pod))
            self._tell_failure(stateful_set, pod, "Delete", failure)
            raise
        self._tell_success(stateful_set, pod, "Delete")

    async def correct(self, stateful_set: JsonObject, pod: JsonObject) -> None:
        """Give a pod what makes it a member, if it lacks something.

        Raises:
            ApiError: something was refused.
        """
        is_whole = has_identity(stateful_set, pod) and has_storage(stateful_set, pod)
        if is_whole and self.owns_claims(stateful_set, pod):
            return
        try:
            await self.create_claims(stateful_set, pod)
            await self.own_claims(stateful_set, pod)
            if not is_whole:
                await self._client.update(PODS, corrected(stateful_set, pod))
        except ConflictError:
            raise
        except (ApiError, UnreachableError) as failure:
            self._tell_failure(stateful_set, pod, "Update", failure)
            raise
        self._tell_success(stateful_set, pod, "Update")

    # Claims

    async def create_claims(self, stateful_set: JsonObject, pod: JsonObject) -> None:
        """Make the claims of a pod that are missing.

        Raises:
            ConflictError: one is being deleted.
            ApiError: one was refused.
        """
        ordinal = ordinal_of(pod)
        for template in claim_templates(stateful_set):
            claim = new_claim(stateful_set, template, ordinal)
            present = self._claims.get(claim["metadata"]["namespace"], name_of(claim))
            if present is None:
                await self._create_claim(stateful_set, pod, claim)
            elif is_going(present):
                raise ConflictError(f"pvc {name_of(claim)} is being deleted")

    def owns_claims(self, stateful_set: JsonObject, pod: JsonObject) -> bool:
        """Return whether the claims of a pod have the owner that the policy asks for."""
        found = self._claims_of(stateful_set, pod)
        return all(is_right(claim, stateful_set, pod) for claim in found)

    async def own_claims(self, stateful_set: JsonObject, pod: JsonObject) -> None:
        """Give the claims of a pod the owner that the policy asks for.

        Raises:
            ApiError: it was refused.
        """
        for claim in self._claims_of(stateful_set, pod):
            if has_other_controller(claim, stateful_set, pod):
                message = _CONFLICTING.format(name_of(claim))
                self._tell(stateful_set, "Warning", "ConflictingController", message)
            if not is_right(claim, stateful_set, pod):
                changed = with_right_owner(claim, stateful_set, pod)
                await self._client.update(PERSISTENTVOLUMECLAIMS, changed)

    async def _create_claim(
        self, stateful_set: JsonObject, pod: JsonObject, claim: JsonObject
    ) -> None:
        what = f"Create Claim {name_of(claim)}"
        of = f"Pod {name_of(pod)} in StatefulSet {name_of(stateful_set)}"
        namespace = stateful_set["metadata"]["namespace"]
        try:
            await self._client.create(PERSISTENTVOLUMECLAIMS, claim, namespace)
        except AlreadyExistsError:
            return
        except (ApiError, UnreachableError) as failure:
            message = f"{what} for {of} failed error: {failure}"
            self._tell(stateful_set, "Warning", "FailedCreate", message)
            raise
        self._tell(stateful_set, "Normal", "SuccessfulCreate", f"{what} {of} success")

    def _claims_of(self, stateful_set: JsonObject, pod: JsonObject) -> list[JsonObject]:
        """Return the claims of a pod that are there."""
        namespace, ordinal = stateful_set["metadata"]["namespace"], ordinal_of(pod)
        names = (
            claim_name(stateful_set, template, ordinal)
            for template in claim_templates(stateful_set)
        )
        found = (self._claims.get(namespace, name) for name in names)
        return [claim for claim in found if claim is not None]

    # Telling

    def _tell_success(self, stateful_set: JsonObject, pod: JsonObject, verb: str) -> None:
        message = f"{verb} Pod {name_of(pod)} in StatefulSet {name_of(stateful_set)} successful"
        self._tell(stateful_set, "Normal", f"Successful{verb}", message)

    def _tell_failure(
        self,
        stateful_set: JsonObject,
        pod: JsonObject,
        verb: str,
        failure: ApiError | UnreachableError,
    ) -> None:
        of = f"Pod {name_of(pod)} in StatefulSet {name_of(stateful_set)}"
        self._tell(stateful_set, "Warning", f"Failed{verb}", f"{verb} {of} failed error: {failure}")

    def _tell(self, stateful_set: JsonObject, kind: str, reason: str, message: str) -> None:
        self._recorder.record(stateful_set, type_=kind, reason=reason, message=message)
