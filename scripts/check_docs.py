"""Check that every relative link and every path in backticks in the documents leads somewhere."""

from __future__ import annotations

import re
import sys
from pathlib import Path

ROOT = Path(__file__).resolve().parent.parent
DOCUMENTS = ("*.md", "docs/**/*.md", "deploy/**/*.md", "examples/**/*.md")
LINK = re.compile(r"\]\((?!https?://|#)([^)#\s]+)(#[^)]*)?\)")
CODE_PATH = re.compile(r"`((?:src|tests|docs|scripts|bench|examples|deploy)/[\w./-]+)`")


def broken_references(document: Path) -> list[str]:
    """Return one line per reference of the document that leads nowhere."""
    text = document.read_text(encoding="utf-8")
    name = document.relative_to(ROOT)
    wrong = [
        f"{name}: link to {target} leads nowhere"
        for target, _ in LINK.findall(text)
        if not (document.parent / target).exists()
    ]
    wrong += [
        f"{name}: `{path}` does not exist"
        for path in CODE_PATH.findall(text)
        if not (ROOT / path).exists()
    ]
    return wrong


def main() -> int:
    """Print what is broken; return 1 if anything is."""
    documents = sorted({path for pattern in DOCUMENTS for path in ROOT.glob(pattern)})
    wrong = [line for document in documents for line in broken_references(document)]
    for line in wrong:
        print(line)
    print(f"{len(documents)} documents, {len(wrong)} broken references")
    return 1 if wrong else 0


if __name__ == "__main__":
    sys.exit(main())
