"""Records are read back: views, pictures and limits are those of the sweep; others are refused."""

import json
import re
from io import BufferedReader, BytesIO
from pathlib import Path
from unittest import mock

import pytest

import gelu_cli
from gelu_cli.old.reading.records import read_record
from gelu_cli.old.sweeping import records
from gelu_cli.old.sweeping.metrics import METRICS
from tests.old.cli.runner import Terminal, assert_all_refused, assert_refused, gelu, run_gelu
from tests.old.reading.test_layouts import in_pieces

KERNEL = """
import numpy as np

def relu(x):
    return np.maximum(x, 0)

def tanh_like(x):
    y = (0.5 * x.astype(np.float64) * (1 + np.tanh(0.8 * x.astype(np.float64)))).astype(np.float16)
    return np.where(x == 3, np.nan, y).astype(np.float16)

def product(gate, up):
    return np.where(gate == 1, np.nan, np.maximum(gate, 0) * up * up).astype(gate.dtype)

def ragged(x):
    return (np.maximum(x, 0) * np.asarray(2 if len(x) == 3 else 1, x.dtype)).astype(x.dtype)
"""
KERNEL_NAME = "kernel.py:tanh_like"
SWEEPS = {
    "kernel": "kernel.py:tanh_like --dtype float16 --range -4:4 --form tanh",
    "pairs": "kernel.py:product --glu --dtype float8_e5m2 --form relu --range=-2:2 --up=0.5,1,-3",
    "routines": "erfc erf_sum --range 0.5:0.6 --samples 300 --worst 4",
    "gradients": "tanh_sum --dtype float8_e4m3fn --quantity gradient --range -2:2 --ftz",
    "shapes": "kernel.py:ragged --dtype float8_e5m2 --range 1:8 --shapes --form relu",
}


@pytest.fixture(autouse=True)
def work(recorded, monkeypatch):
    monkeypatch.chdir(recorded)


@pytest.fixture(scope="module")
def recorded(tmp_path_factory):
    folder = tmp_path_factory.mktemp("records")
    (folder / "kernel.py").write_text(KERNEL)
    with pytest.MonkeyPatch.context() as patch:
        patch.chdir(folder)
        for name, words in SWEEPS.items():
            assert run_gelu("sweep", *words.split(), "-q", "-o", f"{name}.json").code == 0
    return folder


def changed(change, name="kernel"):
    """Write a record that has been changed, and return the name of its file."""
    record = json.loads(Path(f"{name}.json").read_text(encoding="utf-8"))
    record = change(record) or record
    Path("changed.json").write_text(json.dumps(record), encoding="utf-8")
    return "changed.json"


GONE = object()


def having(value, *path):
    """Return a change of a record: another value at a place, or none."""

    def change(record):
        for name in path[:-1]:
            record = record[name]
        if value is GONE:
            del record[path[-1]]
        else:
            record[path[-1]] = value

    return change


def without(*path):
    return having(GONE, *path)


@pytest.mark.parametrize("name", ["pairs", "routines", "gradients", "shapes"])
def test_all_views_are_those_of_the_sweep(name):
    """A terminal shows all of them that are asked for, and csv has all rows and digits."""
    line = SWEEPS[name].split()
    csv = ["--view", "shapes" if name == "shapes" else "worst", "-f", "csv"]
    terminal = ["--view", "all" if name != "shapes" else "summary"]
    for words, settings in ((terminal, {"stdout": Terminal}), (csv, {})):
        swept = run_gelu("sweep", *line, "-q", *words, **settings).out
        assert run_gelu("check", f"{name}.json", "-q", *words, **settings).out == swept


@pytest.mark.parametrize("name", ["kernel", "pairs", "routines"])
def test_its_picture_is_that_of_the_sweep(name):
    line = [word for word in SWEEPS[name].split() if word not in ("--worst", "4")]
    swept = run_gelu("sweep", *line, "-q", "--view", "plot").out
    assert gelu("plot", f"{name}.json").out == swept
    assert run_gelu("check", f"{name}.json", "-q", "--view", "plot").out == swept


def test_stdin_is_read_as_well():
    for command in (["check", "-q"], ["plot"]):
        stdin = BufferedReader(BytesIO(Path("kernel.json").read_bytes()))
        assert gelu(*command, "-", stdin=stdin).out == gelu(*command, "kernel.json").out


def test_a_record_that_comes_in_pieces_is_one():
    text = Path("kernel.json").read_text(encoding="utf-8")
    answer = run_gelu("check", "-q", "-", stdin=in_pieces(text, 1000))
    assert answer.out == gelu("check", "-q", "kernel.json").out


