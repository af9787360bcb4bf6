"""Which kernels words name, and which options are for which kind of them."""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence

from gelu_cli.errors import UsageError, unknown
from gelu_cli.old.reading.names import names_form, parse_form

CALLABLE, LIBRARY, PROGRAM, ROUTINE = "a Python function", "a C function", "a program", "a routine"

MEANT_FOR: Mapping[str, Sequence[str]] = {
    "kwarg": [CALLABLE],
    "backend": [CALLABLE],
    "device": [CALLABLE],
    "batch": [CALLABLE, LIBRARY],
    "signature": [LIBRARY],
    "timeout": [CALLABLE, LIBRARY, PROGRAM],
    "backward": [CALLABLE, LIBRARY],
    "upstream": [CALLABLE, LIBRARY],
    "compute": [ROUTINE],
    "truncate": [ROUTINE],
    "flush": [ROUTINE],
}
"""What kinds of kernel an option is for."""


def kind_of(word: str, place_of: Callable[[str], str | None] = lambda word: None) -> str:
    """Return which kind of kernel a word names, no program; raises `UsageError` if it names none.

    `place_of` says where a word belongs that is no kernel, if it does.

    >>> kind_of("erfc"), kind_of("torch.nn.functional:gelu"), kind_of("./libkernel.so:gelu")
    ('a routine', 'a Python function', 'a C function')
    """
    from gelu_cli.old.guests.libraries import names_library
    from gelu_cli.old.sweeping.routines import ROUTINES
    from gelu_cli.old.synonyms import meant_kernel

    if word.lower() in ROUTINES:
        return ROUTINE
    if meant := meant_kernel(word):
        raise UsageError(f"'{word}' names no function: {meant}")
    if names_library(word):
        return LIBRARY
    if ":" in word and not ("=" in word and names_form(word)):
        return CALLABLE
    if names_form(word):
        form = parse_form(word).name
        own = [each.name for each in ROUTINES.values() if each.form == form]
        said = f": {', '.join(own)} compute it" if own else ""
        raise UsageError(
            f"'{word}' is a form, not a kernel{said}; gelu error --form {word} compares forms"
        )
    if place := place_of(word):
        raise UsageError(f"'{word}' is no kernel; {place}")
    others = "or name MODULE:CALLABLE, FILE.so:SYMBOL"
    raise UsageError(f"{unknown('routine', word, ROUTINES)}; {others}")
