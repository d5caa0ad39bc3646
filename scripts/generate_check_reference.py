"""Write docs/reference/checks.md from the table of rules; ``--check`` only compares."""

from __future__ import annotations

import sys
from pathlib import Path

from kubegang.tools.checking.rules import RULES, Rule

TARGET = Path(__file__).resolve().parent.parent / "docs" / "reference" / "checks.md"
HEAD = """# The rules of kubegang check

Written by `scripts/generate_check_reference.py` from the table of rules.
[check.md](check.md) is about the command.

| rule | severity | finds |
|---|---|---|
"""


def reference() -> str:
    """Return the whole page."""
    rows = "".join(
        f"| [{rule.name}](#{rule.name}) | {rule.severity} | {rule.summary} |\n"
        for rule in RULES.values()
    )
    return HEAD + rows + "".join(_section(rule) for rule in RULES.values())


def _section(rule: Rule) -> str:
    said = (f"Finds: {rule.summary}.", rule.meaning, f"What to do: {rule.advice}")
    return f"\n## {rule.name}\n\nSeverity: {rule.severity}.\n" + "".join(f"{s}\n" for s in said)


def main() -> int:
    """Write the page, or say that it is not up to date."""
    text = reference()
    if "--check" not in sys.argv[1:]:
        TARGET.write_text(text, encoding="utf-8")
        return 0
    if TARGET.exists() and TARGET.read_text(encoding="utf-8") == text:
        return 0
    print(f"{TARGET.name} is not what the rules say: run scripts/generate_check_reference.py")
    return 1


if __name__ == "__main__":
    sys.exit(main())
