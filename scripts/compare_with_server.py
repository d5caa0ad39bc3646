"""Compare the facts table and the resource rows with a real kube-apiserver.

    scripts/compare_with_server.py --server https://127.0.0.1:6443 --token T --version 1.37

Every definition that both sides have must be equal as facts (fields, types, list types, merge
keys, enums), and every row must be in discovery as it is here. ``--write FILE`` records the
server's side as digests, which a test compares with the table when no server is at hand.
"""

from __future__ import annotations

import argparse
import hashlib
import json
import ssl
import sys
import urllib.error
import urllib.request
from pathlib import Path
from typing import Any

from generate_facts import TARGET, definition_facts

from kubegang.api.resources import ROWS
from kubegang.api.scheme import ResourceInfo

Json = dict[str, Any]

# How Go writes members is no part of OpenAPI.
NOT_IN_OPENAPI = ("always", "keepsZero", "nulls")


class Server:
    """A running kube-apiserver; its certificate is not checked, it is a test server."""

    def __init__(self, url: str, token: str) -> None:
        self._url = url.rstrip("/")
        self._headers = {"Authorization": f"Bearer {token}", "Accept": "application/json"}
        self._context = ssl.create_default_context()
        self._context.check_hostname = False
        self._context.verify_mode = ssl.CERT_NONE

    def get(self, path: str) -> Json:
        """Return the JSON object at a path."""
        request = urllib.request.Request(self._url + path, headers=self._headers)
        with urllib.request.urlopen(request, context=self._context) as answer:
            return dict(json.load(answer))


def server_definitions(server: Server) -> dict[str, Json]:
    """Return the schemas of all group versions, by name."""
    found: dict[str, Json] = {}
    for entry in server.get("/openapi/v3")["paths"].values():
        document = server.get(entry["serverRelativeURL"])
        found |= document.get("components", {}).get("schemas", {})
    return found


def plain(node: Any) -> Any:
    """Return a schema with ``allOf`` around a single reference taken away."""
    if isinstance(node, list):
        return [plain(item) for item in node]
    if not isinstance(node, dict):
        return node
    rest: Json = {}
    for key, value in node.items():
        # A list is the keyword; the schema of schemas also has a field of that name.
        if key == "allOf" and isinstance(value, list):
            for wrapped in value:
                rest |= plain(wrapped)
        else:
            rest[key] = plain(value)
    return rest


def innermost(node: Json) -> Json:
    """Return the schema of the values inside lists and maps."""
    while True:
        inner = node.get("items") or node.get("additionalProperties")
        if not isinstance(inner, dict):
            return node
        node = inner


def facts_of(name: str, node: Json) -> Json:
    """Return the facts that the generator would write for a server's schema."""
    node = plain(node)
    enums = {
        field: sorted(innermost(schema)["enum"])
        for field, schema in node.get("properties", {}).items()
        if "enum" in innermost(schema)
    }
    return definition_facts(name, node, {"enums": {name: enums}, "serialized_form": {}})


def comparable(facts: Json) -> str:
    """Return facts as one text, without what OpenAPI does not say."""
    kept = {key: value for key, value in facts.items() if key not in NOT_IN_OPENAPI}
    return json.dumps(kept, sort_keys=True)


def digest(facts: Json) -> str:
    """Return a short digest of facts."""
    return hashlib.sha256(comparable(facts).encode()).hexdigest()[:10]


def discovered(server: Server, row: ResourceInfo) -> Json:
    """Return what discovery says of a row's group version, by resource name."""
    root = "/apis/" if row.group else "/api/"
    try:
        resources = server.get(f"{root}{row.group_version}")["resources"]
    except urllib.error.HTTPError:
        return {}
    return {resource["name"]: resource for resource in resources}


def row_differences(row: ResourceInfo, resources: Json) -> list[str]:
    """Return how a row differs from discovery; a version that is not served does not."""
    found = resources.get(row.plural)
    if found is None:
        return [f"{row.group_version} {row.plural}: not in discovery"] if resources else []
    here: Json = {
        "kind": row.kind,
        "singularName": row.singular,
        "namespaced": row.namespaced,
        "verbs": sorted(row.verbs),
        "shortNames": list(row.short_names),
        "categories": list(row.categories),
    }
    differences = [
        f"{row.group_version} {row.plural}: {key} {value}, there {found.get(key)}"
        for key, value in here.items()
        if (found.get(key) or type(value)()) != value
    ]
    for part in row.subresources:
        there = resources.get(f"{row.plural}/{part.name}", {})
        if (there.get("kind"), there.get("verbs")) != (part.kind or row.kind, sorted(part.verbs)):
            differences.append(f"{row.group_version} {row.plural}/{part.name}: differs")
    return differences


def main() -> int:
    """Compare, print every difference, and record digests if asked to."""
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--server", required=True)
    parser.add_argument("--token", required=True)
    parser.add_argument("--version", default="1.37")
    parser.add_argument("--write", type=Path, help="record the server's digests here")
    options = parser.parse_args()
    server = Server(options.server, options.token)
    there = {name: facts_of(name, node) for name, node in server_definitions(server).items()}
    table = TARGET / f"v{options.version.replace('.', '_')}.json"
    here = json.loads(table.read_text(encoding="utf-8"))["definitions"]
    shared = sorted(here.keys() & there.keys())
    differences = [name for name in shared if comparable(here[name]) != comparable(there[name])]
    for row in ROWS:
        differences += row_differences(row, discovered(server, row))
    if options.write:
        digests = {name: digest(there[name]) for name in shared}
        options.write.write_text(json.dumps(digests, indent=0) + "\n", encoding="utf-8")
    print("\n".join([*differences, f"{len(shared)} definitions, {len(ROWS)} rows compared"]))
    return 1 if differences else 0


if __name__ == "__main__":
    sys.exit(main())
