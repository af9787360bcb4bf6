"""Where points come from: words, stdin, files; a stream of blocks, never all at once."""

from __future__ import annotations

import re
import sys
from collections.abc import Iterable, Iterator, Sequence
from fractions import Fraction
from itertools import chain, islice
from math import floor, lcm
from os.path import isfile
from shlex import quote
from typing import TYPE_CHECKING, Any, BinaryIO, NamedTuple

from gelu_cli.errors import UsageError
from gelu_cli.old.arithmetic.exact import exponent_of
from gelu_cli.old.arithmetic.formats import Format
from gelu_cli.old.arithmetic.typed import DECIMAL_COMMA, Number, parse_number
from gelu_cli.old.reading.files import NPY, begins_as, ignore, name_of, opened, texts_of
from gelu_cli.old.reading.layouts import COMMENT, Beginning, begin, too_long, whole_lines
from gelu_cli.old.reading.left_out import CELLS, NOTHING, LeftOut
from gelu_cli.old.reading.names import (
    BITS,
    Kept,
    Say,
    is_position,
    left_alone,
    named_column,
    names_a_form,
    names_form,
)
from gelu_cli.old.reading.numbers import LONGEST_WORD, Floats, Grid, Range, is_point, plain_floats
from gelu_cli.old.reading.printed import is_missing
from gelu_cli.old.reading.tables import Table, arrow_blocks, pair_table, read_table, table_of
from gelu_cli.old.values.points import BULK, MANY, FewPoints, Points, points_of

if TYPE_CHECKING:
    from gelu_cli.old.sweeping.gating import Gating
    from gelu_cli.old.sweeping.pairs import PairPoints

LONGEST = 300
"""Characters of a word up to which a refused exponent means infinity or zero."""

LONG = 1 << 12
"""Characters that tell a table from a list, even if they are fewer lines."""

ENOUGH = 3
"""Lines that do."""

PAIRS = re.compile(
    r"(?:\s*+[^\s,;]++(?:[ \t]++[,;]?|[,;])[ \t]*+[^\s,;]++[ \t\r]*+\n)"
    rf"{{{ENOUGH},}}+\s*+[^\n]*+\Z"
)
"""Lines of two words each, and what has come of the next one."""


FEW = 32
"""Exact points in a block: each takes its time, and rows are to appear soon."""

SPARE_BITS = 128
"""Bits of a step before it is rounded: both ends of nearly every number round to one float64."""

NONE_KEPT = Kept()


class Reading(NamedTuple):
    """What goes on beside the reading of points: what is told notes, left out and kept."""

    say: Say = ignore
    left_out: LeftOut = NOTHING
    kept: Kept = NONE_KEPT


UNTOLD = Reading()


def read_points(
    words: Sequence[str],
    source: str | None,
    column: str | None,
    skips: bool = False,
    kept: Kept = NONE_KEPT,
    *,
    exact: bool,
    number_format: Format | None = None,
    say: Say = ignore,
    gating: Gating | None = None,
) -> Iterator[Any]:
    """Yield blocks of the points that the command line asks for: few of them, or many.

    With `gating` these are `PairPoints`: words X,U, or the columns x and up of a table.
    `words` are numbers and ranges, or a single `-` for stdin; `source` is a file, or `-`, whose
    empty and unreadable cells are left out if it `skips` them; `kept` gets other columns. The
    points are float64s, or the numbers as typed if `exact` is set, or these rounded to
    `number_format`. Every word of the command line, or of what a stream holds at first, is checked
    before the first block is yielded. `say` is told which columns and cells are left alone, and
    what may be meant otherwise.

    >>> [*read_points(["-3", "0:1:/3"], None, None, exact=False)][0].points
    [-3.0, 0.0, 0.5, 1.0]
    """
    grid = Grid(exact, number_format)
    if source is None and "-" in words:
        if len(words) > 1:
            raise UsageError("'-' reads all points from stdin; leave the other points out")
        words, source = (), "-"
    if source is not None and words:
        for word in words:
            _refuse_form(word)
        raise UsageError(f"give points or --input '{source}', not both")
    if source is not None:
        reading = Reading(say, LeftOut(skips), kept)
        blocks: Iterator[Any] = (
            _table_points(read_table(source, reading.left_out), None, grid, reading, gating)
            if gating
            else source_blocks(source, column, grid, reading)
        )
        first = next(filter(len, blocks), None)
        if kept.wanted and not kept.names:
            raise UsageError(f"--keep is for columns of a table, and {name_of(source)} is none")
        return chain([first] if first else [], blocks)
    for option, given in (
        ("--column picks a column", column is not None),
        ("--skip-unreadable is", skips),
        ("--keep keeps columns", kept.wanted),
    ):
        if given:
            raise UsageError(f"{option} of --input FILE or of '-' (stdin)")
    if not words:
        raise UsageError(
            "no points; give numbers (-3 0.5), a range (-3:3:0.5), '-' for stdin, or --input FILE"
        )
    if gating:
        return _table_points(
            pair_table(words, ["x", "up"], form="GATE,UP"), None, grid, UNTOLD, gating
        )
    pieces = [_parsed(word, grid) for word in words]
    for word, piece in zip(words, pieces, strict=True):
        start, _, rest = word.partition(":")
        if isinstance(piece, Range) and piece.length == 1 and not rest.startswith(f"{start}:"):
            say(f"the range '{word}' has one point; START:STOP:/N has N points")
    return blocks_of(pieces, grid)


