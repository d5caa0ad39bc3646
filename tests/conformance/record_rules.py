"""Write what real API servers say about objects into files of recorded rules or warnings.

Each entry of a file has a name, a path and a body, and changes of it (``steps``); what the
servers of 1.37, 1.36 and 1.35 said is written beside it: errors, or with ``--warnings`` the
texts of the ``Warning`` headers. A file that exists keeps its entries::

    python -m tests.conformance.record_rules FILE KUBECONFIG_1.37 KUBECONFIG_1.36 KUBECONFIG_1.35
"""

from __future__ import annotations

import importlib
import re
import sys
from pathlib import Path
from typing import Any

import yaml

RELEASES = ("1.37", "1.36", "1.35")
MERGE_PATCH = "application/merge-patch+json"

_WARNING = re.compile(r'299 - "((?:[^"\\]|\\.)*)"')
_VARYING = (
    (re.compile(r"\b[0-9a-f]{8}-[0-9a-f]{4}-[0-9a-f]{4}-[0-9a-f]{4}-[0-9a-f]{12}\b"), "<uid>"),
    (re.compile(r"\b\d{4}-\d\d-\d\dT\d\d:\d\d:\d\d(\.\d+)?(Z|[+-]\d\d:\d\d)"), "<time>"),
)

replay: Any = importlib.import_module("tests.conformance.corpus.replay")
Entry = dict[str, Any]


class Said:
    """What one server said: refusals as errors, or warnings."""

    def __init__(self, kubeconfig: str, *, warnings: bool) -> None:
        self._client = replay.load_kubeconfig(kubeconfig)
        self._warnings = warnings

    def of(self, entry: Entry) -> list[tuple[bool, list[str]]]:
        """Return of the creation and of each change whether it was refused, and what was said."""
        path, body = entry["path"], entry["body"]
        created = self._ask({"method": "POST", "path": path, "body": body})
        said = [created]
        name = body["metadata"]["name"]
        for step in entry.get("steps", ()):
            if created[0]:
                said.append((True, []))
                continue
            below = f"/{step['subresource']}" if "subresource" in step else ""
            request: Entry = {
                "method": "PATCH",
                "path": f"{path}/{name}{below}",
                "headers": {"Content-Type": step.get("type", MERGE_PATCH)},
                "body": step["patch"],
            }
            if not step.get("keep"):
                request["query"] = {"dryRun": "All"}
            said.append(self._ask(request))
        if not created[0]:
            self._ask({"method": "DELETE", "path": f"{path}/{name}"})
        return said

    def _ask(self, request: Entry) -> tuple[bool, list[str]]:
        response = self._client.send(request)
        refused = response.status_code >= 400
        if self._warnings:
            texts = _WARNING.findall(response.headers.get("Warning", ""))
            return refused, [re.sub(r"\\(.)", r"\1", text) for text in texts]
        if not refused:
            return refused, []
        status = response.json()
        causes = (status.get("details") or {}).get("causes")
        if not causes:
            return refused, [f"{status['reason']}: {status['message']}"]
        return refused, sorted(_plain(_told(cause)) for cause in causes)


def _told(cause: dict[str, str]) -> str:
    return f"{cause['reason']} {cause['field']}: {cause['message']}"


def _plain(text: str) -> str:
    for pattern, instead in _VARYING:
        text = pattern.sub(instead, text)
    return text


def record(path: Path, kubeconfigs: list[str], *, warnings: bool) -> None:
    """Ask all servers about all entries of a file and write down what they said."""
    entries: list[Entry] = yaml.load(path.read_text(), Loader=yaml.CSafeLoader)
    servers = [Said(kubeconfig, warnings=warnings) for kubeconfig in kubeconfigs]
    for entry in entries:
        by_release = dict(zip(RELEASES, (server.of(entry) for server in servers), strict=True))
        for position, place in enumerate([entry, *entry.get("steps", [])]):
            said = {release: told[position] for release, told in by_release.items()}
            _write_down(place, said, "warnings" if warnings else "errors")
    dumped = yaml.safe_dump(entries, sort_keys=False, width=110, allow_unicode=True)
    path.write_text(dumped)


def _write_down(place: Entry, said: dict[str, tuple[bool, list[str]]], key: str) -> None:
    for name in (key, "other", "refused"):
        place.pop(name, None)
    place[key] = said["1.37"][1]
    other = {release: told for release, (_, told) in said.items() if told != place[key]}
    if other:
        place["other"] = other
    refused = [release for release, (is_refused, _) in said.items() if is_refused]
    if refused and key == "warnings":
        place["refused"] = refused


def main() -> None:
    """Record one file."""
    arguments = [argument for argument in sys.argv[1:] if argument != "--warnings"]
    record(Path(arguments[0]), arguments[1:], warnings="--warnings" in sys.argv)


if __name__ == "__main__":
    main()
