"""Why a text is not JSON, in the words of Go's ``encoding/json``.

Bodies are decoded by msgspec, whose complaints nobody who compares with a real API server
would recognise. So a body that it refuses is read once more, here, byte by byte.

Pure: only for broken bodies, so nothing here needs to be fast.
"""

from __future__ import annotations

from kubegang.apimachinery.gotext import go_quote

_BLANKS = frozenset(b" \t\r\n")
_DIGITS = frozenset(b"0123456789")
_HEX_DIGITS = frozenset(b"0123456789abcdefABCDEF")
_ESCAPED = frozenset(b'"\\/bfnrt')
_WORDS = {ord("t"): b"true", ord("f"): b"false", ord("n"): b"null"}

_END_OF_INPUT = "unexpected end of JSON input"


def syntax_problem(body: bytes) -> str | None:
    """Return what is wrong with a JSON text, or ``None`` if it is well formed."""
    reader = _Reader(body)
    try:
        reader.document()
    except _SyntaxProblem as problem:
        return str(problem)
    except RecursionError:
        return "exceeded max depth"
    return None


class _SyntaxProblem(Exception):  # noqa: N818 - ends this module's own walk, nobody else sees it
    """The walk is over; the message says why."""


class _Reader:
    """Walks over a JSON text and stops at the first byte that does not belong."""

    def __init__(self, body: bytes) -> None:
        self._body = body
        self._at = 0

    def document(self) -> None:
        self._value()
        self._skip_blanks()
        if self._at < len(self._body):
            raise self._unexpected("after top-level value")

    def _value(self) -> None:
        self._skip_blanks()
        first = self._next(_END_OF_INPUT)
        if first == ord("{"):
            self._object()
        elif first == ord("["):
            self._array()
        elif first == ord('"'):
            self._string()
        elif first == ord("-") or first in _DIGITS:
            self._number()
        elif first in _WORDS:
            self._word(_WORDS[first])
        else:
            raise self._unexpected("looking for beginning of value")

    def _object(self) -> None:
        self._at += 1
        self._skip_blanks()
        if self._next(_END_OF_INPUT) == ord("}"):
            self._at += 1
            return
        while True:
            self._skip_blanks()
            if self._next(_END_OF_INPUT) != ord('"'):
                raise self._unexpected("looking for beginning of object key string")
            self._string()
            self._skip_blanks()
            if self._next(_END_OF_INPUT) != ord(":"):
                raise self._unexpected("after object key")
            self._at += 1
            self._value()
            if self._ends(ord("}"), "after object key:value pair"):
                return

    def _array(self) -> None:
        self._at += 1
        self._skip_blanks()
        if self._next(_END_OF_INPUT) == ord("]"):
            self._at += 1
            return
        while True:
            self._value()
            if self._ends(ord("]"), "after array element"):
                return

    def _ends(self, closing: int, where: str) -> bool:
        """Pass over a comma or the closing bracket, and return whether it was the latter."""
        self._skip_blanks()
        byte = self._next(_END_OF_INPUT)
        if byte not in (closing, ord(",")):
            raise self._unexpected(where)
        self._at += 1
        return byte == closing

    def _string(self) -> None:
        self._at += 1
        while (byte := self._next(_END_OF_INPUT)) != ord('"'):
            if byte < 0x20:
                raise self._unexpected("in string literal")
            self._at += 1
            if byte == ord("\\"):
                self._escape()
        self._at += 1

    def _escape(self) -> None:
        byte = self._next("in string escape code")
        if byte == ord("u"):
            for _ in range(4):
                self._at += 1
                if self._next("in \\u hexadecimal character escape") not in _HEX_DIGITS:
                    raise self._unexpected("in \\u hexadecimal character escape")
        elif byte not in _ESCAPED:
            raise self._unexpected("in string escape code")
        self._at += 1

    def _number(self) -> None:
        if self._peek() == ord("-"):
            self._at += 1
        if self._peek() == ord("0"):
            self._at += 1
        else:
            self._digits("in numeric literal")
        if self._peek() == ord("."):
            self._at += 1
            self._digits("after decimal point in numeric literal")
        if self._peek() in (ord("e"), ord("E")):
            self._at += 1
            if self._peek() in (ord("+"), ord("-")):
                self._at += 1
            self._digits("in exponent of numeric literal")

    def _digits(self, where: str) -> None:
        if self._next(where) not in _DIGITS:
            raise self._unexpected(where)
        while self._peek() in _DIGITS:
            self._at += 1

    def _word(self, word: bytes) -> None:
        for expected in word[1:]:
            self._at += 1
            where = f"in literal {word.decode()} (expecting '{chr(expected)}')"
            if self._next(where) != expected:
                raise self._unexpected(where)
        self._at += 1

    def _skip_blanks(self) -> None:
        while self._peek() in _BLANKS:
            self._at += 1

    def _peek(self) -> int:
        """Return the byte here, or -1 at the end."""
        return self._body[self._at] if self._at < len(self._body) else -1

    def _next(self, where: str) -> int:
        """Return the byte here; at the end, complain as Go does."""
        if self._at < len(self._body):
            return self._body[self._at]
        if where == _END_OF_INPUT:
            raise _SyntaxProblem(_END_OF_INPUT)
        # Inside a number, word or escape Go pretends that a blank follows, and refuses that.
        raise _SyntaxProblem(f"invalid character ' ' {where}")

    def _unexpected(self, where: str) -> _SyntaxProblem:
        return _SyntaxProblem(f"invalid character {_character(self._body[self._at])} {where}")


def _character(byte: int) -> str:
    if byte == ord("'"):
        return r"'\''"
    if byte == ord('"'):
        return "'\"'"
    return f"'{go_quote(chr(byte))[1:-1]}'"
