"""Numbers and options on one line, in any order: neither is ever taken for the other."""

import pytest
from hypothesis import given
from hypothesis import strategies as st

from gelu_cli.old.cli.command import Command
from gelu_cli.old.cli.parameters import argument, flag, option
from tests.old.cli.runner import assert_refused, gelu, run_gelu

NEGATIVES = {
    "-3": ["-3.0"],
    "-.5": ["-0.5"],
    "-1e-3": ["-0.001"],
    "-1_000": ["-1000.0"],
    "-1/4": ["-0.25"],
    "-0x1.8p+1": ["-3.0"],
    "-0": ["-0.0"],
    "-inf": ["-inf"],
    "-Infinity": ["-inf"],
    "-nan": ["NaN"],
    "-1:1:1": ["-1.0", "0.0", "1.0"],
    "-1:-2:/2": ["-1.0", "-2.0"],
    "\N{MINUS SIGN}3": ["-3.0"],
}


def x_of(*words):
    return [row["x"] for row in gelu("table", *words).rows]


PLACES = [
    "{}",
    "{} --form relu",
    "--form relu {}",
    "--form=relu {} --quantity=value",
    "-q {} -f csv",
    "-fcsv {}",
    "-- {}",
    "--form relu -- {}",
]


@pytest.mark.parametrize("place", PLACES)
def test_a_negative_number_stands_anywhere(place):
    words = {word: place.format(word).split() for word in NEGATIVES}
    assert {word: x_of(*words[word]) for word in words} == NEGATIVES


@given(
    st.lists(st.floats(max_value=0, allow_nan=False), min_size=1, max_size=6),
    st.lists(st.sampled_from([["--quantity=value"], ["-f", "csv"], ["-q"], ["-o-"], ["-d5"]]),
             max_size=3, unique_by=str),
    st.randoms(use_true_random=False),
)  # fmt: skip
def test_numbers_and_options_in_any_order(numbers, options, random):
    groups = [[repr(x)] for x in numbers]
    for words in [["--form", "relu"], *options]:
        groups.insert(random.randrange(len(groups) + 1), words)
    words = [word for group in groups for word in group]
    assert x_of(*words) == [repr(float(x)) for x in numbers]


POINTS = argument("[X]...", "Numbers.")
EXPONENT, INF, NAN = option("-a", default=""), option("-i", default=""), flag("-n", help="Trap.")
ONE, MANY = option("-1", "--one", default=""), option("--many", many=True, text=True)


def probe():
    """Return a function that parses words with a command whose short options are traps."""
    seen = []

    def main(points=POINTS, a=EXPONENT, i=INF, n=NAN, one=ONE, many=MANY):
        """Take words."""
        seen.append(([*points], a, i, n, one, many))

    def parse(*words):
        command = Command(main)
        with command.make_context("main", list(words)) as context:
            command.invoke(context)
        return seen.pop()

    return parse


@pytest.mark.parametrize("word", [*NEGATIVES, "-1e3", "-1e-5", "-nan:1:1", "-inf/2"])
def test_no_short_option_ever_eats_a_number(word):
    assert probe()(word, "1", word) == ([word, "1", word], "", "", False, "", [])


def test_an_option_gets_the_word_that_was_typed():
    words = ["-a", "-3", "-i-5", "--one=-1", "--many", "-3", "--many=-4", "0"]
    expected = ["0"], "-3", "-5", False, "-1", ["-3", "-4"]
    assert probe()(*words) == expected
    assert probe()("0", *words[:-1]) == expected


@pytest.mark.parametrize(
    "words", [["-i"], ["-infx"], ["-n", "1"], ["-x", "1"], ["-e3"], ["-/3"], ["--fromat", "json"]]
)
def test_an_option_that_does_not_exist_is_no_number(words):
    assert_refused(run_gelu("table", "-3", *words), f"unknown option '{words[0]}'")


@pytest.mark.parametrize("word", ["-3x", "-3-", "-1e", "-.", "-1,2", "-3=4"])
def test_a_mistyped_number_is_no_option(word):
    assert_refused(run_gelu("table", word, "--form", "relu"), f"'{word}' is not a number")


