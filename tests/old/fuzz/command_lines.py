"""Command lines, right and wrong, drawn from the options that the commands have."""

import re
from functools import cache

from hypothesis import strategies as st

from gelu_cli.old.arithmetic.formats import FORMATS
from gelu_cli.old.cli.app import app
from gelu_cli.old.sweeping.routines import ROUTINES
from tests.old.cli.examples import examples
from tests.old.fuzz.files import BUDGETS, FIFO, FILES, FOLDERS, LINKS, RECORDS, STREAMS
from tests.old.fuzz.kernels import CALLABLES, PROGRAMS, WAITING_CALLABLES

WHOLE = [
    *["1", "2", "3", "8", "17", "18", "40", "1e1", "0x10", "1_0", "0", "-1", "2.5", "1e6", "1e99"],
]
EDGES = [
    *["0", "-0", "-0.0", "1", "-1", "0.5", ".5", "5.", "-.5", "1e-3", "1E3", "1_000", "+2", "1/3"],
    *["-2/7", "0x1p-1074", "0x1.8p+1", "-0x.8p0", "5e-324", "-5e-324", "2.2250738585072014e-308"],
    *["1.7976931348623157e308", "1.8e308", "-1e400", "1e-400", "1e999", "1e-999", "1e1001"],
    *["1e99999999999999999999", "0x1p4000", "0x1p-99999999999", "inf", "-inf", "nan", "-nan"],
    *["Infinity", "1/0", "0/0", "inf/2", "1/inf", "\N{MINUS SIGN}3", "１", "1__0", "1e", "0x"],
    *["1e+", "e5", "1/2/3", "0b1", "1j", "--1", "1,5", "1 2", "6.1e-5", "65504", "3.4e38"],
    *["0.1", "10", "-37.5", "38.4", "448", "57344", "0." + "3" * 300, "9" * 4500],
]  # fmt: skip
RANGES = [
    *["-3:3:0.5", "-1:1:/5", "0:1:/1", "1:0:0.5", "0:1:-1", "1:0:-1/4", "0:0:1", "0:1:0", "::"],
    *["-pi:pi:pi/4", "-pi:pi", "0:√2:/3", "0:pi:1e-9"],
    *["0:1:/2", "0:inf:1", "nan:1:1", "0:1:1e-9", "0:1e9:1", "1:2", "-1:-2:/3", "0:1:/x", ":"],
    *["-10:10", "-inf:inf", "-3:7/3", "1:1", "2:1", "0:5", "a:b", "-1e-300:1e300", "0:1e-400"],
]  # fmt: skip
GARBAGE = [
    *["", " ", "-", "--", "---", "-x", "--fromat", "--digits", "-d", "-f", "-o", "-h", "é"],
    *["ﬁ", "\N{ZERO WIDTH SPACE}", "\x1b[31m", "\n", "\t", "'", '"', "{forms}", "%s", "$HOME", "*"],
    *["[bold]", "\\", "a" * 700, "\udcff", "--=", "--form=", "=", "sigmoid:", ":", "--help"],
    *["self", "auto", "None", "null", "csv", "exact_bits", "x", "--dtype=bfloat16", "--all"],
]  # fmt: skip
CHARACTERS = st.characters(exclude_characters="\0/", exclude_categories=["Cs"]) | st.sampled_from(
    bytes(range(0x80, 0x100)).decode("utf-8", "surrogateescape")
)
"""Of words on a command line: Python has a lone surrogate for each byte that is not UTF-8."""
SETTINGS = ["", "", "", ":beta=1.6", ":beta=0", ":beta=-1", ":sigma=2", ":alpha=0.5", ":beta=nan"]
OUTPUTS = [
    *["-", "a.csv", "b.json", "c.md", "d.tex", "e.txt", "f.tsv", "g.jsonl", "h.xlsx", "i", ".csv"],
    *["", ".", "missing/a.csv", "points.txt/a.csv", "ü.csv", "n" * 300, "/dev/null", "results/"],
    *["points.csv", "published.csv", "loop.csv", "dangling.csv", "link.csv", "folder.csv"],
    *["/dev/full", "/dev/stdout", "/dev/fd/1", "/dev/fd/997", "/dev/nope.csv", "/proc/nope.csv"],
    *["\x1b[31m.csv", "a\nb.csv", "/proc/self/mem", "j.png", "k.svg", "l.pdf"],
]
INPUTS = [
    *[
        "-",
        "-",
        "-",
        "missing.csv",
        ".",
        "/dev/null",
        "/dev/stdin",
        "/proc/self/mem",
        "/dev/fd/999",
    ],
]
ARGUMENTS = [
    *["a=1", "approximate=tanh", "a", "=1", "a=", "1=2", "a=[", "a='x'", "dtype=float32", "a=None"],
    *["a=false", 'a="', "a=0x1p4", "a=0x1p9999", "a=nan", "a=1e999", "a=\x1b", "class=1"],
    *["a=\x1b[31mred", "a=\u202eidib", "a=a\nb", "\x1b[2J=1", "a=" + "9" * 5000, "é=1", "x=1"],
]  # fmt: skip
PAIRS = ["2=1.9546", "1=0.8413", "-1=-0.1587", "0=0", "x=", "=", "1/2=0.3", "1e30=1e30", "2=1e-400"]
EITHER = {
    "error": ({"x", "source", "column"}, {"ends", "sigma", "view"}),
    "sweep": ({"kwarg", "backend"}, {"compute", "exec"}),
    "check": (
        {"wrong"},
        {"every", "form", "quantity", "ftz", "worst", "max_ulp", "view", "criteria"},
    ),
}
"""Parameters that are refused beside one another; most lines have those of one side alone."""

