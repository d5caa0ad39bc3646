"""What a command can end with, other than success."""

from __future__ import annotations


class BadInputError(Exception):
    """A flag, file or directory is wrong: one clear line, exit status 2."""


class ClusterUnreachableError(Exception):
    """The cluster did not answer or did not let us in: exit status 3."""


class ComponentFailedError(Exception):
    """A component that cannot be restarted without losing data has ended: exit status 1."""
