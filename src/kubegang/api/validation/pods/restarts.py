"""When a container restarts: its own policy, rules by exit code, and on resize.

Pure.
"""

from __future__ import annotations

from collections.abc import Sequence

from kubegang.api.validation.checks import Errors, one_of
from kubegang.api.validation.pods.context import PodContext
from kubegang.apimachinery.field import (
    Path,
    duplicate,
    invalid_value,
    not_supported,
    required,
    too_many,
)
from kubegang.apimachinery.objects import JsonObject

_POLICIES = ("Always", "Never", "OnFailure")
_ACTIONS = ("Restart", "RestartAllContainers")
_ONE_ACTION = ("Restart",)
_OPERATORS = ("In", "NotIn")
_MAX_RULES = 20
_MAX_EXIT_CODES = 255

_RESIZED = ("cpu", "memory")
_ON_RESIZE = ("NotRequired", "RestartContainer")


def validate_restarts(container: JsonObject, path: Path, context: PodContext) -> Errors:
    """Check a container's restart policy and rules (KEP-5307)."""
    policy, rules = container.get("restartPolicy"), container.get("restartPolicyRules") or ()
    if policy is None and not rules:
        return
    if policy is None:
        detail = "must specify restartPolicy when restart rules are used"
        yield required(path.child("restartPolicy"), detail)
    else:
        yield from one_of(path.child("restartPolicy"), policy, _POLICIES)
    if len(rules) > _MAX_RULES:
        yield too_many(path.child("restartPolicyRules"), len(rules), _MAX_RULES)
    for position, rule in enumerate(rules):
        yield from _rule(rule, path.child("restartPolicyRules").index(position), context)


def validate_init_restarts(container: JsonObject, path: Path, context: PodContext) -> Errors:
    """Check an init container's restart policy and rules; without a policy, no more is said."""
    if container.get("restartPolicy") is not None:
        yield from validate_restarts(container, path, context)
    elif container.get("restartPolicyRules"):
        detail = "must specify restartPolicy when restart rules are used"
        yield required(path.child("restartPolicy"), detail)


def validate_resize_policy(
    policies: Sequence[JsonObject], path: Path, context: PodContext
) -> Errors:
    """Check what a container does when its resources are changed in place."""
    seen = set()
    for position, policy in enumerate(policies):
        name, restart = policy.get("resourceName") or "", policy.get("restartPolicy") or ""
        if name in seen:
            yield duplicate(path.index(position), name)
        seen.add(name)
        yield from _word(path, name, _RESIZED)
        yield from _word(path, restart, _ON_RESIZE)
        if context.restart_policy == "Never" and restart != "NotRequired":
            detail = "must be 'NotRequired' when pod `restartPolicy` is 'Never'"
            yield invalid_value(path, restart, detail)


def _rule(rule: JsonObject, path: Path, context: PodContext) -> Errors:
    actions = _ACTIONS if context.restarting_all else _ONE_ACTION
    yield from one_of(path.child("action"), rule.get("action") or "", actions)
    codes = rule.get("exitCodes")
    if codes is None:
        yield required(path.child("exitCodes"), "must be specified")
        return
    where = path.child("exitCodes")
    yield from one_of(where.child("operator"), codes.get("operator") or "", _OPERATORS)
    values = codes.get("values") or ()
    if len(values) > _MAX_EXIT_CODES:
        yield too_many(where.child("values"), len(values), _MAX_EXIT_CODES)


def _word(path: Path, word: str, allowed: Sequence[str]) -> Errors:
    """Check a word of a resize policy; upstream tells errors at the list."""
    if not word:
        yield required(path)
    elif word not in allowed:
        yield not_supported(path, word, allowed)
