"""The errors a user can meet: one small family, an exit code each."""

from __future__ import annotations

from collections.abc import Iterable


class GeluError(Exception):
    """Something a user should read as one line; the program ends with `exit_code`."""

    exit_code = 1


class UsageError(GeluError, ValueError):
    """A word, option or input that cannot be meant; names it and what would be right."""

    exit_code = 2


class OutputError(GeluError):
    """The answer could not be written."""


def unknown(kind: str, name: str, known: Iterable[str]) -> UsageError:
    """Return the error for a name that is in no registry, with the nearest name that is.

    >>> unknown("form", "tnah", ["exact", "tanh"])
    UsageError("unknown form 'tnah'; did you mean 'tanh'?")
    >>> unknown("dtype", "q", ["float32", "float16"])
    UsageError("unknown dtype 'q'; choose from float32, float16")
    """
    from difflib import get_close_matches

    known = list(known)
    near = get_close_matches(name.lower(), known, n=1)
    hint = f"did you mean '{near[0]}'?" if near else f"choose from {', '.join(known)}"
    return UsageError(f"unknown {kind} '{name}'; {hint}")
