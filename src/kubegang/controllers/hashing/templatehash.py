"""The hash of a pod template: ``pod-template-hash`` of Deployments, names of revisions. Pure."""

from __future__ import annotations

from collections.abc import Callable

from kubegang.apimachinery.objects import JsonObject
from kubegang.apimachinery.schema import Schema
from kubegang.controllers.hashing.fnv import fnv1_32, fnv1a_32, safe_text
from kubegang.controllers.hashing.godump import dump_template


def template_hash(template: JsonObject, schema: Schema, *, collisions: int | None) -> str:
    """Return the hash of a template.

    Args:
        template: the template as the API server returns it.
        schema: the structure of pod templates in the release.
        collisions: ``status.collisionCount`` of the owner, ``None`` if it has none.
    """
    data = dump_template(template, schema).encode()
    if collisions is not None:
        data += collisions.to_bytes(8, "little")
    return safe_text(fnv1a_32(data))


class TemplateHasher:
    """Hashes templates of one release; its structures are only read when there is one."""

    def __init__(self, load: Callable[[], Schema]) -> None:
        """Take what loads the structure of pod templates."""
        self._load = load
        self._schema: Schema | None = None

    def __call__(self, template: JsonObject, *, collisions: int | None) -> str:
        """Return the hash of a template."""
        if self._schema is None:
            self._schema = self._load()
        return template_hash(template, self._schema, collisions=collisions)


def data_hash(data: bytes, *, collisions: int) -> str:
    """Return the hash in the name of a StatefulSet's revision, from the revision's data."""
    return safe_text(fnv1_32(data + str(collisions).encode()))
