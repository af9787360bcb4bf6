"""The best constants as a program: a function in C and in Python."""

from __future__ import annotations

from collections.abc import Callable, Iterator, Sequence
from fractions import Fraction
from typing import Any, NamedTuple

from gelu_cli.old.answers import report_of
from gelu_cli.old.answers.fit.best import PROOFS, range_text
from gelu_cli.old.arithmetic.formats import Format
from gelu_cli.old.code import code_of
from gelu_cli.old.fitting import CRITERIA
from gelu_cli.old.fitting.families import Best
from gelu_cli.old.fitting.rounded import PRODUCT, Rounded, constants_in
from gelu_cli.old.formulas import Form
from gelu_cli.old.report import Ending, Report, Row

SAMPLES = 1 << 16
"""Inputs of a format that is too large for all of them."""


class Written(NamedTuple):
    """A form to be programmed, whether from a and a·c instead of a and c, and a note on it."""

    form: Form
    factored: bool
    note: str


def swept(best: Best, code: Written, dtype: Format) -> tuple[float, float, str]:
    """Return how many ULP a program is off the target, at which x, and of which inputs, in words.

    It is the one in Python, on the range of the fit: at all inputs of a 16-bit format, at samples
    of others. Raises `UsageError` as `code_of` does, and where the range has no numbers.
    """
    from gelu_cli.old.guests.calling import Calling
    from gelu_cli.old.guests.python_functions import implementation_of
    from gelu_cli.old.sweeping.inputs import Inputs
    from gelu_cli.old.sweeping.sweep import sweep
    from gelu_cli.old.sweeping.truth import Question

    module: dict[str, Any] = {}
    exec(code_of(code.form, "python", dtype, factored=code.factored), module)
    kernel = implementation_of("gelu", module["gelu"], Calling(dtype, dtype))
    low, high = map(float, best.criterion[1:3])
    inputs = Inputs(low, high, every=dtype.width <= 16, samples=SAMPLES)
    verdict = sweep(kernel, Question(best.family.target, "value", dtype), inputs, keep=1)
    (worst,) = verdict.errors(verdict.total)[:1]
    return verdict.max_ulp, worst.x, "all inputs" if inputs.every else f"{SAMPLES:,} samples"


def judged(best: Best, constants_format: Format | None, dtype: Format) -> Written:
    """Return what is to be programmed, its note with how many ULP the program is off."""
    code = written(best, constants_format)
    ulp, x, inputs = swept(best, code, dtype)
    most = "" if dtype.width <= 16 else "at least "
    where = f"at x = {x!r}, over {inputs}, as numpy computes it"
    said = f"In {dtype.name} it is off {best.family.target.label} by {most}{ulp:.6g} ULP {where}."
    return code._replace(note=f"{code.note}\n{said}")


def written(best: Best, constants_format: Format | None) -> Written:
    """Return the form with the best constants, or with the best ones of a format."""
    if constants_format is None:
        return Written(best.form, False, _note(best))
    way = constants_in(best, constants_format)[0]
    note = _note_in(best, way)
    constants = {name: Fraction(value) for name, value in way.constants(way.best).items()}
    if not any(PRODUCT in name for name in constants):
        return Written(way.form, False, note)
    settings = {name.rpartition(PRODUCT)[2]: value / constants["a"] if PRODUCT in name else value
                for name, value in constants.items()}  # fmt: skip
    form = best.family.form
    label = ":".join([form.typed_name, *(f"{name}={value}" for name, value in settings.items())])
    return Written(form.with_settings(label, settings), True, note)


Write = Callable[[], Written]


def programs(write: Write, languages: Sequence[str], dtype: Format) -> Iterator[str]:
    """Yield a file with the function in each language; raises `UsageError` as `code_of` does."""
    form, factored, note = write()
    for number, language in enumerate(languages):
        text = code_of(form, language, dtype, note=note, factored=factored)
        yield "\n" + text if number else text


def code(write: Write, languages: Sequence[str], dtype: Format) -> Report:
    """Return a row for each line of the files, for formats that hold tables."""

    def stream() -> Iterator[list[Row] | Ending]:
        for language in languages:
            (text,) = programs(write, [language], dtype)
            lines = enumerate(text.splitlines(), 1)
            yield [(language, dtype.name, number, line) for number, line in lines]
        yield Ending({"fitted": write().form.label})

    title = "A function with these constants"
    return report_of(title, "language dtype line code", stream(), keys=3)


def _note_in(best: Best, way: Rounded) -> str:
    name = way.number_format.name
    proof = "No others have less." if way.is_proved else f"Not proved best: {way.proof}."
    return f"{_fitted(best)}, constants in {name}: {float(way.error):.6g}. {proof}"


def _note(best: Best) -> str:
    if best.proof not in PROOFS:
        proof = f"Not proved best: {best.proof}."
    elif not best.lower_bound:
        proof = "The target is a member of the form."
    else:
        proof = f"No constants have less than {float(best.lower_bound):.6g}, by {best.proof}."
    error = f"{float(best.error):.6g} before constants are rounded to a format"
    return f"{_fitted(best)}: {error}. {proof}"


def _fitted(best: Best) -> str:
    family, criterion = best.family, best.criterion
    return (
        f"Fitted to {family.target.label} by {criterion.name} ({CRITERIA[criterion.name]}) of the "
        f"{family.quantity}, {range_text(criterion)}"
    )
