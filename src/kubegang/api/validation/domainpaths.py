"""Names of the form ``example.com/manager``, as who manages or implements something has.

Pure.
"""

from __future__ import annotations

import re

from kubegang.api.validation.checks import Errors, matching
from kubegang.api.validation.formats import regex_text
from kubegang.apimachinery.field import Path, invalid_value, required
from kubegang.apimachinery.names import is_dns1123_subdomain

_URL_PATH = re.compile(r"[A-Za-z0-9/\-._~%!$&'()*+,;=:]+")


def validate_domain_path(path: Path, text: str) -> Errors:
    """Check a domain and a path below it."""
    domain, _, rest = text.partition("/")
    if not text:
        yield required(path)
    elif not domain or not rest:
        detail = 'must be a domain-prefixed path (such as "acme.io/foo")'
        yield invalid_value(path, text, detail)
    else:
        yield from matching(path, domain, is_dns1123_subdomain)
        if not _URL_PATH.fullmatch(rest):
            yield invalid_value(path, rest, regex_text("Invalid path", _URL_PATH.pattern))
