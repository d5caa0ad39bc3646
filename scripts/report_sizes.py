"""Print the largest files and functions. Information for the reader; never a failure."""

from __future__ import annotations

import ast
from pathlib import Path

ROOT = Path(__file__).resolve().parent.parent / "src" / "kubegang"
SHOWN = 10


def main() -> None:
    """Print the ten largest of each."""
    files: list[tuple[int, str]] = []
    functions: list[tuple[int, str]] = []
    for path in sorted(ROOT.rglob("*.py")):
        text = path.read_text(encoding="utf-8")
        name = str(path.relative_to(ROOT.parent))
        files.append((text.count("\n"), name))
        functions += [
            (node.end_lineno - node.lineno + 1, f"{name}:{node.name}")
            for node in ast.walk(ast.parse(text))
            if isinstance(node, ast.FunctionDef | ast.AsyncFunctionDef) and node.end_lineno
        ]
    for title, rows in (("files", files), ("functions", functions)):
        print(f"largest {title}, in lines:")
        for lines, name in sorted(rows, reverse=True)[:SHOWN]:
            print(f"  {lines:5} {name}")


if __name__ == "__main__":
    main()
