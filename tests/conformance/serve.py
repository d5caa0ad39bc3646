"""Run the embedded control plane for tests: ``python -m tests.conformance.serve DIRECTORY …``.

What follows the directory are the components; only the API server if nothing does. The
kubeconfig is DIRECTORY/kubeconfig once a line with the word ``ready`` was printed. SIGTERM
ends it.
"""

from __future__ import annotations

import sys
from pathlib import Path
from typing import cast

from kubegang.app.options import ComponentName, UpOptions
from kubegang.app.up import run_up


def main() -> None:
    """Serve until told to stop."""
    directory, *components = sys.argv[1:]
    options = UpOptions(
        components=cast("tuple[ComponentName, ...]", tuple(components)) or ("apiserver",),
        listen="127.0.0.1:0",
        kubeconfig=str(Path(directory) / "kubeconfig"),
    )
    run_up(options, say=lambda line: print(line, flush=True))  # noqa: T201  # for the fixture


if __name__ == "__main__":
    main()