def _parsed(word: str, grid: Grid) -> Number | Range:
    try:
        return grid.parse(word)
    except UsageError:
        _refuse_form(word)
        if not isfile(word):
            raise
        raise UsageError(f"'{word}' is a file, not a point; write --input {quote(word)}") from None


def _refuse_form(word: str) -> None:
    """Raise `UsageError` for a form where a point should be."""
    if all(map(names_form, word.split(","))):
        raise UsageError(f"'{word}' is a form, not a point; write --form {word}") from None


def every_pair(number_format: Format, ups: Sequence[float], gating: Gating) -> Iterator[PairPoints]:
    """Yield every finite number of a format with each of the ups, in the order of its bits."""
    import numpy as np

    from gelu_cli.old.arithmetic.format_arrays import every_number
    from gelu_cli.old.sweeping.inputs import blocks_of as parts_of
    from gelu_cli.old.sweeping.pairs import PairPoints

    for x in parts_of(every_number(number_format), max(1, BULK // len(ups))):
        first, second = np.repeat(x, len(ups)), np.tile(ups, len(x))
        yield PairPoints(points_of(first), points_of(second), gating)


def every_point(number_format: Format) -> Iterator[Points]:
    """Yield blocks of every finite number of a format, in the order of its bits."""
    return in_blocks(number_format.finite_numbers(), Grid(number_format=number_format))


def source_blocks(
    source: str, column: str | None, grid: Grid, reading: Reading = UNTOLD
) -> Iterator[Points]:
    """Yield the points of a file, or of stdin (`-`), without waiting for more than has come.

    They are an array, a list of numbers, or the column of a table, x if none is named. An empty
    block is a pause in the stream. Raises `UsageError` where there is neither a number nor a table.
    """
    with opened(source) as stream:
        yield from source_points(stream, source, column, grid, reading)


def source_points(
    stream: BinaryIO,
    source: str,
    column: str | None,
    grid: Grid,
    reading: Reading = UNTOLD,
) -> Iterator[Points]:
    """Yield the points of a stream that has been opened."""
    if source.endswith(".npy") or begins_as(stream, NPY):
        from gelu_cli.old.reading.arrays import array_points

        yield from array_points(stream, name_of(source), column, grid)
    else:
        yield from _text_points(stream, source, column, grid, reading)


def _text_points(
    stream: BinaryIO, source: str, column: str | None, grid: Grid, reading: Reading
) -> Iterator[Points]:
    """Yield the points of a list of numbers, or of a column of a table."""
    name, is_list, count = "stdin" if source == "-" else source, False, 0
    blocks: Iterator[Points] = iter(())
    rows = arrow_blocks(stream, name)
    if rows is None and (beginning := begin(texts_of(stream, name))):
        if column is None:
            beginning, is_list = beginning.with_first_line(name)
        if is_list:
            blocks = _list_points(beginning, name, grid, reading)
        else:
            rows = beginning.blocks(name, column or "x")

    def has_header(first: Sequence[str]) -> bool:
        """Of a table without one a column is picked by its position."""
        return not is_position(column) or not all(map(is_point, first))

    table = rows and table_of(rows, name, reading.left_out, pads=True, has_header=has_header)
    if table:
        blocks = _table_points(table, column, grid, reading)
    for points in blocks:
        count += len(points)
        yield points
    left_out = [*reading.left_out.notes()]
    if not (count or table or left_out):
        raise UsageError(f"{name_of(source)} holds no numbers")
    for text in left_out if count else [*left_out, f"{name_of(source)} holds no points"]:
        reading.say(text)


def _table_points(
    table: Table, column: str | None, grid: Grid, reading: Reading, gating: Gating | None = None
) -> Iterator[Any]:
    """Yield the points in a column, the one named, or by its position, else x; or pairs."""
    from gelu_cli.old.answers.error import NAMES

    notes: list[str] = []
    header = [*table.header]
    names = ["x", "up"] if gating else [named_column(column, header, table.name, notes.append)]
    for name in names:
        table.require(name)
    reading.kept.find_in(table.header, table.name, notes.append)
    own = {"x", "x" + BITS, *names, *NAMES, *reading.kept.names}
    others = [name for name in header if name not in own and not names_a_form(name)]
    if column is None and others:
        notes.append(left_alone(others, table.name))

    def parse(word: str) -> Number | Range:
        if gating:
            return _point(word, grid)
        if is_missing(word):
            raise UsageError(f"no number in column '{names[0]}'")
        return grid.parse(word)

    untold = iter(notes)
    for rows in table.blocks:
        columns = [rows.column(table.header[name]) for name in names]
        kept = reading.kept.cells_of(rows.cells, rows.width)
        found: list[Any] = [None if grid.exact else parse_floats(words, grid) for words in columns]
        at_once = all(each is not None for each in found)
        if at_once:
            reading.kept.add(kept)
        else:
            whole: list[list[Any]] = []
            for number, cells, *words in zip(rows.numbers, kept, *columns, strict=False):
                typed = zip(names if gating else [""], words, strict=True)
                pieces = [table.read_or_skip(number, *each, parse) for each in typed]
                if None not in pieces:
                    whole.append(pieces)
                    length = pieces[0].length if isinstance(pieces[0], Range) else 1
                    reading.kept.add([cells], length)
            found = [[pieces[place] for pieces in whole] for place in range(len(names))]
        for text in untold if rows else ():  # after the first points: an error stands alone
            reading.say(text)
        if gating:
            from gelu_cli.old.sweeping.pairs import PairPoints

            first, second = map(FewPoints if grid.exact else points_of, found)
            yield PairPoints(first, second, gating)
        elif at_once:
            yield from _arrays(found[0])
        else:
            yield from blocks_of(found[0], grid) if found[0] else (FewPoints([]),)
    for text in reading.left_out.notes() if gating else untold:
        reading.say(text)


# Lists


def _list_points(beginning: Beginning, name: str, grid: Grid, reading: Reading) -> Iterator[Points]:
    """Yield the points of words between white space, commas and semicolons; # begins a comment."""
    say, left_out = reading.say, reading.left_out

    def end_of_words(number: int, text: str) -> int:
        """Return where the last whole word of a long line ends, which has not ended itself."""
        if COMMENT in text:
            return 0
        end = max(map(text.rfind, " \t\r;")) + 1 or text.rfind(",") + 1
        if len(text) - end > LONGEST_WORD:
            raise too_long(number, text[end:], name, "a number", LONGEST_WORD)
        return end

    are_between = False  # a line has told that commas stand between numbers

    def one_by_one(number: int, text: str) -> list[Number | Range]:
        nonlocal are_between
        pieces: list[Number | Range] = []
        for at, whole in enumerate(text.removesuffix("\n").split("\n"), number):
            line, where = whole.partition(COMMENT)[0], f"line {at} of {name}"
            are_between = are_between or _is_list(line)
            if not are_between and (words := _with_commas(line)):
                point, apart = words[0].replace(",", "."), words[0].replace(",", " and ")
                raise UsageError(
                    f"{where}: '{words[0]}' may be {point}, or {apart}: write decimal points "
                    "(tr , .), or a space after each comma"
                )
            for word in filter(None, re.split(r"[\s,;]+", line)):
                try:
                    pieces.append(grid.parse(word))
                except UsageError as error:
                    if not left_out.skips:
                        names = at == 1 and line[:1].isalpha()
                        hint = "; of a CSV with a header --column NAME is read" if names else ""
                        raise UsageError(f"{where}: {error}{hint or left_out.remedy}") from None
                    left_out.add(CELLS, at, f"{where}: '{word}'")
        return pieces

    begun: str | None = ""  # the first lines, until they tell a list from a table of pairs
    for number, text in whole_lines(beginning.texts, beginning.number, name, end_of_words):
        if not text:
            yield FewPoints([])
            continue
        floats = None
        if COMMENT not in text and not grid.exact:
            if "," in text and not are_between:
                are_between = _is_list(next(line for line in text.split("\n") if "," in line))
            if "," not in text or are_between:
                floats = parse_floats(text.replace(",", " ").replace(";", " ").split(), grid)
        pieces = one_by_one(number, text) if floats is None else []
        if begun is not None:
            begun = _told_of_pairs(begun + text, name, say)
        yield from blocks_of(pieces, grid) if floats is None else _arrays(floats)
    if begun is not None:
        _told_of_pairs(begun + "\n", name, say, ended=True)


def _with_commas(line: str) -> list[str]:
    return [word for word in re.split(r"[\s;]+", line) if "," in word]


def _is_list(line: str) -> bool:
    """Return whether commas in a line stand between numbers, and none may be a decimal comma."""
    words = _with_commas(line)
    return bool(words) and ("." in line or not all(map(DECIMAL_COMMA.fullmatch, words)))


def _told_of_pairs(begun: str, name: str, say: Say, *, ended: bool = False) -> str | None:
    """Say that a list may be a table of x and y; return its beginning if that does not tell yet."""
    if not ended and begun.count("\n") < ENOUGH and len(begun) <= LONG:
        return begun
    if PAIRS.match(begun):
        say(
            f"each line of {name} has two numbers, and both are points; if they are x and y, put a "
            "line with their names before them, such as x,y"
        )
    return None


def parse_floats(words: Sequence[str], grid: Grid) -> Floats | None:
    """Return many plain numbers at once, or None if `Grid.parse` should look at each.

    >>> parse_floats(["1", "-2.5e-1"] * 500, Grid())[:2]
    array([ 1.  , -0.25])
    """
    if len(words) < MANY or max(map(len, words)) > LONGEST:
        return None
    import numpy as np

    try:
        floats = plain_floats(words)
        # Some should not have been zero or infinite.
        doubtful = np.flatnonzero((floats == 0) | ~np.isfinite(floats)).tolist()
        careful = {word: _point(word, grid) for word in {words[i] for i in doubtful}}
    except ValueError:  # `UsageError` is one, too
        return None
    floats[doubtful] = [careful[words[i]] for i in doubtful]
    return grid.array(floats, lambda i: parse_number(words[i]))


def _point(word: str, grid: Grid) -> Number:
    return grid.point(parse_number(word), word)


def _arrays(floats: Floats) -> Iterator[Points]:
    return (points_of(floats[at : at + BULK]) for at in range(0, len(floats), BULK))


# Blocks: a few points at a time, or many as an array


def blocks_of(pieces: Iterable[Number | Range], grid: Grid) -> Iterator[Points]:
    """Yield the points of all pieces in blocks; a range unfolds as it is read.

    >>> [*blocks_of([0.5, Range(Fraction(1), Fraction(2), 3)], Grid())][0].points
    [0.5, 1.0, 3.0, 5.0]
    """
    few: list[Iterable[Number]] = []
    largest = Fraction(sys.float_info.max)
    for piece in pieces:
        if not isinstance(piece, Range):
            few.append((piece,))
            continue
        beyond = any(not -largest <= end <= largest for end in (piece.start, piece.last))
        if grid.exact or piece.length < MANY or beyond:
            few.append(grid.point(number, "") for number in piece.numbers())
        else:
            yield from in_blocks(chain.from_iterable(few), grid)
            few.clear()
            for at in range(0, piece.length, BULK):
                part = piece.part(at, BULK)
                yield points_of(grid.array(_float64s(part), part.number))
    yield from in_blocks(chain.from_iterable(few), grid)


def in_blocks(points: Iterable[Number], grid: Grid) -> Iterator[Points]:
    """Yield points of the grid in blocks.

    >>> [len(block) for block in in_blocks(map(float, range(40000)), Grid())]
    [32768, 7232]
    """
    points = iter(points)
    while block := list(islice(points, FEW if grid.exact else BULK)):
        yield FewPoints(block) if grid.exact else points_of(block)


def _float64s(points: Range) -> Floats:
    """Return the float64s nearest to the numbers."""
    import numpy as np

    start, between, count = points.start, points.step, points.length
    if isinstance(start, Fraction) and isinstance(between, Fraction):
        divisor = lcm(start.denominator, between.denominator)
        first, step = int(start * divisor), int(between * divisor)
        return np.array([(first + k * step) / divisor for k in range(count)])
    # Irrational numbers lie between two fractions, from start and step rounded down and up.
    divisor = 1 << max(0, SPARE_BITS - exponent_of(between))
    first, step = floor(start * divisor), floor(between * divisor)
    low = np.array([(first + k * step) / divisor for k in range(count)])
    high = np.array([(first + 1 + k * (step + 1)) / divisor for k in range(count)])
    for k in np.flatnonzero(low != high).tolist():
        low[k] = float(points.number(k))
    return low
