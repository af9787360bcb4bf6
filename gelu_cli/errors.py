"""Errors that a user can meet: classes with exit codes, and messages."""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from typing import Any


class GeluError(Exception):
    """A fault and its remedy, in one line; the program ends with `exit_code`."""

    exit_code: int

    def __reduce__(self) -> tuple[Any, ...]:
        """Pickle the error; its `__cause__` becomes the text of a traceback."""
        cause = self.__cause__
        if cause is not None and not isinstance(cause, RemoteError):
            cause = RemoteError(_traceback_of(cause))
        return type(self), self.args, {**vars(self), "__cause__": cause}


class JudgedError(GeluError):
    """An error exceeds a bound, or a published number is wrong."""

    exit_code = 1


class UsageError(GeluError, ValueError):
    """An argument, an option or an input is invalid."""

    exit_code = 2


class OutputError(GeluError):
    """The answer could not be written."""

    exit_code = 3


class ComputationError(GeluError, RuntimeError):
    """The answer could not be computed; `said` has a program's stderr lines."""

    exit_code = 4

    def __init__(self, message: str = "", *, said: Sequence[str] = ()) -> None:
        super().__init__(message)
        self.said = said


class Interrupted(GeluError):
    """Ctrl-C ended the work; results so far are printed; no file is written."""

    exit_code = 130


class RemoteError(Exception):
    """The traceback of an exception that was raised in another process."""

    def __str__(self) -> str:
        return f"\n{self.args[0]}"


def _traceback_of(error: BaseException) -> str:
    from traceback import format_exception

    try:
        return "".join(format_exception(error))
    except Exception:  # str() of a user's exception may fail
        return described(error)


def described(error: BaseException) -> str:
    """Describe an exception by its type and, if it has one, its text.

    >>> described(ZeroDivisionError("division by zero"))
    'ZeroDivisionError: division by zero'
    """
    try:
        kind, text = type(error).__name__, " ".join(str(error).split())
    except BaseException:
        return "an exception without text"
    return f"{kind}: {text}" if text else kind


def printable(text: str) -> str:
    r"""Escape control characters, line ends and invisible characters.

    >>> printable("\x1b[31m Φ′\u202e")
    '\\x1b[31m Φ′\\u202e'
    """
    if text.isprintable():
        return text
    return "".join(each if each.isprintable() else ascii(each)[1:-1] for each in text)


LONGEST_VALUE = 60


def briefly(value: object) -> str:
    """Show a value in one line of at most 60 characters.

    >>> briefly(["tanh"]), briefly(10**100)[-3:]
    ("['tanh']", '00…')
    """
    text = " ".join(repr(value).split())
    return text if len(text) <= LONGEST_VALUE else f"{text[: LONGEST_VALUE - 1]}…"


MOST_NAMED = 20  # the most names that a message lists
LIKE = 0.6875
"""Least similarity, by difflib, of an unknown name and a name that the message suggests."""

WORDS = """
cdf=gate d=gradient derivative=gradient f=value grad=gradient hessian=curvature slope=gradient
second_derivative=curvature y=value approximate=tanh fast=tanh quickgelu=sigmoid true=exact
gelu_exact=exact erf_gelu=exact fp8=float8_e4m3fn md=markdown tex=latex text=table
"""
SYNONYMS = dict(pair.split("=") for pair in WORDS.split())
"""For each word of other tools the name that gelu uses."""


def unknown(kind: str, name: str, known: Iterable[str], where: str = "") -> UsageError:
    """Make the error for an unknown name; suggest known names.

    >>> unknown("form", "tnah", ["exact", "tanh"])
    UsageError("unknown form 'tnah'; did you mean 'tanh'?")
    >>> unknown("dtype", "q", ["float32", "float16"])
    UsageError("unknown dtype 'q'; choose from float32, float16")
    """
    from difflib import get_close_matches

    known, word = list(known), name.lower()
    hint = f"choose from {', '.join(known)}"
    if "," in name and {*name.split(",")} <= {*known}:
        hint = "give one name, not a list"
    elif near := (
        [each for each in known if each == SYNONYMS.get(word)]
        or [each for each in known if word and each.startswith(word)][:3]
        or get_close_matches(word, known, n=1, cutoff=LIKE)
    ):
        hint = f"did you mean {' or '.join(map(repr, near))}?"
    elif len(known) > MOST_NAMED:
        hint = (
            "gelu forms lists all"
            if kind == "form"
            else f"none of the {len(known)} {kind}s is similar"
        )
    return UsageError(f"unknown {kind} '{name}'{where}; {hint}")