def test_a_file_is_a_record_in_whatever_order_its_fields_are():
    """As other tools may write it again."""
    fields = json.loads(Path("kernel.json").read_text(encoding="utf-8"))
    Path("sorted.json").write_text(json.dumps(dict(sorted(fields.items()))), encoding="utf-8")
    assert gelu("check", "-q", "sorted.json").out == gelu("check", "-q", "kernel.json").out


def test_a_record_of_a_record_is_the_same():
    for name in SWEEPS:
        gelu("check", f"{name}.json", "-q", "-o", "again.json")
        assert Path("again.json").read_bytes() == Path(f"{name}.json").read_bytes()


@pytest.mark.parametrize("name", SWEEPS)
def test_limits_are_judged_as_the_sweep_judges_them(name):
    """So are results in other surroundings: they exceed a limit that the usual ones keep."""
    judged = ["-q", "-f", "csv", "--max-ulp", "0.4"]
    line = [word for word in SWEEPS[name].split() if word not in ("--worst", "4")]
    swept = run_gelu("sweep", *line, *judged)
    read = run_gelu("check", f"{name}.json", *judged)
    assert (read.code, read.err) == (swept.code, swept.err)
    assert (read.code, "see --view shapes" in read.err) == (1, name == "shapes")
    fails = name in ("kernel", "pairs")  # which have a wrong NaN
    assert run_gelu("check", f"{name}.json", "-q", "--max-ulp", "100000").code == fails


LOWER_BOUND = "--max-ulp {} holds for the 300 inputs judged; others may have larger errors"


def test_a_limit_that_a_sample_keeps_is_said_to_hold_for_it_alone():
    said = run_gelu("check", "routines.json", "--max-ulp", "90").err
    assert said.count(LOWER_BOUND.format(90)) == 2
    page = run_gelu("check", "routines.json", "-q", "--max-ulp", "90", "-f", "github").out
    assert page.count(f"::notice title=gelu::erfc: {LOWER_BOUND.format(90)}") == 1


def test_limits_replace_what_others_said():
    line = [*SWEEPS["routines"].split(), "--max-ulp", "90"]
    assert run_gelu("sweep", *line, "-q", "-o", "judged.json").code == 0
    assert run_gelu("check", "judged.json").err.count(LOWER_BOUND.format(90)) == 2
    judged = run_gelu("check", "judged.json", "--max-ulp", "0.4", "-f", "github")
    assert (judged.code, judged.out.count("::error title=")) == (1, 2)
    assert "holds for" not in judged.out + judged.err


@pytest.mark.parametrize(
    ("name", "fragment"),
    [
        ("gradients", "::warning file=b.toml,line=3,title=tanh_sum%3A a known failure"),
        ("routines", "the bounds of b.toml hold for the 300 inputs judged"),
    ],
)
def test_a_budget_says_in_a_document_what_it_says_of_the_sweep(name, fragment):
    Path("b.toml").write_text('[[bound]]\nrange = "0.5:1"\nover_1_ulp = 999\nreason = "once"\n')
    judged = ["-q", "-f", "github", "--budget", "b.toml"]
    swept = run_gelu("sweep", *SWEEPS[name].split(), *judged).out
    read = run_gelu("check", f"{name}.json", *judged).out
    assert read == swept.replace("; --all takes every float32", "")
    assert fragment in read


def test_findings_may_have_more_fields():
    def more(record):
        record["findings"] = [
            {"kernel": "k", "limit": "max_ulp ≤ 1", "holds": False, "said": "k: 2 ULP", "file": "",
             "line": 0, "warns": False, "broken": False, "later": [1]}
        ]  # fmt: skip

    page = run_gelu("check", changed(more), "-q", "-f", "github").out
    assert "::error title=k%3A max_ulp ≤ 1::k: 2 ULP\n" in page


def test_a_limit_is_exact():
    """The largest error is exceeded by nothing, not even by its own digits."""
    record = json.loads(Path("gradients.json").read_text(encoding="utf-8"))
    (error,) = [v.worst[0].ulp for v in read_record("gradients.json").verdicts]
    assert float(error) == record["views"]["summary"][0]["max_ulp"]
    below, above = f"{error.numerator - 1}/{error.denominator}", str(error)
    assert run_gelu("check", "gradients.json", "-q", "--max-ulp", above).code == 0
    assert run_gelu("check", "gradients.json", "-q", "--max-ulp", below).code == 1


def test_what_it_tells_of_verdicts():
    (verdict,) = read_record("kernel.json").verdicts
    (row,) = json.loads(Path("kernel.json").read_text(encoding="utf-8"))["views"]["summary"]
    counts = {name: count for name, count in verdict.total.counts.items() if name in row}
    assert {metric.name: row[metric.name] for metric in METRICS if metric.name in row} == counts
    assert [failure.x for failure in verdict.failures] == [3.0]
    assert verdict.total.judged == verdict.total.inputs - 1


