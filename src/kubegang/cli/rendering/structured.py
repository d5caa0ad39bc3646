"""Reports for programs: JSON and YAML of the same structure."""

from __future__ import annotations

import msgspec
import yaml


def as_json(report: msgspec.Struct) -> str:
    """Return a report as indented JSON, with a final newline."""
    return msgspec.json.format(msgspec.json.encode(report), indent=2).decode() + "\n"


def as_yaml(report: msgspec.Struct) -> str:
    """Return a report as YAML, members in the order of the JSON."""
    return yaml.safe_dump(
        msgspec.to_builtins(report), sort_keys=False, allow_unicode=True, width=1000
    )
