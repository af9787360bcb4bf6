"""`gelu identify`: which form, routine, format and parameter explain figures."""

from __future__ import annotations

from collections.abc import Callable, Iterable, Sequence
from contextlib import ExitStack
from typing import TYPE_CHECKING, Any, NamedTuple

from gelu_cli.errors import UsageError
from gelu_cli.old.cli import glu, options, words
from gelu_cli.old.cli.kernels import KERNELS, KernelWords, Named, names_kernel, quantity_of
from gelu_cli.old.cli.parameters import GIVEN, INPUTS, OUTPUT, Given, Group, argument, count, option
from gelu_cli.old.reading.files import comes_in
from gelu_cli.old.reading.kernels import CALLABLE, LIBRARY
from gelu_cli.old.reading.names import named_column, parse_form

if TYPE_CHECKING:
    from gelu_cli.old.arithmetic.formats import Format
    from gelu_cli.old.identification.figures import Figures
    from gelu_cli.old.reading.tables import Table
    from gelu_cli.old.sweeping.at import Called
    from gelu_cli.old.sweeping.gating import Gating
    from gelu_cli.old.sweeping.truth import Question
    from gelu_cli.old.writing.destinations import Output

DEFAULT_ROWS, DEFAULT_OTHERS = 10, 3
HOW_CALLED: Any = Group(
    KernelWords.of,
    KERNELS.options,
    without=("kernels", "upstream", "compute", "truncate", "flush"),
)


class Kind(NamedTuple):
    """What figures are: values or gradients, in a format or in print."""

    quantity: str | None = options.quantity(
        None,
        "results",
        "What the figures are: {results}. Default: by the name of their column, else value; of a "
        "kernel of one input that its library differentiates both. With --glu gradients are those "
        "by the gate.",
    )
    dtype: Format | None = options.dtype(
        None, "The figures are results in a format: {dtypes}. Default of a kernel: float32."
    )
    result: Format | None = options.RESULT


class Source(NamedTuple):
    """Where figures come from, and which."""

    pairs: Sequence[str] = argument(
        "[X=Y]...",
        "Figures, such as 2=1.9546; or one FILE: a table with x and columns of figures, "
        "results with --dtype; - for stdin; or one KERNEL, as gelu sweep takes it.",
        reads_stdin=True,
    )
    every: bool = options.ALL_RESULTS
    inputs: str | None = options.INPUTS_OF_RESULTS
    column: str | None = option(
        "--column",
        metavar="NAME",
        parse=words.parse_column,
        help="One column of the table. Default: all.",
    )

    def figures(self, kind: Kind, second: bool, given: Given) -> Sequence[Figures]:
        """Return figures that pairs or a file hold, of two inputs if there is a `second`."""
        from gelu_cli.old.reading import figures
        from gelu_cli.old.reading.result_files import ResultFile, read_columns
        from gelu_cli.old.reading.results import Due, every_name
        from gelu_cli.old.reading.tables import pair_table, read_table
        from gelu_cli.old.sweeping.sorted_results import SpillFile
        from gelu_cli.old.sweeping.truth import Question

        words_given = self.pairs or (["-"] if comes_in() else [])
        if not words_given:
            hint = "give pairs like 2=1.9546, a FILE, - for stdin, or a KERNEL"
            raise UsageError(f"no figures; {hint}")
        if kind.dtype is None:
            in_a_format = {"purpose": "results in a format", "remedy": "add --dtype FORMAT"}
            given.refuse("--all", "--inputs", "--result", **in_a_format)
        read: Callable[[str], Table] = read_table
        if figures.are_pairs(words_given):
            of_files = {"purpose": "a FILE", "remedy": "leave the pairs out"}
            given.refuse("--all", "--inputs", "--column", **of_files)
            columns, form = (["x", "up", ""], "X,U=Y") if second else (["x", ""], "X=Y")
            words_read = pair_table(words_given, columns, form=form)
            path, read = "", lambda path: words_read
        else:
            (path,) = words_given
        column, (quantity, dtype, result) = self.column, kind
        if dtype is None:
            return figures.read_printed(read(path), column, quantity, second)
        formats, exact = (dtype, result or dtype), parse_form("exact")
        file = ResultFile(path, self.every, self.inputs)
        file.check(dtype, pairs=second)
        if file.is_bare:
            given.refuse("--column", purpose="tables", remedy="leave --all and --inputs out")

        def question(name: str) -> Question:
            return Question(exact, quantity or figures.quantity_of_column(name), *formats)

        def choose(names: Sequence[str], table: str) -> Iterable[str]:
            return every_name(names) if column is None else [named_column(column, names, table)]

        with SpillFile() as spill:
            due = Due(*formats, question, spill, choose, ("x", "up")[: 1 + second])
            return figures.figures_of_results(read_columns(file, due, read), path)


