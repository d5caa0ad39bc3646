"""What the fields of the gang-scheduling kinds mean, in this project's own words.

``kubectl explain`` prints these texts. They stand in ``field_descriptions.json``: per
definition, its name without the version, the text of each field; the empty field is the
definition itself. A text holds for every version that has the field.
"""

from __future__ import annotations

from functools import cache
from importlib import resources

import msgspec

from kubegang.apiserver.openapi_schemas import Descriptions


@cache
def load_descriptions() -> Descriptions:
    """Return the texts; read once."""
    path = resources.files("kubegang.apiserver").joinpath("field_descriptions.json")
    return msgspec.json.decode(path.read_bytes(), type=dict[str, dict[str, str]])
