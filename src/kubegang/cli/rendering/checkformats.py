"""The findings of ``kubegang check`` for programs of others: SARIF and GitHub annotations."""

from __future__ import annotations

from typing import Any, Final

import msgspec

from kubegang.tools.checking.report import CheckReport, Finding, Severity
from kubegang.tools.checking.rules import RULES, Rule

DOCUMENTATION: Final = "docs/reference/checks.md"

_SARIF_LEVELS: Final[dict[Severity, str]] = {"error": "error", "warning": "warning", "info": "note"}
_GITHUB_COMMANDS: Final[dict[Severity, str]] = {
    "error": "error",
    "warning": "warning",
    "info": "notice",
}


def as_sarif(report: CheckReport) -> str:
    """Return SARIF 2.1.0, with a final newline."""
    used = sorted({one.rule for one in report.findings})
    driver = {
        "name": "kubegang check",
        "rules": [_sarif_rule(RULES[name]) for name in used],
    }
    run = {
        "tool": {"driver": driver},
        "results": [_result(one, used.index(one.rule)) for one in report.findings],
    }
    log = {
        "$schema": "https://json.schemastore.org/sarif-2.1.0.json",
        "version": "2.1.0",
        "runs": [run],
    }
    return msgspec.json.format(msgspec.json.encode(log), indent=2).decode() + "\n"


def as_github(report: CheckReport) -> str:
    """Return one workflow command for each finding."""
    return "".join(f"{_annotation(one)}\n" for one in report.findings)


def _sarif_rule(rule: Rule) -> dict[str, Any]:
    return {
        "id": rule.name,
        "shortDescription": {"text": rule.summary},
        "fullDescription": {"text": rule.meaning},
        "help": {"text": f"{rule.advice} See {DOCUMENTATION}#{rule.name}."},
        "defaultConfiguration": {"level": _SARIF_LEVELS[rule.severity]},
    }


def _result(finding: Finding, rule_index: int) -> dict[str, Any]:
    result: dict[str, Any] = {
        "ruleId": finding.rule,
        "ruleIndex": rule_index,
        "level": _SARIF_LEVELS[finding.severity],
        "message": {"text": _text(finding)},
        "properties": {"versions": list(finding.versions), "field": finding.field},
    }
    location: dict[str, Any] = {
        "logicalLocations": [{"fullyQualifiedName": finding.object, "kind": "object"}]
    }
    if finding.source:
        location["physicalLocation"] = {
            "artifactLocation": {"uri": finding.source},
            "region": {"startLine": finding.line, "startColumn": finding.column},
        }
    result["locations"] = [location]
    return result


def _annotation(finding: Finding) -> str:
    values = {"title": f"kubegang: {finding.rule}"}
    if finding.source:
        values = {
            "file": finding.source,
            "line": str(finding.line),
            "col": str(finding.column),
            **values,
        }
    said = ",".join(f"{name}={_escaped_value(value)}" for name, value in values.items())
    return f"::{_GITHUB_COMMANDS[finding.severity]} {said}::{_escaped(_text(finding))}"


def _text(finding: Finding) -> str:
    return f"{finding.message} (Kubernetes {', '.join(finding.versions)})"


def _escaped(text: str) -> str:
    """Escape what would end the command; the codes are those of GitHub's workflow commands."""
    return text.replace("%", "%25").replace("\r", "%0D").replace("\n", "%0A")


def _escaped_value(text: str) -> str:
    return _escaped(text).replace(":", "%3A").replace(",", "%2C")
