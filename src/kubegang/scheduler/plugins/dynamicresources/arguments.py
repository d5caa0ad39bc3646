"""The arguments of DynamicResources."""

from __future__ import annotations

import msgspec


class DynamicResourcesArgs(msgspec.Struct, frozen=True, rename="camel", forbid_unknown_fields=True):
    """What a configuration may say.

    Attributes:
        filter_timeout: how long the search on one node may take, as a Go duration; ten
            seconds by default, zero for as long as it takes.
        binding_timeout: how long devices may take to be made ready, as a Go duration; ten
            minutes by default.
    """

    filter_timeout: str | None = None
    binding_timeout: str | None = None