def test_after_two_dashes_every_word_is_a_number():
    assert x_of("-1", "--", "-2", "3") == ["-1.0", "-2.0", "3.0"]
    assert_refused(run_gelu("table", "--", "-3", "--form"), "'--form' is not a number")
    assert_refused(run_gelu("table", "--", "-q"), "'-q' is not a number")


@pytest.mark.parametrize("words", [["--output", "{}"], ["--output={}"], ["-o", "{}"], ["-o{}"]])
@pytest.mark.parametrize("name", ["-3", "-.5.json", "-inf"])
def test_a_file_may_be_named_like_a_negative_number(folder, words, name):
    gelu("table", "1", "--form", "relu", *(word.format(name) for word in words))
    assert [path.name for path in folder.iterdir()] == [name]
    (folder / name).write_text("-1 -2")
    assert x_of("--input", name, "--form", "relu") == ["-1.0", "-2.0"]


def test_a_column_may_be_named_like_a_negative_number():
    answer = gelu("table", "-", "--column", "-3", "--form", "relu", stdin=b"a,-3\n1,2\n")
    assert answer.floats("x") == [2]


@pytest.mark.parametrize("option", ["--form", "--quantity", "--dtype", "--format", "--input"])
def test_a_number_where_a_name_is_due_is_named_as_it_was_typed(option):
    words = ["table", option, "-3"] if option == "--input" else ["table", "1", option, "-3"]
    assert_refused(run_gelu(*words), "'-3'")


SAME = [
    ("table 1 --dig 3", "table 1 --digits 3"),
    ("table --dig=3 1", "table 1 --digits 3"),
    ("table -1 --dig -3", "table -1 --digits -3"),
    ("table 1 --form exact", "table 1 --form=exact"),  # though --format begins so
    ("table 1 --form exact,tanh", "table 1 --form exact --form tanh"),
    ("table 1 --form elu:alpha=1,tanh", "table 1 --form elu:alpha=1 --form tanh"),
    ("table 1 --qua value", "table 1 --quantity value"),
    ("table 1 --quantity value,gradient,value", "table 1 --quantity value --quantity gradient"),
    ("sweep erfc,tanh_sum --dtype float8_e5m2 --range 1:2",
     "sweep erfc tanh_sum --dtype float8_e5m2 --range 1:2"),
    ("sweep erfc --dtype float8_e5m2 --at 1,2 --at=-3",
     "sweep erfc --dtype float8_e5m2 --at 1 --at 2 --at -3"),
    ("block --form elu --target relu --dtype bfloat16,float16",
     "block --form elu --target relu --dtype bfloat16 --dtype float16"),
    ("compare erf_sum erf_sum --comp:a float32 --dtype e5m2 --range 1:2",
     "compare erf_sum erf_sum --compute:a=float32 --dtype e5m2 --range 1:2"),
    ("table 1 -f md", "table 1 -f markdown"),
    ("table 1 -f ndjson", "table 1 -f jsonl"),
    ("table 1 -f tex", "table 1 -f latex"),
    ("table 1 -f=csv -d=3", "table 1 -f csv -d 3"),
    ("plot -f txt", "plot -f text"),
    ("sweep erfc --dtype float8_e5m2 -f json --view summary",
     "sweep erfc --dtype float8_e5m2 -f json"),
    ("--vers", "-V"),
]  # fmt: skip


@pytest.mark.parametrize(("line", "written_out"), SAME)
def test_what_may_be_written_in_short_means_the_same(line, written_out):
    answers = [run_gelu(*each.split()) for each in (line, written_out)]
    assert answers[0] == answers[1]
    assert answers[0].code == 0 or "--digits -3" in answers[0].err


def test_a_comma_in_a_text_makes_no_list(folder):
    (folder / "kernel.py").write_text("def f(x, approximate): raise ValueError(approximate)\n")
    words = "sweep kernel.py:f --dtype float8_e5m2 --kwarg approximate=a,b"
    assert "(approximate='a,b') raised ValueError at x = 0.0: a,b" in run_gelu(*words.split()).err