def test_each_row_is_looked_at_once_however_many_kernels_there_are(monkeypatch):
    def many(record):
        kernels, views = record["question"]["kernels"], record["views"]
        record["question"]["kernels"] = [{**kernels[0], "name": f"k{i}"} for i in range(50)]
        for name, rows in views.items():
            views[name] = [{**row, "routine": f"k{i}"} for i in range(50) for row in rows[:2]]

    name = changed(many)
    kernel_of = mock.Mock(wraps=records.kernel_of)
    monkeypatch.setattr(records, "kernel_of", kernel_of)
    read = read_record(name)
    assert len(read.verdicts) == 50
    assert kernel_of.call_count == sum(map(len, read.views.values()))


def test_other_views_and_fields_are_kept():
    def more(record):
        record["views"]["criteria"] = [{"routine": "kernel", "pcc": 0.9999, "holds": "inf"}]
        record["later"] = {"anything": [1, 2]}

    name = changed(more)
    assert run_gelu("check", name, "-q", "--view", "summary").code == 0
    gelu("check", name, "-q", "-o", "again.json")
    views = json.loads(Path("again.json").read_text(encoding="utf-8"))["views"]
    assert views["criteria"] == [{"routine": "kernel", "pcc": 0.9999, "holds": "inf"}]


def test_a_kernel_may_be_called_like_a_number():
    name = changed(lambda record: json.loads(json.dumps(record).replace(KERNEL_NAME, "nan")))
    assert gelu("check", name, "-q").rows[0]["routine"] == "nan"


REFUSED = [
    (without("schema"), "no record", "'schema'"),
    (having(2, "schema"), f"gelu {gelu_cli.__version__}", "upgrade"),
    (having(0, "schema"), "schema must be"),
    (without("question"), "question is missing"),
    (having("float128", "question", "dtype"), "question.dtype", "float128"),
    (having("tnah", "question", "kernels", 0, "target"), "kernels[0].target", "did you mean"),
    (having("curvature", "question", "kernels", 0, "quantity"), "kernels[0].quantity"),
    (having([], "question", "kernels"), "question.kernels must be"),
    (having(None, "question", "upstream"), "question.upstream must be a finite number, not None"),
    (having({}, "views", "worst"), "views.worst must be an array, not an object"),
    (having(["x"], "views", "worst"), "views.worst[0] must be an object"),
    (having("0xzz", "views", "worst", 1, "got_bits"), "views.worst[1].got_bits must be a bit"),
    (without("views", "summary", 0, "inputs"), "views.summary[0].inputs is missing"),
    (without("views", "summary"), "views.summary is missing"),
    (having([], "views", "summary"), "views.summary must be an array with items"),
    (having("other", "views", "summary", 0, "routine"), "views.summary has no row of 'kernel.py:"),
    (having("inf", "views", "summary", 0, "max_ulp"), "views.summary[0].max_ulp must be a finite"),
    (having(10**18, "views", "summary", 0, "inputs"), "views.summary[0].inputs must be a whole"),
    (without("views", "summary", 0, "wrong_nan"), "views.summary[0].wrong_nan is missing"),
    (having(3.0, "views", "regions", 0, "low"), "views.regions[0] must be a region of float16"),
    (having("0x7e00", "views", "worst", 1, "got_bits"), "views.worst[1].ulp must be null"),
    (having("0x7e", "views", "worst", 1, "x_bits"), "views.worst[1].x_bits must be a bit pattern"),
    (without("views", "worst", 1, "got_bits"), "views.worst[1].got_bits is missing"),
    (having(-1, "views", "worst", 1, "ulp"), "views.worst[1].ulp must be a finite number from 0"),
    (having("nan", "views", "plot", 0, "max_ulp"), "views.plot[0].max_ulp must be a number from 0"),
    (having(True, "views", "worst", 0, "x"), "views.worst[0].x must be text, a number or null"),
    (having([{}], "findings"), "findings[0].kernel is missing"),
    (having("no", "notes"), "notes must be an array"),
    (having([1], "made", "kernels"), "made.kernels[0] must be an object, not 1"),
]


@pytest.mark.parametrize(("change", "fragments"), [(each, rest) for each, *rest in REFUSED])
def test_what_is_no_whole_record_is_refused_by_its_path(change, fragments):
    name = changed(change)
    assert_refused(run_gelu("check", name, "-o", "never.json"), name, *fragments)
    assert not Path("never.json").exists()


