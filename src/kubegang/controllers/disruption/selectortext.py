"""A label selector as Go prints the struct, which is how an event shows it. Pure."""

from __future__ import annotations

from kubegang.apimachinery.objects import JsonObject


def go_selector(selector: JsonObject | None) -> str:
    """Return ``&LabelSelector{…}``, measured on 1.37.2."""
    if selector is None:
        return "nil"
    labels = selector.get("matchLabels") or {}
    matched = "".join(f"{key}: {labels[key]}," for key in sorted(labels))
    expressions = "".join(_requirement(one) for one in selector.get("matchExpressions") or ())
    return (
        f"&LabelSelector{{MatchLabels:map[string]string{{{matched}}},"
        f"MatchExpressions:[]LabelSelectorRequirement{{{expressions}}},}}"
    )


def _requirement(one: JsonObject) -> str:
    values = " ".join(one.get("values") or ())
    return (
        f"LabelSelectorRequirement{{Key:{one['key']},Operator:{one['operator']},"
        f"Values:[{values}],}},"
    )