EXPRESSIONS = [
    *["pi", "-pi/2", "2pi", "√2", "-sqrt(2/pi)", "2**-126", "2^.5", "1+2^-23", "-e", "e-3"],
    *["(1+√5)/2", "1/(pi-pi)", "10**10**10", "sqrt(-1)", "2**pi", "π**1000", "1,5", "√√2", "((1))"],
]  # fmt: skip
numbers = st.one_of(
    st.sampled_from(EXPRESSIONS),
    st.sampled_from(EDGES),
    st.floats().map(repr),
    st.floats(-20, 20).map(repr),
    st.floats(allow_nan=False).map(float.hex),
    st.fractions().map(str),
    st.integers(-20, 20).map(str),
)
moderate = st.one_of(
    st.sampled_from(EDGES), st.floats(-20, 20).map(repr), st.fractions(-9, 9).map(str)
)
garbage = st.one_of(st.sampled_from(GARBAGE), st.text(CHARACTERS, max_size=8), numbers)
VALUES = {
    "x": st.one_of(numbers, numbers, st.sampled_from([*RANGES, "-"])),
    "points": st.sampled_from([*FILES, *FOLDERS, *LINKS, *INPUTS]),
    "ends": st.sampled_from(RANGES),
    "samples": st.sampled_from([word for word in WHOLE if word != "1e6"]),
    "free": st.sampled_from(["c", "a,c", "beta", "slope", "a", "d", "b", "a1,a2", "c,c", "A", ","]),
    "degree": st.sampled_from(["1", "3", "5", "2", "15", "0", "17", "x"]),
    "seed": st.sampled_from(WHOLE),
    "worst": st.sampled_from(WHOLE),
    "digits": st.sampled_from(WHOLE),
    "jobs": st.sampled_from(WHOLE),
    "mean": moderate,  # averages far out, or of a wide distribution, take seconds
    "sigma": moderate,
    "momentum": numbers,
    "max_ulp": numbers,
    "budget": st.sampled_from([*BUDGETS, *BUDGETS, *FILES, *FOLDERS, *LINKS]),
    "source": st.sampled_from([*FILES, *FOLDERS, *LINKS, *INPUTS]),
    "files": st.sampled_from([*FILES, *FOLDERS, *LINKS, *INPUTS]),
    "column": st.sampled_from(["x", "y", "exact", "", "größe"]),
    "path": st.sampled_from(OUTPUTS),
    "unlisted": st.sampled_from(CALLABLES),
    "exec": st.sampled_from(PROGRAMS),
    "timeout": st.sampled_from(["1e3", "100", "60", "0", "-1", "inf", "nan", "1/2", "1e999"]),
    "kwarg": st.sampled_from(ARGUMENTS),
    "pairs": st.one_of(
        st.sampled_from([*PAIRS, *PAIRS, "-", "figures.csv", "kernel.bin", "points.npy", *RECORDS]),
        st.builds("{}={}".format, numbers, numbers),
    ),
    "record": st.sampled_from([*RECORDS, *RECORDS, *FILES, *FOLDERS, *LINKS]),
    "kernels": st.sampled_from([*ROUTINES, *CALLABLES, *RECORDS, "published.csv"]),
}
"""What parameters may be that have no choices; a parameter that is new gets garbage alone."""