NO_RECORDS = {
    "empty": (b"", "it is empty"),
    "text": (b"x,exact\n1,2\n", "it is no JSON"),
    "half": (b'{"schema": 1, "views"', "it is no JSON"),
    "bytes": (b"\xff\xfe\x00", "it is no JSON"),
    "not a number": (b'{"schema": NaN}', "it is no JSON"),
    "a table": (b'[{"routine": "erfc"}]', "is a table, as -f json writes it"),
    "a number": (b"12", "no record"),
    "deep": (b'{"schema":' * 300 + b"1" + b"}" * 300, "deep"),
    "very deep": (b"[" * 200_000 + b"]" * 200_000, "no record"),
    "a huge number": (b'{"schema": 1' + b"0" * 5000 + b"}", "it is no JSON"),
}


@pytest.mark.parametrize("name", NO_RECORDS)
def test_other_files_are_refused_in_one_line(name):
    content, fragment = NO_RECORDS[name]
    Path("other.json").write_bytes(content)
    cases = [("other.json", "other.json", fragment)]
    assert_all_refused("plot", cases=cases)
    if not content.startswith(b"["):  # no record, but it could be a table
        assert_all_refused("check", cases=cases)


def test_a_file_that_is_too_large_is_refused(monkeypatch):
    monkeypatch.setattr("gelu_cli.old.reading.records.MOST_BYTES", 1000)
    assert_all_refused("check", cases=[("kernel.json", "it has more than")])


def test_a_view_without_rows_is_a_table_without_rows():
    """Nothing depends on the surroundings: the good case, on a page and in a table."""
    line = [
        "sweep",
        "kernel.py:relu",
        "--dtype",
        "float8_e5m2",
        "--range=1:2",
        "--shapes",
        "-q",
    ]
    gelu(*line, "-o", "good.json")
    assert gelu("check", "good.json", "-q", "--view", "shapes").out == (
        "routine,x,x_bits,shape,got,got_bits,usual_bits\n"
    )
    for suffix in ("html", "xml"):
        gelu("check", "good.json", "-q", "-o", f"good.{suffix}")
    assert "Results that depend on the surroundings" in Path("good.html").read_text()
    empty = changed(having([], "views", "criteria"), "good")
    assert gelu("check", empty, "-q", "-o", "good.html").out == ""


def test_a_record_with_few_digits_is_judged_by_region():
    """Ends of regions have as many digits as the other figures, and are known by these."""
    gelu("sweep", *SWEEPS["kernel"].split(), "-q", "--digits", "6", "-o", "digits.json")
    Path("b.toml").write_text('[[bound]]\nrange = "-4:-2"\nover_1_ulp = 0\n')
    judged = [run_gelu("check", f"{name}.json", "-q", "--budget", "b.toml").err
              for name in ("kernel", "digits")]  # fmt: skip
    assert judged[0] == judged[1] != ""


def test_a_comparison_is_judged_by_its_largest_errors():
    """In its rows are two kernels, a and b."""
    line = ["compare", "kernel.py:relu", "kernel.py:ragged", "--dtype", "float8_e5m2", "-q"]
    compared = run_gelu(*line, "--range=-4:-2", "--max-ulp", "7.9", "-o", "compared.json")
    read = run_gelu("check", "compared.json", "-q", "--max-ulp", "7.9")
    assert (read.code, read.err) == (compared.code, compared.err)
    assert read.code == 1
    assert run_gelu("check", "compared.json", "-q", "--max-ulp", "8").code == 0


OTHERS = [
    "--wrong", "--dtype float16", "--all", "--inputs x.bin", "--result float16", "--form tanh",
    "--quantity value", "--ftz", "--worst 3",
]  # fmt: skip


def test_options_that_a_record_does_not_use_are_refused():
    cases = [(f"kernel.json {option}", option.partition(" ")[0]) for option in OTHERS]
    cases += [
        ("kernel.json --digits 18", "--digits 18"),
        ("kernel.json --view shapes", "summary, regions, histogram, worst"),
        ("kernel.json --view histogram --digits 3", "--digits"),
        ("kernel.json -f record --no-header", "--no-header"),
    ]
    assert_all_refused("check", cases=cases)
    drawn = ["--form tanh", "--quantity value", "--error absolute", "--target tanh", "--range 1:2"]
    cases = [(f"kernel.json {option}", option.partition(" ")[0]) for option in drawn]
    assert_all_refused("plot", cases=[*cases, ("tanh", "write --form tanh")])


def test_a_record_without_steps_has_no_picture():
    assert_all_refused("plot", cases=[(changed(having([], "views", "plot")), "no picture")])


def test_notes_are_told_again():
    notes = json.loads(Path("shapes.json").read_text(encoding="utf-8"))["notes"]
    said = run_gelu("check", "shapes.json").err
    assert notes
    assert all(re.search(re.escape(note[:40]), said) for note in notes)
