"""A command line with what surrounds it, and how it ended."""

from collections.abc import Mapping
from typing import NamedTuple


class Circumstances(NamedTuple):
    """What surrounds a command line; by default, what surrounds most."""

    stdin: str = "pipe"
    stdout: str = "pipe"
    stderr: str = "pipe"
    variables: Mapping[str, str] = {}
    limit: tuple[str, int] | None = None
    """A resource, and how much of it there is; of memory, how much more than is taken."""
    sign: int | None = None
    delay: float = 0.0
    """Seconds after which the signal is sent."""
    executed: bool = False
    """Whether it is the installed command, with all that it imports."""


class Request(NamedTuple):
    """A command line, its stdin and what surrounds it."""

    folder: str
    words: list[str]
    stdin: bytes
    around: Circumstances


class Ended(NamedTuple):
    """How a line has ended: its code, or the negative number of a signal; what it wrote."""

    code: int
    out: bytes
    err: bytes
    late: bool = False
    """Whether it had to be killed."""
    left: int = 0
    """How many processes it has left behind."""
    seconds: float = 0.0
