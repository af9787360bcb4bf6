"""Lines that cannot be meant: one line that names what is wrong, exit 2, and nothing written."""

import pytest

from gelu_cli.old.arithmetic.formats import FORMATS
from tests.old.cli.runner import assert_all_refused, assert_refused, refusal, run_gelu

OLD = "the old file\n"
HUGE = "1e99999999999999999999"
WIDE = [name for name, each in FORMATS.items() if each.width > 16]


FILES = {"figures.csv": "x,exact\n1,0.8413\n", "good.csv": "x,y\n1,2\n", "old.csv": OLD}
pytestmark = pytest.mark.usefixtures("folder")


def stamp(path):
    """Return what tells that a file was written; reading one changes its time of access."""
    stat = path.stat()
    return stat.st_ino, stat.st_size, stat.st_mtime_ns


# The line, and what its message must name.
POINTS = [
    ("table oops", "'oops'"),
    ("table 1 2 0..5 3", "'0..5'"),
    ("table 1_", "'1_'"),
    ("table 1/0", "'1/0' divides by zero"),
    ("table 1e400", "'1e400' is beyond float64"),
    ("table 1e99999", "'1e99999'"),
    ("table 1:2:0", "step of '1:2:0' is 0"),
    ("table 2:-1:1", "'2:-1:1'"),
    ("table -3 0:1e9:1", "1,000,000,001 points"),
    ("table 0:1:1e-9999", "exponent of '1e-9999'"),
    ("table 0:1:1e-999", "over 10^18 points"),
    ("table 0:1:/1", "'0:1:/1'"),
    ("table 0:inf:1", "'0:inf:1'"),
    ("table", "no points"),
    ("table - 1", "'-' reads all points from stdin"),
    ("table -3 -", "'-' reads all points from stdin"),
]
OPTIONS = [
    ("table 1 --form TAHN", "'TAHN'; did you mean 'tanh'?"),
    ("table 1 --form tanh,rleu", "unknown form 'rleu'; did you mean 'relu'?"),
    ("table 1 --form tanh,,relu", "'tanh,,relu' has a comma with nothing beside it; leave it out"),
    ("table 1 --form tanh,sigmoid:beta=1,702", "write 'tanh,sigmoid:beta=1.702'"),
    ("table 1 --form sigmoid:beta=1,702,relu", "write 'sigmoid:beta=1.702,relu'"),
    ("sweep --dtype bfloat16,float16", "give one name, not a list"),
    ("table 1 --fo tanh", "'--fo' may be --form or --format; write more of it"),
    ("table 1 -- --fo tanh", "'--fo' is not a number"),
    ("table 1 -form tanh", "unknown option '-form'; write it with two dashes, --form"),
    ("table 1 --form:a tanh", "unknown option '--form:a'; write --form a"),
    ("table 1 --json", "unknown option '--json'; write --format json"),
    ("table 1 --tanh", "unknown option '--tanh'; write --form tanh"),
    (
        "table 1 --form --quantity",
        "--form needs a value before --quantity; write --form F[:PARAM=VALUE]",
    ),
    ("table 1 --bits=yes", "--bits takes no value; leave '=yes' out"),
    ("-3", "'-3' is no command; write gelu table -3"),
    ("--", "missing command; see gelu --help"),
    ("--version x", "unexpected 'x'; gelu --version stands alone"),
    ("-V table 1", "unexpected 'table'; gelu -V stands alone"),
    ("table --input good.csv --column=", "--column '' names no column"),
    ("check figures.csv --column=", "--column '' names no column"),
    ("identify figures.csv --column=", "--column '' names no column"),
    ("completion --shell bash", "did you mean SHELL without an option?"),
    ("table 1 --fixed 3", "did you mean --digits?"),
    ("table 1 --width 3", "did you mean --digits?"),
    ("plot --width 3", "did you mean --size WxH?"),
    ("table 1 --form=", "form ''"),
    ("table --nosuch", "unknown option '--nosuch'; see gelu table --help"),
    ("table 1 --dtype float8", "did you mean 'float8_e4m3fn' or 'float8_e5m2'?"),
    ("sweep --dtype float64 --truncate", "--truncate: float64 rounds to nearest; take --compute"),
    ("sweep --compute foo", "--compute: unknown dtype 'foo'"),
    ("error --target foo", "--target: unknown form 'foo'"),
    ("error --view foo", "--view: unknown view 'foo'; choose from summary, points, regions"),
    ("variance --mean 0x1p4000", "--mean"),
    ("table 1 --form tanh:c=0x1p4000", "'c=0x1p4000' is out of bounds"),
    ("table 1 --form tanh:c=nan", "'c=nan' is no number"),
    ("sweep math:erf.nosuch", "'math:erf.nosuch' names no function, nothing has 'nosuch'"),
    ("sweep math:nosuch", "unknown name 'nosuch' in 'math'"),
    ("check a.csv --ftz", "--ftz is for results in a format; add --dtype FORMAT"),
    ("check a.csv --budget b.toml", "--budget is for results in a format; add --dtype FORMAT"),
    ("check a.csv --tighten", "--tighten is for results in a format; add --dtype FORMAT"),
    ("sweep --tighten", "--tighten writes to a budget; add --budget FILE"),
    ("sweep --at 1 --budget b.toml", "--budget is for sweeps; leave --at out"),
    ("check a.csv --max-ulp 1", "--max-ulp is for results in a format; add --dtype FORMAT"),
    ("check a.csv -f svg", "a picture is for results in a format; add --dtype FORMAT"),
    ("table 1 --form sigmoid:betta=1", "'betta' of 'sigmoid'; did you mean 'beta'?"),
    ("table 1 --form sigmoid:beta", "'sigmoid:beta'"),
    ("table 1 --form sigmoid:beta=", "''"),
    ("table 1 --form sigmoid:beta=big", "'big'"),
    ("table 1 --form sigmoid:beta=nan", "beta=nan"),
    ("table 1 --form sigmoid:beta=1e301", "beta=1e301"),
    ("table 1 --form relu:beta=1", "'relu' has no parameters"),
    ("table 1 --form noisy_relu:sigma=-1", "sigma of 'noisy_relu'"),
    ("table 1 --quantity gradeint", "'gradeint'; did you mean 'gradient'?"),
    ("table 1 --quantity gate --form softplus", "'softplus' has no gate"),
    ("table 1 --format jsno", "--format: unknown format 'jsno'; did you mean 'json'?"),
    ("table 1 --dtype bfloat15", "--dtype: unknown dtype 'bfloat15'; did you mean 'bfloat16'?"),
    ("table 1 --bits", "--dtype"),
    ("table 1 --digits 0", "--digits 0"),
    ("table 1 --digits 10001", "--digits 10001"),
    ("table 1 --digits 1.5", "--digits 1.5"),
    ("table 1 --digits many", "'many'"),
    ("table 1 --digits 20 --dtype float32", "--dtype"),
    ("table --all", "--all"),
    *[(f"table --all --dtype {name}", "--all") for name in WIDE],
    ("table 1 --all --dtype bfloat16", "--all"),
    ("table - --all --dtype bfloat16", "--all"),
    ("table --input good.csv --all --dtype bfloat16", "--all"),
    ("table --column x --all --dtype float8_e5m2", "--column"),
    ("table --all --digits 20 --dtype float8_e5m2", "--dtype"),
    ("table 1 --no-haeder", "--no-header"),
    ("tabel 1", "unknown command 'tabel'; did you mean 'table'?"),
    ("--fromat", "--fromat"),
    ("forms 1", "1"),
    ("forms --digits 3", "--digits"),
]


