"""The errors a user can meet: one small family, each with an exit code."""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from typing import Any


class RemoteError(Exception):
    """What was raised in another process: the text of its traceback, as concurrent.futures has it.

    >>> print(RemoteError("OSError: no table"))
    <BLANKLINE>
    OSError: no table
    """

    def __str__(self) -> str:
        return f"\n{self.args[0]}"


class GeluError(Exception):
    """Something a user should read as one line; the program ends with `exit_code`."""

    exit_code: int

    def __reduce__(self) -> tuple[Any, ...]:
        """Take the cause to another process as the text of its traceback."""
        cause = self.__cause__
        if cause is not None and not isinstance(cause, RemoteError):
            cause = RemoteError(_traceback_of(cause))
        return type(self), self.args, {**vars(self), "__cause__": cause}


class JudgedError(GeluError):
    """What was judged fails: a figure is wrong, an error exceeds its limit."""

    exit_code = 1


class UsageError(GeluError, ValueError):
    """A word, option or input that cannot be meant; names it and what would be right."""

    exit_code = 2


class OutputError(GeluError):
    """The answer could not be written."""

    exit_code = 3


class ComputationError(GeluError, RuntimeError):
    """The answer could not be computed: nothing converges, or a function of the user's failed.

    `said` are lines that a program of the user's has written on stderr before it failed.
    """

    exit_code = 4

    def __init__(self, message: str = "", *, said: Sequence[str] = ()) -> None:
        super().__init__(message)
        self.said = said


OUR_MISTAKE = 70
"""EX_SOFTWARE of sysexits.h."""
INTERRUPTED = 130
"""As shells have it: 128 + SIGINT."""

EXIT_CODES = {
    0: "success",
    JudgedError.exit_code: "what was judged fails: a figure is wrong, an error exceeds --max-ulp, "
    "a figure a bound of --budget",
    UsageError.exit_code: "wrong usage, or input that cannot be read: the message names the "
    "argument and a remedy",
    OutputError.exit_code: "the answer could not be written",
    ComputationError.exit_code: "the answer could not be computed: nothing converges, memory runs "
    "out, or a function of yours fails",
    OUR_MISTAKE: "a mistake in gelu itself: please report the message",
    INTERRUPTED: "interrupted; a sweep prints what it has found so far, marked as partial",
}
"""How the program ends, and what each exit code says."""


def _traceback_of(error: BaseException) -> str:
    """Return a traceback with those of its causes, or what `described` says if that fails."""
    try:
        from traceback import format_exception

        return "".join(format_exception(error))
    except Exception:  # of somebody else's exception
        return described(error)


def briefly(value: object) -> str:
    """Return a value as a message has it: on one line, of 60 characters at most.

    >>> briefly(["tanh"]), briefly(10**100)[-3:]
    ("['tanh']", '00…')
    """
    text = " ".join(repr(value).split())
    return text if len(text) <= LONGEST else f"{text[: LONGEST - 1]}…"


def described(error: BaseException, where: str = "") -> str:
    """Return what kind of exception it is, where, and what it says, if that does not fail as well.

    >>> described(ZeroDivisionError("division by zero"), " at x = 0.0")
    'ZeroDivisionError at x = 0.0: division by zero'
    """
    try:
        kind = f"{type(error).__name__}{where}"
    except BaseException:
        return f"an exception{where} whose name cannot be had"
    try:
        text = " ".join(str(error).split())
    except BaseException:
        return f"{kind}, whose text cannot be had"
    return f"{kind}: {text}" if text else kind


def refused(error: OSError) -> ComputationError:
    """Return the error for what the system refuses while an answer is computed.

    >>> refused(OSError(24, "Too many open files"))
    ComputationError('the answer could not be computed: Too many open files')
    """
    return ComputationError(
        f"the answer could not be computed: {error.strerror or described(error)}"
    )


LONGEST = 60
"""Characters of a value that is shown."""


UNSEEN = (
    "[\u034f\u115f\u1160\u17b4\u17b5\u180b-\u180d\u180f\u2800\u3164\ufe00-\ufe0f\uffa0"
    "\U000e0100-\U000e01ef]"
)
"""Signs that Python calls printable and nobody sees: Unicode's Default_Ignorable_Code_Point, and
the Braille pattern without dots."""

COMMAND = r"(?<=##)\[|\A( *):(?=:)"
"""The sign to be escaped in what GitHub's runner takes for a command."""


def printable(text: str) -> str:
    r"""Return a text in which what is not seen is an escape, as Python writes it.

    These are control characters, line ends and tabs, every space but the plain one, marks of
    direction and of no width, halves of surrogate pairs (bytes that are no text are read as such),
    and what Unicode has not assigned. So is one sign of what GitHub's runner takes for a command in
    a log: `##[` anywhere, and `::` where a line begins.

    >>> printable("\x1b[31m Φ′\u202e\udcff")
    '\\x1b[31m Φ′\\u202e\\udcff'
    >>> printable("::error::k.py:f"), printable("##[error]k.py:f")
    ('\\x3a:error::k.py:f', '##\\x5berror]k.py:f')
    """
    if not text.isprintable():
        text = "".join(sign if sign.isprintable() else escape(sign) for sign in text)
    if text.isascii() and "##[" not in text and "::" not in text:
        return text
    import re  # not before an interrupt is heeded, as errors are

    text = re.sub(UNSEEN, lambda sign: escape(sign[0]), text)
    return re.sub(COMMAND, lambda sign: rf"{sign[1] or ''}\x{ord(sign[0][-1]):x}", text)


def escape(sign: str) -> str:
    r"""Return how Python writes a sign that is not seen, or is not ASCII.

    >>> print(escape("\N{DELETE}"), escape("é"))
    \x7f \xe9
    """
    return ascii(sign)[1:-1]


MOST_NAMED = 20
"""So many names does the message list that knows none near."""

LIKE = 0.6875
"""How alike, by difflib's ratio, a word and a name have to be for the one to be meant."""


def unknown(kind: str, name: str, known: Iterable[str], where: str = "") -> UsageError:
    """Return the error for a name that is in no registry, with the nearest names that are.

    >>> unknown("form", "tnah", ["exact", "tanh"])
    UsageError("unknown form 'tnah'; did you mean 'tanh'?")
    >>> unknown("dtype", "q", ["float32", "float16"])
    UsageError("unknown dtype 'q'; choose from float32, float16")
    >>> unknown("name", "Erf", ["erfc", "erf_sum", "sin"], where=" in 'math'")
    UsageError("unknown name 'Erf' in 'math'; did you mean 'erfc' or 'erf_sum'?")
    >>> unknown("quantity", "derivative", ["value", "gradient"])
    UsageError("unknown quantity 'derivative'; did you mean 'gradient'?")
    """
    from difflib import get_close_matches

    from gelu_cli.old.synonyms import ABSENT, NAMES

    known = list(known)
    few = known if len(known) <= MOST_NAMED else [*known[:MOST_NAMED], "…"]
    word = name.lower()
    longer = [each for each in known if word and each.startswith(word)]
    near = get_close_matches(word, known, n=1, cutoff=LIKE)
    if word not in near:
        near = longer[:3] or near
    if word in ABSENT.get(kind, ()):
        near = []
    if (meant := NAMES.get(kind, {}).get(word)) in known:
        near = [str(meant)]
    names = " or ".join(f"'{each}'" for each in near)
    hint = f"did you mean {names}?" if near else f"choose from {', '.join(few)}"
    if "," in name and {*name.split(",")} <= {*known}:
        hint = "give one name, not a list"
    return UsageError(f"unknown {kind} '{name}'{where}; {hint}")
