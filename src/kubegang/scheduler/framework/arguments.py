"""Decoding of plugin arguments from a KubeSchedulerConfiguration. Pure."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any, TypeVar

import msgspec

from kubegang.scheduler.framework.errors import PluginConfigError

ArgsT = TypeVar("ArgsT", bound=msgspec.Struct)


def decode_arguments(plugin: str, args: Mapping[str, Any], form: type[ArgsT]) -> ArgsT:
    """Return a plugin's ``pluginConfig`` arguments in typed form.

    Raises:
        PluginConfigError: a field is unknown or has the wrong type; the message names it.
    """
    fields = {name: value for name, value in args.items() if name not in ("apiVersion", "kind")}
    try:
        return msgspec.convert(fields, form)
    except msgspec.ValidationError as error:
        raise PluginConfigError(f"arguments of plugin {plugin}: {error}") from error
