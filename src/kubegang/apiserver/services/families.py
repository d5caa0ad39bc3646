"""Which IP families and how many addresses a service gets, on a cluster that has only IPv4.

In place, on wire objects. Pure otherwise.
"""

from __future__ import annotations

from kubegang.api.validation.addressforms import is_only_about_form
from kubegang.api.validation.core.families import FAMILIES, NO_ADDRESS, validate_families
from kubegang.api.validation.formats import ip_family
from kubegang.apimachinery.field import FieldError, Path, invalid_value
from kubegang.apimachinery.objects import JsonObject

_SPEC = Path("spec")
_FAMILIES = _SPEC.child("ipFamilies")
_POLICY = _SPEC.child("ipFamilyPolicy")
_FAMILY = "IPv4"
_OTHER = "IPv6"
_SINGLE = "SingleStack"
_BOTH = "RequireDualStack"


def join_addresses(spec: JsonObject, old_spec: JsonObject | None) -> None:
    """Make ``clusterIP`` and ``clusterIPs`` agree where a client changed only one of them."""
    address, addresses = spec.get("clusterIP") or "", list(spec.get("clusterIPs") or ())
    if old_spec is None:
        if address and not addresses:
            addresses = [address]
    elif address != (old_spec.get("clusterIP") or "") and addresses == (
        old_spec.get("clusterIPs") or []
    ):
        addresses = [address, *addresses[1:]] if address else []
    _set(spec, "clusterIPs", addresses)


def settle_families(
    spec: JsonObject, old_spec: JsonObject | None, *, any_form: bool = False
) -> list[FieldError]:
    """Fill in families and policy; return what is wrong with those that were asked for.

    ``any_form`` lets addresses be written as old clients write them.
    """
    if spec.get("type") == "ExternalName":
        return []
    headless = spec.get("clusterIP") == NO_ADDRESS and not spec.get("selector")
    _settle_policy(spec, old_spec, headless=headless)
    errors = [
        error for error in validate_families(spec) if not (any_form and is_only_about_form(error))
    ]
    errors = errors or _reductions(spec, old_spec)
    errors = errors or [*_too_many(spec), *_infer(spec)]
    if errors:
        return errors
    if headless:
        _settle_headless(spec)
        return []
    errors = _unconfigured(spec)
    if not errors and not spec.get("ipFamilies"):
        spec["ipFamilies"] = [_FAMILY]
    return errors


def _settle_policy(spec: JsonObject, old_spec: JsonObject | None, *, headless: bool) -> None:
    if spec.get("ipFamilyPolicy") is None:
        before = (old_spec or {}).get("ipFamilyPolicy")
        spec["ipFamilyPolicy"] = before or (_BOTH if headless else _SINGLE)


def _reductions(spec: JsonObject, old_spec: JsonObject | None) -> list[FieldError]:
    """Let go of second addresses and families, if a single stack is asked for."""
    errors: list[FieldError] = []
    if old_spec is None:
        return errors
    single = spec["ipFamilyPolicy"] == _SINGLE
    for name, noun in (("clusterIPs", "cluster IP"), ("ipFamilies", "IP family")):
        values, before = spec.get(name) or [], old_spec.get(name) or []
        if single and values == before:
            _set(spec, name, values[:1])
        elif not single and len(before) == 2 and values == before[:1]:
            detail = f"must be 'SingleStack' to release the secondary {noun}"
            errors.append(invalid_value(_POLICY, spec["ipFamilyPolicy"], detail))
    return errors


def _too_many(spec: JsonObject) -> list[FieldError]:
    if spec["ipFamilyPolicy"] != _SINGLE:
        return []
    return [
        invalid_value(
            _POLICY,
            _SINGLE,
            f"must be 'RequireDualStack' or 'PreferDualStack' when multiple {noun} are specified",
        )
        for name, noun in (("clusterIPs", "cluster IPs"), ("ipFamilies", "IP families"))
        if len(spec.get(name) or ()) == 2
    ]


def _infer(spec: JsonObject) -> list[FieldError]:
    """Add the families of addresses that were asked for."""
    families, errors = list(spec.get("ipFamilies") or ()), []
    addresses = spec.get("clusterIPs") or []
    for position, address in enumerate(addresses):
        if address == NO_ADDRESS:
            break
        if position < len(families):
            continue
        family = FAMILIES[ip_family(address)]
        if family == _FAMILY:
            families.append(family)
        else:
            path = _SPEC.child("clusterIPs").index(position)
            errors.append(
                invalid_value(path, addresses, f"{family} is not configured on this cluster")
            )
    _set(spec, "ipFamilies", families)
    return errors


def _settle_headless(spec: JsonObject) -> None:
    """Whoever writes the endpoints of a service without selector may use both families."""
    families = spec.get("ipFamilies") or [_FAMILY]
    if len(families) == 1 and spec["ipFamilyPolicy"] != _SINGLE:
        families = [families[0], _OTHER if families[0] == _FAMILY else _FAMILY]
    spec["ipFamilies"] = families


def _unconfigured(spec: JsonObject) -> list[FieldError]:
    errors = []
    if spec["ipFamilyPolicy"] == _BOTH:
        detail = "this cluster is not configured for dual-stack services"
        errors.append(invalid_value(_POLICY, _BOTH, detail))
    for position, family in enumerate(spec.get("ipFamilies") or ()):
        if family != _FAMILY:
            detail = "not configured on this cluster"
            errors.append(invalid_value(_FAMILIES.index(position), family, detail))
    return errors


def _set(spec: JsonObject, name: str, values: list[str]) -> None:
    if values:
        spec[name] = values
    else:
        spec.pop(name, None)
