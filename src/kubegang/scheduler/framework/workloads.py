"""Objects that say which pods belong together: namespaces, Services and controllers.

Only their labels and selectors matter here. Pure.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import Protocol

import msgspec

from kubegang.scheduler.framework.pods import ControllerKey, PodInfo
from kubegang.scheduler.framework.terms import LabelTerms


class NamespaceInfo(msgspec.Struct, frozen=True, gc=False):
    """A namespace; affinity terms may select it by its labels."""

    name: str
    labels: Mapping[str, str]


class ServiceInfo(msgspec.Struct, frozen=True, gc=False):
    """A Service that selects pods.

    Attributes:
        labels: what its pods have; a Service without any selects none.
    """

    namespace: str
    name: str
    labels: Mapping[str, str]


class ControllerInfo(msgspec.Struct, frozen=True, gc=False):
    """A controller that manages pods; its selector tells its pods from others."""

    key: ControllerKey
    selector: LabelTerms


class Directory(Protocol):
    """What is known of these objects."""

    def namespace_labels(self, name: str) -> Mapping[str, str]:
        """Return a namespace's labels; none if it is not known."""
        ...

    def namespaces_with(self, selector: LabelTerms) -> Sequence[str]:
        """Return the names of the namespaces that a selector selects."""
        ...

    def services_of(self, pod: PodInfo) -> Sequence[ServiceInfo]:
        """Return the Services that select a pod."""
        ...

    def controller(self, key: ControllerKey) -> ControllerInfo | None:
        """Return a controller, or ``None`` if it is not known."""
        ...