@cache
def values_of(command, parameter):
    """Return the values of a parameter, mostly such as it takes."""
    chosen = [name for name, _ in parameter.offered()] if parameter.name != "kernels" else []
    right = st.sampled_from(chosen) if chosen else VALUES.get(parameter.name, garbage)
    if parameter.name in ("forms", "form", "target"):
        right = st.builds(str.__add__, right, st.sampled_from(SETTINGS))
    return st.integers(0, 15).flatmap(lambda n: right if n else garbage)


def long_name(parameter):
    return max(parameter.opts, key=len)


@cache
def option(command, parameter):
    """Return the words that give an option once."""
    names = st.sampled_from([*parameter.opts, long_name(parameter)[:-1]])
    if parameter.is_flag:
        return names.map(lambda name: [name])
    value = values_of(command, parameter)
    if parameter.listed:
        value = st.one_of(value, st.lists(value, min_size=2, max_size=3).map(",".join))
    apart = st.builds(lambda name, value: [name, value], names, value)
    long = st.just(max(parameter.opts, key=len))
    if parameter.aimed:
        sides = st.sampled_from(["", ":a", ":b", ":a", ":b", ":c", ":"])
        long = st.builds(str.__add__, long, sides)
    return st.one_of(apart, st.builds(lambda name, value: [f"{name}={value}"], long, value))


@cache
def examples_of(name):
    """Return the examples in the help, without the name of the command."""
    return [words for _, *words in examples(name)]


@st.composite
def whole(draw, command):
    """Return lines whose options and arguments each have their values, in any order."""
    by_kind = {"option": [], "argument": []}
    left_out = draw(st.sampled_from([*EITHER.get(command.name, ()) * 3, set()]))
    for parameter in (each for each in command.params if each.name not in left_out):
        by_kind[parameter.param_type_name].append(parameter)
    examples = examples_of(command.name)
    if examples and draw(st.booleans()):
        example = draw(st.sampled_from(examples))
        more = by_kind["option"] and draw(option(command, draw(st.sampled_from(by_kind["option"]))))
        return example + more
    some = st.lists(st.sampled_from(by_kind["option"]), max_size=4, unique=True)
    options = draw(some) if by_kind["option"] else []
    groups = [draw(option(command, parameter)) for parameter in options]
    for parameter in by_kind["argument"]:
        count = 1 if parameter.nargs == 1 else draw(st.integers(0, 3))
        groups += [[draw(values_of(command, parameter))] for _ in range(count)]
    return [word for group in draw(st.permutations(groups)) for word in group]


@st.composite
def broken(draw, lines):
    """Return lines of which some have lost a word, or have one twice, moved, or too many."""
    words = list(draw(lines))
    how = draw(st.sampled_from([""] * 12 + ["lose", "repeat", "move", "add"]))
    if words and how in ("lose", "repeat", "move"):
        place = draw(st.integers(0, len(words) - 1))
        word = words[place] if how == "repeat" else words.pop(place)
        if how != "lose":
            words.insert(draw(st.integers(0, len(words))), word)
    if how == "add":
        words.insert(draw(st.integers(0, len(words))), draw(garbage))
    return words


SMALL = {name for name, each in FORMATS.items() if each.width <= 16}


