"""Binds through the API, as every pod is unless another plugin takes it over. Pure."""

from __future__ import annotations

from typing import ClassVar

from kubegang.scheduler.framework.interface import BindingRequest, PluginContext
from kubegang.scheduler.framework.pods import NodeName, PodInfo


class DefaultBinder:
    """Asks for a POST to the pod's binding."""

    NAME: ClassVar[str] = "DefaultBinder"

    def __init__(self, context: PluginContext) -> None:
        """Take no arguments from ``context``."""

    def bind(self, pod: PodInfo, node: NodeName) -> BindingRequest | None:
        """Return the request."""
        return BindingRequest(pod, node)
