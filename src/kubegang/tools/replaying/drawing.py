"""A replay drawn as SVG: use, fragments and waiting jobs over time. Pure."""

from __future__ import annotations

from collections.abc import Sequence
from html import escape
from typing import Final

from kubegang.apimachinery.times import human_duration
from kubegang.tools.replaying.report import ReplayReport

_WIDTH: Final = 900
_LEFT, _RIGHT, _TOP = 60, 20, 40
_PANEL: Final = 150
_GAP: Final = 50
_TICKS: Final = 6
_PANELS: Final = 3
_HEIGHT: Final = _TOP + _PANELS * _PANEL + (_PANELS - 1) * _GAP + 40
_FONTS: Final = "Arial, Liberation Sans, DejaVu Sans, sans-serif"
"""By name: what makes PNGs takes no other where a machine has not set its defaults."""


def svg_of(report: ReplayReport) -> str:
    """Return a picture with panels, one above the other."""
    series = report.series
    most = max((one.waiting for one in series), default=0.0) or 1.0
    title = f"{report.jobs} jobs on {report.nodes} nodes, Kubernetes {report.kubernetes_version}"
    first, second, third = (_TOP + number * (_PANEL + _GAP) for number in range(_PANELS))
    lost = [one.fragmentation for one in series]
    return "\n".join(
        [
            f'<svg xmlns="http://www.w3.org/2000/svg" viewBox="0 0 {_WIDTH} {_HEIGHT}" '
            f'font-family="{_FONTS}" font-size="12">',
            f"<title>{escape(title)}</title>",
            f'<rect width="{_WIDTH}" height="{_HEIGHT}" fill="#fff"/>',
            f'<text x="{_LEFT}" y="20" font-size="15">{escape(title)}</text>',
            *_panel(f"{report.resource} taken", "100%", first, [one.used for one in series]),
            *_panel("fragmentation of what is free", "100%", second, lost),
            *_panel("jobs that wait", f"{most:.0f}", third, [one.waiting / most for one in series]),
            *_times(report, third + _PANEL + 18),
            "</svg>",
            "",
        ]
    )


def _panel(name: str, top: str, y: int, shares: Sequence[float]) -> list[str]:
    bottom, right = y + _PANEL, _WIDTH - _RIGHT
    points = " ".join(
        f"{_x(place, len(shares)):.1f},{bottom - min(share, 1.0) * _PANEL:.1f}"
        for place, share in enumerate(shares)
    )
    return [
        f'<text x="{_LEFT}" y="{y - 6}">{escape(name)}</text>',
        f'<text x="{_LEFT - 6}" y="{y + 4}" text-anchor="end">{top}</text>',
        f'<text x="{_LEFT - 6}" y="{bottom + 4}" text-anchor="end">0</text>',
        f'<path d="M{_LEFT} {y}V{bottom}H{right}" fill="none" stroke="#57606a"/>',
        f'<polyline points="{points}" fill="none" stroke="#0a58b8" stroke-width="1.5"/>',
    ]


def _times(report: ReplayReport, y: int) -> list[str]:
    if not report.series:
        return []
    begin = report.series[0].at
    return [
        f'<text x="{_x(tick, _TICKS):.1f}" y="{y}" text-anchor="middle">'
        f"{human_duration(begin + report.makespan * tick / (_TICKS - 1))}</text>"
        for tick in range(_TICKS)
    ]


def _x(place: int, places: int) -> float:
    return _LEFT + (_WIDTH - _LEFT - _RIGHT) * place / max(places - 1, 1)
