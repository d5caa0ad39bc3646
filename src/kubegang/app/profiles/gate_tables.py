"""The feature gates of every release: names, stages, defaults, and which need which.

The table is data beside this module, written by scripts/generate_gates.py from what the
release's kube-scheduler says (measured on 1.35.4, 1.36.3, 1.37.2). All components of a release
know the same gates.
"""

from __future__ import annotations

from collections.abc import Iterable
from importlib import resources

import msgspec

from kubegang.api.profile import Gate


class _Row(msgspec.Struct, frozen=True):
    stage: str
    default: bool
    locked: bool = False
    needs: tuple[str, ...] = ()


_TABLES = msgspec.json.decode(
    resources.files("kubegang.app.profiles").joinpath("gates.json").read_bytes(),
    type=dict[str, dict[str, _Row]],
)


def gates_of(release: str, *, gang: Iterable[str]) -> tuple[Gate, ...]:
    """Return the gates of a release, by name.

    Args:
        release: ``1.37``.
        gang: the gates that belong to gang scheduling.
    """
    names = set(gang)
    return tuple(
        Gate(
            name,
            default=row.default,
            gang=name in names,
            needs=row.needs,
            stage=row.stage,
            locked=row.locked,
        )
        for name, row in _TABLES[release].items()
    )
