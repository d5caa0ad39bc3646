"""How 1.36 and 1.35 tell what 1.37 tells in other words, or at another field.

1.37 checks much by tags where earlier releases had code, and moved host settings of pods within
its internal types. What is refused is the same. All measured on 1.36.3 and 1.35.4.

Pure.
"""

from __future__ import annotations

import json
import re
from collections.abc import Callable, Iterable
from typing import Any, Final

from kubegang.api.validation.autoscaling.earlier import (
    AUTOSCALERS_BEFORE_1_37,
    AUTOSCALERS_OF_1_35,
    AUTOSCALERS_OF_1_36,
)
from kubegang.api.validation.certificates.earlier import REQUESTS_BEFORE_1_37
from kubegang.api.validation.earlier_forms import earlier_form
from kubegang.api.validation.internal_form import (
    FrozenFormError,
    frozen_form,
    internal_form,
    invalid_json,
)
from kubegang.api.validation.networking.earlier import POLICIES_BEFORE_1_37
from kubegang.api.validation.rewording import instead, rewording
from kubegang.api.validation_rules import Retell, ValidationRules
from kubegang.apimachinery.field import (
    FieldError,
    Path,
    duplicate,
    forbidden_field,
    invalid_value,
    required,
    too_long,
)
from kubegang.apimachinery.gotext import go_json
from kubegang.apimachinery.names import is_dns1123_subdomain, is_qualified_name
from kubegang.apimachinery.objects import JsonObject

_JSON = json.JSONDecoder()
_SHOWN = re.compile(r"[A-Z][a-z]+ value: (?P<value>.*?)(: [^:]*)?")


def _at(make_field: Callable[[re.Match[str]], str]) -> Retell:
    """Tell the same at another field."""

    def retell(error: FieldError, place: re.Match[str], _: JsonObject) -> Iterable[FieldError]:
        return (FieldError(error.reason, make_field(place), error.message),)

    return retell


def _forbidden(detail: str) -> Retell:
    def retell(error: FieldError, place: re.Match[str], _: JsonObject) -> Iterable[FieldError]:
        return (forbidden_field(Path(error.field), place.expand(detail)),)

    return retell


def _owner_reference(
    error: FieldError, place: re.Match[str], _: JsonObject
) -> Iterable[FieldError]:
    """Tell of a member without its position, and of what is missing as invalid."""
    path = Path(f"{place['list']}.{place['member']}")
    detail = "version must not be empty" if place["member"] == "apiVersion" else "must not be empty"
    value = '""'
    if error.reason == "FieldValueInvalid" and (shown := _SHOWN.fullmatch(error.message)):
        value = shown["value"]
    return (FieldError("FieldValueInvalid", str(path), f"Invalid value: {value}: {detail}"),)


def _new_value(error: FieldError, _: re.Match[str], obj: JsonObject) -> Iterable[FieldError]:
    """Show the value that may not come instead of null."""
    return (invalid_value(Path(error.field), obj.get(error.field), "field is immutable"),)


def _condition_type(error: FieldError, _: re.Match[str], _obj: JsonObject) -> Iterable[FieldError]:
    return [invalid_value(Path(error.field), "", detail) for detail in is_qualified_name("")]


def _user_twice(_: FieldError, place: re.Match[str], obj: JsonObject) -> Iterable[FieldError]:
    users = (obj.get("status") or {}).get("reservedFor") or ()
    path = Path("status.reservedFor").index(int(place[1]))
    return (duplicate(path, users[int(place[1])].get("uid") or ""),)


def _request_twice(error: FieldError, _: re.Match[str], obj: JsonObject) -> Iterable[FieldError]:
    """Name the request instead of showing it whole."""
    item: Any = obj
    for member, position in re.findall(r"(\w+)(?:\[(\d+)\])?", error.field):
        item = item[member] if not position else item[member][int(position)]
    return (duplicate(Path(error.field), item.get("name") or ""),)


