"""The options that commands share, each with the values it takes, and groups of them."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from typing import TYPE_CHECKING, Any, NamedTuple

import typer

from gelu_cli.cli import choices, sections
from gelu_cli.cli.entries import Entry, Group, argument, flag, option
from gelu_cli.cli.given import Given
from gelu_cli.cli.input import words
from gelu_cli.cli.judging import Judging

if TYPE_CHECKING:
    from gelu_cli.forms import Form

MOST_JOBS = 1024
MOST_WORST = 1000


GIVEN: Any = Group(Given.in_context, {"context": Entry(None, typer.Context)})
"""No option: typer's context tells a command what is given, and what is a default."""


class PointWords(NamedTuple):
    """Where points come from: words of the command line, or a file and a column of it."""

    words: Sequence[str]
    source: str | None
    column: str | None

    @property
    def given(self) -> bool:
        """Whether there are any."""
        return bool(self.words) or self.source is not None or self.column is not None

    def or_piped(self) -> PointWords:
        """Return the same, or stdin where there are none and somebody pipes some in."""
        from gelu_cli.cli.input.streams import comes_in

        return self if self.words or self.source or not comes_in() else self._replace(words=["-"])


COLUMN: Any = option(
    None,
    "--column",
    metavar="NAME",
    section=sections.INPUTS,
    help="The column of a CSV with a header that has x.",
)
POINTS: Any = Group(
    lambda points, source, column: PointWords(points or (), source, column),
    {
        "points": argument(
            many=True,
            metavar="[X]...",
            reads_stdin=True,
            help="Numbers (-3, .5, 1/3, pi/2, 2^-126, inf), ranges START:STOP:STEP or "
            "START:STOP:/N (N points, both ends), or - for stdin.",
        ),
        "source": option(
            None,
            "--input",
            metavar="FILE",
            reads_stdin=True,
            help="Read points from a text, CSV or .npy file.",
        ),
        "column": COLUMN,
    },
    section=sections.INPUTS,
)


def _distinct_forms(form: Sequence[Form] | None) -> list[Form]:
    return list({each.label: each for each in form or ()}.values())


def forms(default: str) -> Any:
    """Return the option --form, any number of forms, each once."""
    entry = option(
        None,
        "--form",
        many=True,
        metavar="F[:PARAM=VALUE]",
        parser=words.under("--form", words.parse_form),
        autocompletion=choices.forms_by_any_name,
        help="Forms, with commas or repeated: {forms}. `gelu forms` tells more. "
        f"Default: {default}.",
    )
    return Group(_distinct_forms, {"form": entry})


def target(default: str | None, help: str) -> Any:
    """Return the option --target, whose default is the name of a form."""
    return option(
        default,
        metavar="F",
        parser=words.under("--target", words.parse_form),
        autocompletion=choices.forms_by_any_name,
        help=help,
    )


def quantities(help: str) -> Any:
    """Return the option --show, any number of quantities, each once."""
    entry = option(
        None,
        many=True,
        metavar="QUANTITY",
        parser=words.under("--show", words.one_of("quantity", choices.quantities)),
        autocompletion=choices.quantities,
        help=help,
    )
    return Group(lambda show: list(dict.fromkeys(show or ())), {"show": entry})


def quantity(default: str | None, names: Callable[[], choices.Choices], help: str) -> Any:
    """Return the option --quantity, one of those that an answer has."""
    return option(
        default,
        "--quantity",
        metavar="QUANTITY",
        parser=words.under("--quantity", words.one_of("quantity", names)),
        autocompletion=names,
        help=help,
    )


def dtype(default: str | None, help: str, *, many: bool = False) -> Any:
    """Return the option --dtype, a format of numbers."""
    return option(
        default,
        many=many,
        metavar="FORMAT",
        parser=words.under("--dtype", words.parse_dtype),
        autocompletion=choices.dtypes,
        help=help,
    )


def dtypes(help: str) -> Any:
    """Return the option --dtype, any number of formats, each once."""
    entry = dtype(None, help, many=True)
    return Group(lambda dtype: list(dict.fromkeys(dtype or ())), {"dtype": entry})


def mean(help: str) -> Any:
    """Return the option --mean of a normal distribution."""
    return option("0", "--mean", metavar="M", parser=words.finite("--mean"), help=help)


def sigma(help: str) -> Any:
    """Return the option --sigma, its standard deviation."""
    return option("1", "--sigma", metavar="S", parser=words.finite("--sigma"), help=help)


def samples(least: int, help: str) -> Any:
    """Return the option --samples, how many numbers are drawn."""
    parser = words.whole("--samples", least, 10**9)
    return option(None, "--samples", metavar="N", parser=parser, help=help)


def seed(help: str) -> Any:
    """Return the option --seed of what is drawn."""
    return option(None, "--seed", metavar="K", parser=words.whole("--seed", 0, 10**18), help=help)


RESULT_FILE: dict[str, Any] = {
    "every": flag(
        "--all",
        section=sections.INPUTS,
        help="FILE has a result for every bit pattern of a 16- or 8-bit --dtype: .npy or raw.",
    ),
    "inputs": option(
        None,
        "--inputs",
        metavar="FILE",
        section=sections.INPUTS,
        help="Where x is, .npy or raw, if FILE has results alone; - for stdin.",
    ),
}
"""Where the inputs of results in a file are, if it does not say."""

RESULT: Any = option(
    None,
    "--result",
    metavar="FORMAT",
    parser=words.under("--result", words.parse_dtype),
    autocompletion=choices.dtypes,
    help="Number format of the results, if it is not that of x.",
)


def _jobs(jobs: int | None) -> int:
    from gelu_cli.parallel import available_cores

    return jobs or available_cores()


def jobs(help: str) -> Any:
    """Return the option --jobs, how many threads or processes share long work."""
    entry = option(None, metavar="N", parser=words.whole("--jobs", 1, MOST_JOBS), help=help)
    return Group(_jobs, {"jobs": entry}, section=sections.OTHER)


JUDGING: Any = Group(
    Judging,
    {
        "ftz": flag(
            "--ftz",
            help="Subnormal inputs and results may be flushed to 0: that is right as well.",
        ),
        "worst": option(
            None,
            metavar="N",
            parser=words.whole("--worst", 1, MOST_WORST),
            help="How many of the worst inputs to show. Default: 10.",
        ),
        "max_ulp": option(
            None,
            "--max-ulp",
            metavar="U",
            parser=words.parse_limit,
            help="Fail with exit code 1 if an error exceeds U ULP.",
        ),
        "budget": option(
            None,
            metavar="FILE",
            help="Fail with exit code 1 if a bound of this .toml file is exceeded.",
        ),
        "tighten": flag(
            "--tighten",
            help="Write what was found to --budget: lower bounds, and those of new kernels.",
        ),
        "criteria": flag(
            "--criteria", help="What other people's checks say of the same results: PCC, atol, …"
        ),
    },
    section=sections.JUDGING,
)