def test_a_table_that_cannot_be_meant_is_refused_and_no_file_is_touched(folder):
    before, wrong = stamp(folder / "old.csv"), {}
    for line, named in (*POINTS, *OPTIONS):
        output = ["--output=old.csv"] if line.startswith("table") else []
        if fault := refusal(run_gelu(*line.split(), *output), named):
            wrong[line] = fault
        assert stamp(folder / "old.csv") == before, line
    assert not wrong
    assert {path.name for path in folder.iterdir()} == {"figures.csv", "good.csv", "old.csv"}


IN_VAIN = [
    ("variance --form relu --seed 1", "--seed is for --samples N; add it, or leave --seed out"),
    ("table 1 --digits 18 --jobs 2", "--jobs is for numbers of up to 17 digits"),
    ("sweep --dtype float8_e5m2 --seed 1", "--seed", "every float8_e5m2"),
    ("sweep --all --seed 1 --range 1:2", "--seed", "every float32"),
    ("check figures.csv --worst 3", "--dtype"),
    ("check figures.csv --form=", "unknown form ''"),
    ("check figures.csv --dtype bfloat16 --quantity gradient", "--quantity", "F_gradient"),
    ("error --form tanh --input=", "cannot read ''"),
    ("table 1 --no-header --format json", "--no-header", "csv", "tsv"),
    ("forms --no-header -f table", "--no-header", "csv", "tsv"),
    ("table 1 -o a.xlsx", "'.xlsx'", "--format", ".csv"),
    ("table 1 -o a.dat", "'.dat'", "--format"),
]
TWICE = [
    ("table 1 --digits 3 -d 4", "--digits"),
    ("table 1 --format csv -f json", "--format"),
    ("table --input a.txt --input b.txt", "--input"),
    ("error --view summary --view regions", "--view"),
    ("sweep --dtype bfloat16 --dtype float16", "--dtype"),
]


def test_an_option_that_would_do_nothing_is_refused():
    assert_all_refused(cases=IN_VAIN)


