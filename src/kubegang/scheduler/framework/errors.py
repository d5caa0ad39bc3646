"""The exception for our own bugs.

Expected refusals are values (``Status``); API failures are exceptions of ``apimachinery``.
What is left is a broken promise of our own code, and it must never pass silently.
"""

from __future__ import annotations


class InvariantError(Exception):
    """A promise of our own code is broken; the message tells the story."""


class NodeNotFoundError(InvariantError):
    """A step names a node that the snapshot does not have."""


class PluginFailedError(Exception):
    """A plugin raised, or answered in a shape that it may not; ends the attempt."""


class FilterFailedError(PluginFailedError):
    """A filter cannot say whether a pod may go to a node, which ends the pod's attempt."""


class ScoreFailedError(PluginFailedError):
    """A score cannot be worked out, which ends the pod's attempt."""


class PluginConfigError(ValueError):
    """A plugin's arguments, or the list of plugins, cannot be used."""