def _claim_spec(error: FieldError, _: re.Match[str], obj: JsonObject) -> Iterable[FieldError]:
    form = earlier_form(internal_form("ResourceClaimSpec", obj.get("spec")), group="")
    return (invalid_json(Path(error.field), form, "field is immutable"),)


def _template_spec(error: FieldError, _: re.Match[str], obj: JsonObject) -> Iterable[FieldError]:
    form = internal_form("ResourceClaimTemplateSpec", obj.get("spec"))
    shown = earlier_form(form, group="")
    return (invalid_json(Path(error.field), shown, "field is immutable"),)


def _allocation(error: FieldError, _: re.Match[str], obj: JsonObject) -> Iterable[FieldError]:
    allocation = (obj.get("status") or {}).get("allocation")
    form = internal_form("*AllocationResult", allocation)
    return (invalid_json(Path(error.field), form, "field is immutable"),)


def _attribute(*members: str) -> Retell:
    """Show an attribute of several kinds whole, with the kinds that the release has."""

    def retell(error: FieldError, place: re.Match[str], obj: JsonObject) -> Iterable[FieldError]:
        detail = "exactly one value must be specified"
        if "must specify one of" in error.message:
            return (invalid_value(Path(error.field), "", detail),)
        devices = (obj.get("spec") or {}).get("devices") or ()
        attribute = devices[int(place[1])]["attributes"][place[2]]
        form = {f"{name[0].upper()}{name[1:]}": attribute.get(_wire(name)) for name in members}
        return (invalid_json(Path(error.field), form, detail),)

    return retell


def _wire(member: str) -> str:
    """Return the wire name of an attribute's value: ``intValue`` is ``int``."""
    return member.replace("Values", "s").replace("Value", "")


def _too_long(error: FieldError, _: re.Match[str], _obj: JsonObject) -> Iterable[FieldError]:
    """Tell of a list with too many items as of a text that is too long."""
    most = re.findall(r"\d+", error.message)[-1]
    return (too_long(Path(error.field), int(most)),)


def _pod_form(group: str) -> Retell:
    """Show a pod spec, or a difference of two, in the form of an earlier release."""

    def retell(error: FieldError, _: re.Match[str], _obj: JsonObject) -> Iterable[FieldError]:
        if isinstance(error, FrozenFormError):
            old, new = (earlier_form(form, group=group) for form in (error.old, error.new))
            return (frozen_form(Path(error.field), error.detail, old=old, new=new),)
        start = error.message.index("{")
        form, end = _JSON.raw_decode(error.message[start:])
        shown = go_json(earlier_form(form, group=group))
        message = f"{error.message[:start]}{shown}{error.message[start + end :]}"
        return (FieldError(error.reason, error.field, message),)

    return retell


def _start_time(error: FieldError, _: re.Match[str], _obj: JsonObject) -> Iterable[FieldError]:
    return (required(Path(error.field), "startTime cannot be removed for unsuspended job"),)


def _lower_case_name(error: FieldError, _: re.Match[str], _obj: JsonObject) -> Iterable[FieldError]:
    """Tell of a driver's name as of any name of a subdomain."""
    shown = _SHOWN.fullmatch(error.message.partition(": an RFC 1123")[0])
    value = "" if shown is None else shown["value"]
    return [
        FieldError(error.reason, error.field, f"Invalid value: {value}: {detail}")
        for detail in is_dns1123_subdomain("_")
    ]


