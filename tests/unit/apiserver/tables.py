"""Objects rendered as tables, for tests."""

from __future__ import annotations

from typing import Any

from kubegang.api.resources import ROWS
from kubegang.api.scheme import ResourceInfo
from kubegang.apimachinery.objects import JsonObject
from kubegang.apimachinery.times import format_time, parse_time
from kubegang.apiserver.table import column_definitions, render_table

NOW = parse_time("2026-11-29T12:00:00Z")


def info(api_version: str, kind: str) -> ResourceInfo:
    return next(row for row in ROWS if str(row.group_version) == api_version and row.kind == kind)


def render(api_version: str, kind: str, *objects: JsonObject, **options: Any) -> JsonObject:
    defaults = {"list_meta": {"resourceVersion": "7"}, "include_object": "None", "now": NOW}
    return render_table(info(api_version, kind), objects, **{**defaults, **options})


def cells(api_version: str, kind: str, obj: JsonObject) -> dict[str, Any]:
    """Return one object's cells by column name."""
    columns = column_definitions(info(api_version, kind))
    values = render(api_version, kind, obj)["rows"][0]["cells"]
    return {column["name"]: value for column, value in zip(columns, values, strict=True)}


def ago(seconds: int) -> str:
    return format_time(NOW - seconds)
