"""What a plugin says: a code, reasons, and who said it.

Expected refusals travel as values. The codes are upstream's, and the queue and preemption
read them: ``UNSCHEDULABLE`` may be cured by evicting pods, ``UNRESOLVABLE`` may not.
"""

from __future__ import annotations

import enum
from typing import Final

import msgspec


class Code(enum.Enum):
    """What a plugin's answer means for the cycle."""

    SUCCESS = "Success"
    """Go on."""
    ERROR = "Error"
    """Something is broken; the attempt ends and backs off as an error."""
    UNSCHEDULABLE = "Unschedulable"
    """Not here, not now; evicting pods may help."""
    UNRESOLVABLE = "UnschedulableAndUnresolvable"
    """Not here, not now; evicting pods cannot help."""
    WAIT = "Wait"
    """Not yet decided; more pods, or the permit of others, are needed."""
    SKIP = "Skip"
    """This plugin has nothing to say about this pod, now and at its later points."""
    PENDING = "Pending"
    """Waits for something outside that the plugin will report as an event."""


class Status(msgspec.Struct, frozen=True):
    """One answer.

    Attributes:
        reasons: short texts, as upstream counts them per node: ``Insufficient cpu``.
        plugin: who said it; filled in by the runtime.
        cause: what lies behind; stands before the reasons in a message, and alone where
            upstream prints a status as an error.
    """

    code: Code
    reasons: tuple[str, ...] = ()
    plugin: str = ""
    cause: str = ""

    @property
    def is_success(self) -> bool:
        """Whether the cycle goes on; ``SKIP`` counts, as nothing was refused."""
        return self.code is Code.SUCCESS or self.code is Code.SKIP

    @property
    def is_skip(self) -> bool:
        """Whether the plugin has nothing to say."""
        return self.code is Code.SKIP

    @property
    def is_wait(self) -> bool:
        """Whether the answer is "not yet"."""
        return self.code is Code.WAIT

    @property
    def is_rejected(self) -> bool:
        """Whether this is an expected refusal."""
        return self.code in _REJECTIONS

    @property
    def is_error(self) -> bool:
        """Whether something is broken."""
        return self.code is Code.ERROR

    @property
    def message(self) -> str:
        """The cause and the reasons as one text."""
        return ", ".join((self.cause, *self.reasons) if self.cause else self.reasons)

    @property
    def as_error(self) -> str:
        """The text of this status printed as an error: the cause alone, if there is one."""
        return self.cause or self.message

    def by(self, plugin: str) -> Status:
        """Return the same answer with its author's name."""
        return Status(self.code, self.reasons, plugin, self.cause)


_REJECTIONS: Final = frozenset({Code.UNSCHEDULABLE, Code.UNRESOLVABLE, Code.PENDING})

SUCCESS: Final = Status(Code.SUCCESS)
SKIP: Final = Status(Code.SKIP)


def unschedulable(*reasons: str) -> Status:
    """Return a refusal that evictions may cure."""
    return Status(Code.UNSCHEDULABLE, reasons)


def unresolvable(*reasons: str) -> Status:
    """Return a refusal that no eviction cures."""
    return Status(Code.UNRESOLVABLE, reasons)


def waiting(*reasons: str) -> Status:
    """Return "not yet"."""
    return Status(Code.WAIT, reasons)


def failure(*reasons: str) -> Status:
    """Return an error: rules are broken, or something is missing."""
    return Status(Code.ERROR, reasons)
