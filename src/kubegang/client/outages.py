"""One line when an API server goes away and one when it is back, whoever notices first."""

from __future__ import annotations

from kubegang.base.logging import logger

_log = logger(__name__)


class Outage:
    """Whether the API server behind one client answers; shared by all who use that client.

    Attributes:
        count: how many there were so far.
    """

    def __init__(self) -> None:
        self.count = 0
        self._lasting = False

    def noticed(self, problem: str) -> None:
        """Tell that there was no answer, if that is news."""
        if not self._lasting:
            self._lasting = True
            self.count += 1
            _log.warning("cannot reach the API server, trying again", error=problem)

    def over(self) -> None:
        """Tell that there was an answer, if that is news."""
        if self._lasting:
            self._lasting = False
            _log.warning("the API server answers again")

    def answered(self, *, asked_at: int) -> None:
        """Take an answer as the end, unless it is one to a question from before the outage.

        Args:
            asked_at: what ``count`` was when the question was asked.
        """
        if asked_at == self.count:
            self.over()
