"""Write what real API servers say about pods in namespaces with labels of pod security.

Entries of ``recorded_pod_security/pods.yaml`` have the labels of a namespace and the object
that is tried in it; what 1.37 said is written beside it, and what 1.36 and 1.35 said
otherwise::

    python -m tests.conformance.record_pod_security KUBECONFIG_1.37 KUBECONFIG_1.36 KUBECONFIG_1.35
"""

from __future__ import annotations

import importlib
import re
import secrets
import sys
from pathlib import Path
from typing import Any

import yaml

RECORDED = Path(__file__).parent / "recorded_pod_security" / "pods.yaml"
RELEASES = ("1.37", "1.36", "1.35")

_WARNING = re.compile(r'299 - "((?:[^"\\]|\\.)*)"')

replay: Any = importlib.import_module("tests.conformance.corpus.replay")


def said_by(client: Any, entry: dict[str, Any]) -> dict[str, Any]:
    """Return how a server answers to an entry: the code, a refusal, warnings."""
    name = f"security-{secrets.token_hex(4)}"
    metadata = {"name": name, "labels": entry["labels"]}
    namespace = {"apiVersion": "v1", "kind": "Namespace", "metadata": metadata}
    response = client.send({"method": "POST", "path": "/api/v1/namespaces", "body": namespace})
    if response.status_code == 201 and "body" in entry:
        path = entry["path"].format(ns=name)
        response = client.send({"method": "POST", "path": path, "body": entry["body"]})
    if response.status_code == 201 and "then" in entry:
        response = client.send(
            {
                "method": "PATCH",
                "path": f"/api/v1/namespaces/{name}",
                "headers": {"Content-Type": "application/merge-patch+json"},
                "body": {"metadata": {"labels": entry["then"]}},
            }
        )
    warnings = _WARNING.findall(response.headers.get("Warning", ""))
    said: dict[str, Any] = {"code": response.status_code}
    if response.status_code >= 400:
        said["message"] = response.json()["message"].replace(name, "{ns}")
    if warnings:
        texts = [re.sub(r"\\(.)", r"\1", text) for text in warnings]
        said["warnings"] = [text.replace(name, "{ns}") for text in texts]
    return said


def main() -> None:
    """Ask all servers about all entries."""
    clients = [replay.load_kubeconfig(path) for path in sys.argv[1:]]
    entries = yaml.load(RECORDED.read_text(), Loader=yaml.CSafeLoader)
    for entry in entries:
        by_release = {
            release: said_by(client, entry)
            for release, client in zip(RELEASES, clients, strict=True)
        }
        entry["said"] = by_release["1.37"]
        other = {one: said for one, said in by_release.items() if said != entry["said"]}
        entry.pop("other", None)
        if other:
            entry["other"] = other
    RECORDED.write_text(yaml.safe_dump(entries, sort_keys=False, width=110))


if __name__ == "__main__":
    main()
