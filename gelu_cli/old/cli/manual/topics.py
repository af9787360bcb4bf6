"""What holds for every command: the sections that the manual page and the reference share."""

from __future__ import annotations

from typing import NamedTuple

from gelu_cli.errors import EXIT_CODES


class Topic(NamedTuple):
    """A section: a paragraph or two, then terms with what they mean."""

    title: str
    paragraphs: tuple[str, ...]
    terms: tuple[tuple[str, str], ...] = ()


TOPICS = (
    Topic(
        "Words",
        ("Options and arguments stand in any order. An option that is mistyped is no number.",),
        (
            ("--form exact,tanh", "a list with commas, wherever an option may be repeated"),
            ("--dig 3", "the beginning of a long option, if no other begins so"),
            ("--form quick_gelu", "any name of a form; the name that is typed is printed"),
            ("--form sigmoid:beta=1.6", "a form with another parameter, a point in the number"),
            ("-f md", "a suffix of files, as a name of its format"),
        ),
    ),
    Topic(
        "Numbers",
        (
            "Numbers may be negative anywhere on the line, before and after options, without --. "
            "Up to 17 digits a number stands for the float64 nearest to it; with --digits above "
            "17, and for x in gelu check, it counts as typed.",
        ),
        (
            ("-3 .5 -1e-3 1_000", "decimal numbers"),
            ("1/3", "fractions"),
            ("0x1.8p+1", "hexadecimal floats, as C prints them with %a"),
            ("inf -inf nan", "what is not finite; forms have their limits there"),
            ("-3:3:0.5", "a range START:STOP:STEP, with the stop if the steps land on it"),
            ("-3:3:/13", "a range START:STOP:/N of N points, both ends among them"),
            ("-", "numbers from stdin, as in a text file"),
        ),
    ),
    Topic(
        "Input files",
        (
            "Every file but .npy may also be - for stdin. Text is read as it arrives, however much "
            "there is of it.",
        ),
        (
            ("text", "numbers and ranges, separated by spaces, commas or lines"),
            ("CSV", "a header and numbers, of which --column NAME picks a column"),
            (".npy", "a numpy array of any shape: of points, or of results for gelu check --all"),
            (
                "tables for gelu check",
                "CSV, or with tabs or semicolons: a column x, and for forms F columns F, "
                "F_gradient, F_gate and so on, as gelu table names them; with --dtype also F_bits",
            ),
            (
                "results for gelu check --all",
                "one for every bit pattern, in their order from 0 on: raw and little-endian, as "
                "wide as the --dtype, or .npy",
            ),
        ),
    ),
    Topic(
        "Output",
        (
            "On a terminal an answer is a table, in a pipe CSV; --format and the suffix of -o FILE "
            "choose. Only the answer goes to stdout; notes, warnings and progress go to stderr. "
            "-o writes the whole file or leaves the old one.",
            "CSV is lossless: the shortest digits that identify each float64, NaN, inf and -inf. "
            'JSON has "inf", "-inf" and "nan" for such an x, null for such a result, and strings '
            "for numbers of more than 17 digits.",
        ),
    ),
    Topic(
        "Exit status",
        ("Where a signal ends gelu, a shell has 128 and the number of the signal.",),
        tuple((str(code), meaning) for code, meaning in EXIT_CODES.items()),
    ),
    Topic(
        "Environment",
        (),
        (
            ("NO_COLOR", "set to anything: no colours"),
            ("FORCE_COLOR, CLICOLOR_FORCE", "set: colours in a pipe too, unless NO_COLOR is"),
            ("PAGER", "what shows tables and help on a terminal; cat for none"),
            ("TERM", "dumb: no colours, no pager"),
            (
                "COLUMNS",
                "the width of tables and text pictures, if it is not to be the terminal's; "
                "80 in a pipe",
            ),
            (
                "LC_ALL, LC_CTYPE, LANG",
                "where Python has no UTF-8 for them, signs are spelled in ASCII",
            ),
        ),
    ),
)