KIND: Any = Group(Kind)
SOURCE: Any = Group(Source, section=INPUTS)


def identify(
    source: Source = SOURCE,
    asked: KernelWords = HOW_CALLED,
    second: bool = glu.SECOND.options["glu"].changed(
        help="There are two inputs: a kernel is f(gate, up), figures are X,U=Y, a table has "
        "columns x and up."
    ),
    packed: str | None = glu.SECOND.options["packed"],
    kind: Kind = KIND,
    rows: int | None = count(
        "--rows",
        1,
        1000,
        f"How many explanations to show of each column. Default: {DEFAULT_ROWS}, of which a "
        f"terminal shows at most {DEFAULT_OTHERS} that do not explain all figures.",
        section=OUTPUT,
    ),
    output: Output = options.output(),
    jobs: int = options.jobs("Threads for many figures. Default: every core."),
    given: Given = GIVEN,
) -> None:
    """Which form, routine and parameter explain these figures.

    Every form, routine and format is tried, and known mistakes: swapped constants, a factor left
    out, a gradient in place of the value. A parameter is estimated, with the interval that the
    printed digits allow. 1.9546 stands for all numbers that round to it. The notes say which x
    tells the best two apart, and whether gradients belong to the values beside them.

    Examples:

      gelu identify 2=1.9546

      gelu identify 1=0.8548 -1=-0.1452 2=1.9439

      gelu identify published.csv

      gelu identify kernel.bin --all --dtype bfloat16

      gelu identify mykernel.py:gelu --dtype bfloat16

      gelu identify mykernel.py:geglu --glu --dtype bfloat16
    """
    from gelu_cli.old.answers import identify as answer
    from gelu_cli.old.sweeping.gating import Gating
    from gelu_cli.old.writing.progress import Progress

    told: dict[str, Any] = {}
    columns: Sequence[Figures]
    figures = [word for word in source.pairs if not names_kernel(word)]
    named = asked.named([*filter(names_kernel, source.pairs), *asked.words, *asked.programs])
    with Progress(output.quiet):
        if not (named and second):
            given.refuse("--packed", purpose="a kernel of two inputs", remedy="name one with --glu")
        if named:
            if len(named) > 1:
                raise UsageError(f"unexpected '{named[1].word}'; gelu identify takes one KERNEL")
            word = "--exec" if asked.programs else named[0].word
            of_figures = {"purpose": "figures", "remedy": f"leave {word} out"}
            given.refuse(*["X=Y"] * bool(figures), "--all", "--inputs", "--column", **of_figures)
            gating = Gating(packed=packed or "") if second else None
            columns, called = _of_kernel(asked, named[0], kind, gating, given)
            told = {"notes": called.notes, "provenance": called.provenance}
        else:
            columns = source.figures(kind, second, given)
        report = answer.identify(
            columns,
            rows=rows or DEFAULT_ROWS,
            others=DEFAULT_OTHERS if rows is None and output.for_people else None,
            digits=output.digits,
            jobs=jobs,
            **told,
        )
    output.write(report)


def _of_kernel(
    asked: KernelWords, named: Named, kind: Kind, gating: Gating | None, given: Given
) -> tuple[list[Figures], Called]:
    """Return what a kernel returns at inputs chosen for it: values, and gradients if it can."""
    from gelu_cli.old.answers.identify import figures_of_kernel
    from gelu_cli.old.sweeping.at import end_functions
    from gelu_cli.old.writing.signals import before_the_end

    number_format, result = kind.dtype or words.parse_dtype("float32"), kind.result
    judged = quantity_of(kind.quantity, given)
    both = kind.quantity is None and not gating and "backward" not in named.settings
    both = both and named.kind in (CALLABLE, LIBRARY) and result in (None, number_format)
    formats = number_format, result or number_format
    with ExitStack() as guests:
        judged = "gradient" if both else judged
        judged = f"gate_{judged}" if gating and judged == "gradient" else judged
        exact = parse_form("exact")
        (kernel,) = asked.kernels_of([named], formats, exact, judged, guests, gating)
        guests.enter_context(before_the_end(lambda: end_functions([kernel])))
        return figures_of_kernel(kernel, values_too=both)
