"""Image references: which tag an image name asks for.

Pull policies default by tag, so the grammar of references decides what ``imagePullPolicy``
becomes. The grammar is that of the distribution project, as kubelets use it.

Pure.
"""

from __future__ import annotations

import re
from functools import lru_cache

_MAX_NAME_BYTES = 255

_COMPONENT = r"[a-z0-9]+(?:(?:\.|_|__|-+)[a-z0-9]+)*"
_DOMAIN_COMPONENT = r"(?:[a-zA-Z0-9]|[a-zA-Z0-9][a-zA-Z0-9-]*[a-zA-Z0-9])"
_HOST = rf"(?:{_DOMAIN_COMPONENT}(?:\.{_DOMAIN_COMPONENT})*|\[(?:[a-fA-F0-9:]+)\])"
_DOMAIN = rf"{_HOST}(?::[0-9]+)?"
_ALGORITHM = r"[A-Za-z][A-Za-z0-9]*(?:[-_+.][A-Za-z][A-Za-z0-9]*)*"

_REFERENCE = re.compile(
    rf"(?P<name>(?:{_DOMAIN}/)?{_COMPONENT}(?:/{_COMPONENT})*)"
    r"(?::(?P<tag>[A-Za-z0-9_][A-Za-z0-9_.-]{0,127}))?"
    rf"(?:@(?P<digest>{_ALGORITHM}:[0-9a-fA-F]{{32,}}))?"
)
_IDENTIFIER = re.compile(r"[a-f0-9]{64}")


@lru_cache(maxsize=4096)
def image_tag(image: str) -> str:
    """Return the tag of an image reference.

    Returns:
        ``latest`` if the reference names neither tag nor digest; empty if it has only a
        digest or is not a valid reference.
    """
    match = _REFERENCE.fullmatch(image)
    if match is None or _IDENTIFIER.fullmatch(image) or len(match["name"]) > _MAX_NAME_BYTES:
        return ""
    if match["tag"]:
        return match["tag"]
    return "" if match["digest"] else "latest"


def default_pull_policy(image: str) -> str:
    """Return the pull policy of an image that states none: Always for ``latest``."""
    return "Always" if image_tag(image) == "latest" else "IfNotPresent"
