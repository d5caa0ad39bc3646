"""Who may see the page: whoever has opened the address that was printed, which works once.

The address carries a secret that is good for one login; the browser gets another one in a
cookie. After each use the next address is printed, for the next browser. Nothing is kept on
disk: when the page ends, so do its sessions.
"""

from __future__ import annotations

import hmac
import secrets
from collections import deque
from collections.abc import Callable
from typing import Final

MOST_SESSIONS: Final = 50
"""More browsers at once log the first ones out."""


def fresh_secret() -> str:
    """Return a secret of 256 bits, in letters that addresses may have."""
    return secrets.token_urlsafe(32)


class Sessions:
    """Secrets that are good now.

    Attributes:
        login: the secret of the next login.
    """

    def __init__(
        self, *, changed: Callable[[str], None], make_secret: Callable[[], str] = fresh_secret
    ) -> None:
        """Begin without a session.

        Args:
            changed: told the secret of the next login, now and after each one.
            make_secret: makes them.
        """
        self._make_secret = make_secret
        self._changed = changed
        self._open: deque[str] = deque(maxlen=MOST_SESSIONS)
        self.login = make_secret()
        changed(self.login)

    def open(self, login: str) -> str | None:
        """Trade the secret of a login for a session's; ``None`` if it is not the one."""
        if not _same(login, self.login):
            return None
        session = self._make_secret()
        self._open.append(session)
        self.login = self._make_secret()
        self._changed(self.login)
        return session

    def is_open(self, session: str) -> bool:
        """Return whether a secret is that of a session."""
        return any(_same(session, known) for known in self._open)


def _same(one: str, other: str) -> bool:
    return hmac.compare_digest(one.encode(), other.encode())