def test_an_option_of_one_value_is_not_given_two():
    named = [(line, f"{option} is given more than once") for line, option in TWICE]
    assert_all_refused(cases=named)


def test_flags_and_lists_may_be_given_twice():
    words = ["table", "1", "-q", "-q", "--form", "relu", "--form", "tanh", "--quantity", "value"]
    assert run_gelu(*words, "--quantity", "gradient").code == 0


UNEXPECTED = [
    ("locate silu", "unexpected 'silu'; write --form silu"),
    ("variance sigmoid:beta=2", "write --form sigmoid:beta=2"),
    ("plot gate", "write --quantity gate"),
    ("sweep --shapes", "--shapes is for kernels of your own"),
    ("sweep a:b --view shapes", "--view shapes has what --shapes finds; add --shapes"),
    ("check a.csv --dtype float16 --view shapes", "--view shapes is for records of gelu sweep"),
    ("sweep --at 1 --samples 5", "--samples is for sweeps; leave --at out"),
    ("sweep --at 1 --view worst", "--view is for sweeps; leave --at out"),
    ("sweep --at 1 -o a.svg", "--at is a table"),
    ("sweep --at 1,,2", "--at '1,,2' has a comma with nothing beside it"),
    ("sweep --at 1:2", "--at: '1:2' is no range"),
    ("sweep --at 0:1:/2000000", "--at takes at most 1,048,576 points"),
    ("sweep bfloat16", "write --dtype bfloat16"),
    ("check figures.csv b.csv", "unexpected 'b.csv'; gelu check takes one FILE"),
    ("forms tanh -3", "unexpected '-3'; gelu forms takes one [FORM]"),
    ("table exact 1", "'exact' is a form, not a point; write --form exact"),
    ("table 1 exact,quick_gelu", "is a form, not a point; write --form exact,quick_gelu"),
    ("error tanh --input a.csv", "'tanh' is a form, not a point; write --form tanh"),
    ("plot exact,relu", "unexpected 'exact,relu'; write --form exact,relu"),
    ("sweep erfc,tahn_sum", "unknown routine 'tahn_sum'; did you mean 'tanh_sum'?"),
    ("quick_gelu", "'quick_gelu' is a form, no command; write gelu forms quick_gelu"),
    ("error tanh:c=0", "write --form tanh:c=0"),
]


def test_a_word_too_many_is_told_where_it_belongs():
    assert_all_refused(cases=UNEXPECTED)


def test_a_file_in_the_place_of_a_point_is_told_its_option(folder):
    (folder / "my points.csv").write_text("x\n1\n")
    for command in ("table", "error"):
        assert_refused(
            run_gelu(command, "my points.csv"),
            "'my points.csv' is a file, not a point; write --input 'my points.csv'",
        )


def test_an_option_at_the_end_without_its_value_is_named():
    assert_refused(
        run_gelu("table", "1", "--form"), "--form needs a value; write --form F[:PARAM=VALUE]"
    )


OUT_OF_BOUNDS = [
    (f"table {HUGE}", f"exponent of '{HUGE}' is beyond"),
    (f"table 0x1p{HUGE[2:]}", "exponent of '0x1p"),
    (f"variance --sigma {HUGE}", f"--sigma: the exponent of '{HUGE}' is beyond"),
    ("table " + "1" * 5000, "4000 characters"),
]


def test_a_number_out_of_bounds_is_not_called_no_number():
    assert_all_refused(cases=OUT_OF_BOUNDS)
    figure = f"x,exact\n1,{HUGE}\n".encode()
    answers = [run_gelu(*line.split()) for line, _ in OUT_OF_BOUNDS]
    answers.append(run_gelu("check", "-", stdin=figure))
    assert "exponent of" in answers[-1].err
    assert not any("not a number" in answer.err for answer in answers)


@pytest.mark.parametrize("line", ["variance --sigma abc", "table 1 -d abc", "sweep --max-ulp abc"])
def test_the_hint_for_an_option_offers_nothing_that_it_refuses(line):
    answer = run_gelu(*line.split())
    assert_refused(answer, f"{line.split()[-2].replace('-d', '--digits')}: 'abc' is not a number")
    for unfit in ("inf", "nan", " -3", "START"):
        assert unfit not in answer.err


# Messages


@pytest.mark.parametrize("word", ["1\x1b[31m", "\x00", "\x07", "1\x9b2"])
def test_what_would_steer_a_terminal_is_not_repeated_to_it(word):
    answer = run_gelu("table", "-", stdin=word.encode())
    assert_refused(answer, "line 1 of stdin")
    assert answer.err.rstrip("\n").isprintable()


def test_a_word_of_many_letters_is_not_repeated_in_full():
    assert len(run_gelu("table", "-", stdin=b"a" * 100_000).err) < 1000