def fewer(words):
    """Return the words of a sweep with fewer inputs, where millions or billions were meant."""
    if "--all" in words:
        return [word for word in words if not word.startswith("--range")] + ["--range=1:1.0001"]
    dtypes = {word.removeprefix("--dtype=") for word in words}
    if dtypes & SMALL or any(word.startswith("--samples") for word in words):
        return words
    return [*words, "--samples=40"]


def eight_bits(words):
    """Return the words of a table with 8 bits where every number of 16 bits was meant.

    People's tables of 65,280 rows take minutes.
    """
    if "--all" not in words:
        return words
    return [
        re.sub(r"^(--dtype=)?(b?float16|half|bf16|fp16|f16)$", r"\1e5m2", word) for word in words
    ]


@st.composite
def guest_lines(draw):
    """Return sweeps of functions that do all that one may."""
    kind = draw(st.sampled_from(["impl", "impl", "impl", "exec"]))
    values = VALUES["unlisted" if kind == "impl" else kind]
    words = ["sweep", f"--{kind}", draw(values), "--dtype", draw(st.sampled_from(DTYPES))]
    for name in draw(st.lists(st.sampled_from(sorted(GUEST_OPTIONS)), max_size=3, unique=True)):
        words += [name, *draw(GUEST_OPTIONS[name])]
    return fewer(words)


def quick_fits(words):
    """Return the words of a fit without averages, which take seconds, and with 8 digits or less."""
    averages = re.compile(r"^(--criterion=|--view=)?(rms|mean|others)$")
    few = [averages.sub(r"\1points", word) for word in words]
    return [re.sub(r"^(--digits=|-d=)?(17|18|40)$", r"\g<1>8", word) for word in few]


DTYPES = ["float8_e5m2", "float8_e5m2", "float8_e4m3fn", "float16", "float32", "float64"]
GUEST_OPTIONS = {
    "--kwarg": st.sampled_from(ARGUMENTS).map(lambda word: [word]),
    "--backend": st.sampled_from([["numpy"], ["torch"], ["jax"]]),
    "--max-ulp": st.just(["0"]),
    "--timeout": st.just(["100"]),
    "--samples": st.just(["30"]),
    "--quantity": st.just(["gradient"]),
    "--view": st.sampled_from([["worst"], ["regions"], ["histogram"]]),
    "--criteria": st.just(["--view", "criteria"]),
    "--format": st.sampled_from([["json"], ["table"], ["markdown"], ["latex"], ["csv"]]),
    "--output": st.sampled_from([["points.csv"], ["new.json"]]),
    "--jobs": st.sampled_from([["1"], ["2"]]),
}

WAITING_LINES = [
    *(["sweep", word, "--dtype", "float8_e5m2", "-o", "a.csv"] for word in WAITING_CALLABLES),
    *(["sweep", word, "--samples", "40", "--jobs", "2"] for word in WAITING_CALLABLES),
    *(["table", "--input", FIFO], ["check", FIFO], ["table", "1", "-o", FIFO]),
    *(["table", "0:1:1e-7", "--digits", "40"], ["table", "0:1:1e-7", "-o", "points.csv"]),
    *(["variance", "--samples", "1e9"], ["locate", "--digits", "3000"], ["sweep", "--all"]),
]
"""Lines that do not end by themselves within a minute."""


def command_lines(name):
    """Return the words that may follow the name of a command."""
    lines = broken(whole(app.command(name)))
    if name == "fit":
        return lines.map(quick_fits)
    if name == "table":
        return lines.map(eight_bits)
    return lines.map(fewer) if name in ("sweep", "compare") else lines


stdin_texts = st.one_of(
    st.sampled_from(STREAMS),
    st.lists(numbers, max_size=4).map(lambda words: "\n".join(words).encode("utf-8", "replace")),
    st.binary(max_size=12),
)

SHARES = {
    "table": 38, "check": 27, "forms": 5, "locate": 3, "sweep": 3, "compare": 3, "error": 2,
    "variance": 2, "plot": 2,
}  # fmt: skip
"""Of the lines, by command, as they cost; the other commands have `FEWEST` each."""
FEWEST = 1
