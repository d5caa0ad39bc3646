"""``kubegang up`` with its page's address, kubectl for it, and Chromium."""

from __future__ import annotations

import contextlib
import importlib
import json
import os
import shutil
import subprocess
import sys
from collections.abc import Iterator
from pathlib import Path
from typing import Any

from kubegang.apimachinery.objects import JsonObject
from tests.system.upprocess import Up

HERE = Path(__file__).resolve().parent
AXE = HERE / "node_modules" / "axe-core" / "axe.min.js"
KUBECTL = Path(sys.executable).parent / "kubectl"
PATIENCE_MILLISECONDS = 60_000

_ADDRESS = r"page, good for one login: .*"


class Cluster:
    """A running ``kubegang up``."""

    def __init__(self, started: Up) -> None:
        self._up = started

    def next_address(self) -> str:
        """Return the address for the next login, as soon as it is printed."""
        return self._up.read_until_matching(_ADDRESS).partition(": ")[2]

    def apply(self, *objects: JsonObject) -> None:
        """Submit objects with kubectl."""
        listing = {"apiVersion": "v1", "kind": "List", "items": list(objects)}
        self.kubectl("apply", "-f", "-", text=json.dumps(listing))

    def kubectl(self, *arguments: str, text: str = "") -> None:
        done = subprocess.run(
            [KUBECTL, f"--kubeconfig={self._up.kubeconfig}", *arguments],
            input=text,
            capture_output=True,
            text=True,
            check=False,
        )
        assert done.returncode == 0, done.stderr


@contextlib.contextmanager
def chromium() -> Iterator[Any]:
    """Run the Chromium of the system's packages."""
    # Imported only here: make test collects these tests too, and needs no browser.
    playwright = importlib.import_module("playwright.sync_api")
    program = shutil.which("chromium")
    assert program is not None, "there is no chromium: run make test-browser, which says how"
    # Chromium refuses its sandbox to root, as which CI runs; the page is our own.
    flags = ["--no-sandbox"] if os.geteuid() == 0 else []
    with playwright.sync_playwright() as driver:
        browser = driver.chromium.launch(executable_path=program, args=flags)
        try:
            yield browser
        finally:
            browser.close()