_BOTH: Final = (
    *POLICIES_BEFORE_1_37,
    *AUTOSCALERS_BEFORE_1_37,
    *REQUESTS_BEFORE_1_37,
    rewording(
        r"(?P<list>.*metadata\.ownerReferences)\[\d+\]\.(?P<member>apiVersion|kind|name|uid)",
        "",
        _owner_reference,
    ),
    rewording(r"(.*metadata\.ownerReferences)\[\d+\]", "", _at(lambda place: place[1])),
    rewording(
        r"(.*spec)\.shareProcessNamespace",
        "",
        _at(lambda place: f"{place[1]}.securityContext.shareProcessNamespace"),
    ),
    rewording(
        r"spec\.providerID",
        "",
        _forbidden('node updates may not change providerID except from "" to valid'),
        kinds="Node",
    ),
    rewording(
        r"status\.conditions\[\d+\]\.type",
        "^Required value",
        _condition_type,
        kinds="PodDisruptionBudget",
    ),
    rewording(r"status\.reservedFor\[(\d+)\]", "^Duplicate", _user_twice, kinds="ResourceClaim"),
    rewording(r"status\.allocation", "once set$", _allocation, kinds="ResourceClaim"),
    rewording(r"spec", "field is immutable$", _claim_spec, kinds="ResourceClaim"),
    rewording(r"spec", "field is immutable$", _template_spec, kinds="ResourceClaimTemplate"),
    rewording(
        r".*devices\.requests\[\d+\](\.firstAvailable\[\d+\])?",
        "^Duplicate",
        _request_twice,
        kinds="ResourceClaim ResourceClaimTemplate",
    ),
    rewording(
        r".*\.driver",
        ": an RFC 1123 subdomain",
        _lower_case_name,
        kinds="DeviceClass ResourceClaim ResourceClaimTemplate",
    ),
    rewording(r".*\.user\.linux\.(uid|gid)", "4294967295", instead("4294967295", "2147483647")),
)

_ATTRIBUTE: Final = r"spec\.devices\[(\d+)\]\.attributes\[(.*)\]"
_ONE_VALUE: Final = ("intValue", "boolValue", "stringValue", "versionValue")

_WITH_POD_SPEC: Final = '"HostNetwork":|^Forbidden: pod updates may not change fields'

WORDS_OF_1_36: Final = (
    *_BOTH,
    *AUTOSCALERS_OF_1_36,
    rewording(r".*", _WITH_POD_SPEC, _pod_form("SchedulingGroup")),
    rewording(
        r"parameters|provisioner|reclaimPolicy|volumeBindingMode",
        "field is immutable$",
        _new_value,
        kinds="StorageClass",
    ),
    rewording(
        _ATTRIBUTE,
        "must specify",
        _attribute(*_ONE_VALUE, *(f"{name}s" for name in _ONE_VALUE)),
        kinds="ResourceSlice",
    ),
    rewording(
        r".*\.allocatedResourcesStatus\[\d+\]\.name",
        "must match one of",
        instead(
            "as 'claim:<claimName>/<requestName>' when container.resources.claims[*].request "
            "is set or 'claim:<claimName>' when it is empty",
            "in a format 'claim:<claimName>/<request>' or 'claim:<claimName>' if request is empty",
        ),
    ),
)

WORDS_OF_1_35: Final = (
    *_BOTH,
    *AUTOSCALERS_OF_1_35,
    rewording(r".*", _WITH_POD_SPEC, _pod_form("WorkloadRef")),
    rewording(
        r"(parameters|provisioner|reclaimPolicy)",
        "field is immutable$",
        _forbidden(r"updates to \1 are forbidden."),
        kinds="StorageClass",
    ),
    rewording(r"volumeBindingMode", "field is immutable$", _new_value, kinds="StorageClass"),
    rewording(_ATTRIBUTE, "must specify", _attribute(*_ONE_VALUE), kinds="ResourceSlice"),
    rewording(r".*\.restartPolicyRules", "^Too many", _too_long),
    rewording(
        r"(status\.resourceClaimStatuses\[\d+\])\.resourceClaimName",
        "",
        _at(lambda place: f"{place[1]}.name"),
        kinds="Pod",
    ),
    rewording(r"status\.startTime", "immutable for unsuspended job", _start_time, kinds="Job"),
)

RULES_OF_1_36: Final = ValidationRules(
    tells_once=False, changed_only_as_changed=False, rewordings=WORDS_OF_1_36
)
RULES_OF_1_35: Final = ValidationRules(
    tells_once=False,
    changed_only_as_changed=False,
    also_as_new=frozenset({"NetworkPolicy"}),
    rewordings=WORDS_OF_1_35,
)
