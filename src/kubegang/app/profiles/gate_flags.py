"""``--feature-gates`` and its siblings for single components.

``A=true,B=false`` as upstream's programs take it, with upstream's texts and upstream's
start-up check: a gate that is on needs the gates it depends on. Measured on 1.37.2; there
all components know the same gates.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence

from kubegang.api.profile import Component, Gate, VersionProfile
from kubegang.base.feature_gates import FeatureGates

_BOOLS = {
    **dict.fromkeys(("1", "t", "T", "true", "TRUE", "True"), True),
    **dict.fromkeys(("0", "f", "F", "false", "FALSE", "False"), False),
}


_EVERY = {"AllAlpha": "ALPHA", "AllBeta": "BETA"}
_COMPONENT = "kube:"
"""Upstream's flags may name the component whose gate it is; there is only this one."""


class GateFlagError(ValueError):
    """Gate flags with which upstream's programs would not start."""


def parse_gates(text: str) -> dict[str, bool]:
    """Parse ``A=true,B=false``.

    Raises:
        GateFlagError: a value is missing or is no boolean.
    """
    gates = {}
    for part in filter(None, text.split(",")):
        name, equals, value = (piece.strip() for piece in part.partition("="))
        if not equals:
            raise GateFlagError(f"missing bool value for {name}")
        if value not in _BOOLS:
            raise GateFlagError(
                f"invalid value of {name}={value}, err: "
                f'strconv.ParseBool: parsing "{value}": invalid syntax'
            )
        gates[name.removeprefix(_COMPONENT)] = _BOOLS[value]
    return gates


def chosen_gates(
    profile: VersionProfile,
    *,
    everywhere: str,
    single: Mapping[Component, str],
    releases: Sequence[VersionProfile],
) -> dict[Component, FeatureGates]:
    """Return each component's gates after the flags.

    Args:
        profile: the release, with its gates as they are without flags.
        everywhere: edits every component.
        single: edits one component each, and wins.
        releases: where else an unknown gate might be known.

    Raises:
        GateFlagError: a gate is unknown, or one is on whose dependency is off.
    """
    common = parse_gates(everywhere)
    _check_known(common, profile, flag="--feature-gates", releases=releases)
    chosen: dict[Component, FeatureGates] = {}
    complaints: dict[str, list[str]] = {}
    for component, gates in profile.gates.items():
        own = parse_gates(single.get(component, ""))
        _check_known(own, profile, flag=f"--{component}-feature-gates", releases=releases)
        chosen[component] = gates.with_changes(_spread({**common, **own}, profile))
        broken = broken_dependencies(chosen[component], profile.known_gates)
        if broken:
            complaints.setdefault(_joined(broken), []).append(component)
    if complaints:
        raise GateFlagError(_told(complaints, len(profile.gates)))
    return chosen


def _spread(changes: Mapping[str, bool], profile: VersionProfile) -> dict[str, bool]:
    """Let ``AllAlpha`` and ``AllBeta`` set the gates of their stage that are not named."""
    spread = dict(changes)
    for every, stage in _EVERY.items():
        if every in changes:
            of_stage = (gate.name for gate in profile.known_gates if gate.stage == stage)
            spread = {**dict.fromkeys(of_stage, changes[every]), **spread}
    return spread


def broken_dependencies(gates: FeatureGates, known: Sequence[Gate]) -> list[str]:
    """Return one sentence for each gate that is on without what it depends on."""
    sentences = []
    for gate in known:
        missing = [need for need in gate.needs if not gates.enabled(need)]
        if gates.enabled(gate.name) and missing:
            sentences.append(
                f"{gate.name} is enabled, but depends on features that are disabled: "
                f"[{' '.join(missing)}]"
            )
    return sentences


def _check_known(
    changes: Mapping[str, bool],
    profile: VersionProfile,
    *,
    flag: str,
    releases: Sequence[VersionProfile],
) -> None:
    known = {gate.name: gate for gate in profile.known_gates}
    for name, value in changes.items():
        gate = known.get(name)
        if gate is not None and gate.locked and value != gate.default:
            raise GateFlagError(
                f"cannot set feature gate {name} to {_text(value)}, "
                f"feature is locked to {_text(gate.default)}"
            )
        if gate is None:
            having = [release.name for release in releases if _knows(release, name)]
            hint = f" (it exists in Kubernetes {', '.join(having)})" if having else ""
            raise GateFlagError(f"{flag}: unrecognized feature gate: {name}{hint}")


def _text(value: bool) -> str:  # noqa: FBT001 - a value, not a mode
    return "true" if value else "false"


def _knows(profile: VersionProfile, name: str) -> bool:
    return any(gate.name == name for gate in profile.known_gates)


def _joined(sentences: Sequence[str]) -> str:
    return sentences[0] if len(sentences) == 1 else f"[{', '.join(sentences)}]"


def _told(complaints: Mapping[str, Sequence[str]], of_components: int) -> str:
    """Name the components only where they differ."""
    return "; ".join(
        text if len(components) == of_components else f"{', '.join(components)}: {text}"
        for text, components in complaints.items()
    )
