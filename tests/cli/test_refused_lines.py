"""What cannot be meant: one line that names it, exit 2, and nothing written anywhere."""

import io
import pickle

import numpy as np
import pytest

from gelu_cli.arithmetic.formats import FORMATS
from tests.cli.runner import assert_refused, run_gelu

OLD = "the old file\n"


@pytest.fixture
def folder(tmp_path, monkeypatch):
    """A working directory with input that is good and bad."""
    monkeypatch.chdir(tmp_path)
    whole, archive = io.BytesIO(), io.BytesIO()
    np.save(whole, np.arange(9.0))
    np.savez(archive, x=np.arange(9.0))
    files = {
        "old.csv": OLD.encode(),
        "good.csv": b"x,y\n1,2\n",
        "bad.csv": b"x,y\n1,2\noops,3\n",
        "short.csv": b"y,x\n1\n",
        "words.txt": b"1 2\nthree 4\n",
        "empty.txt": b"",
        "blank.txt": b" \n,\n\n",
        "binary.txt": bytes(range(128, 256)),
        "latin1.csv": "x,größe\n1,2\n".encode("latin-1"),
        "utf16.txt": "1 2 3".encode("utf-16"),
        "truncated.npy": whole.getvalue()[:-3],
        "headless.npy": whole.getvalue()[:20],
        "empty.npy": b"",
        "text.npy": b"1 2 3\n",
        "pickle.npy": pickle.dumps([1, 2]),
        "archive.npy": archive.getvalue(),
    }
    for name, content in files.items():
        (tmp_path / name).write_bytes(content)
    np.save("strings.npy", np.array(["1", "2"]))
    np.save("objects.npy", np.array([1, None], dtype=object))
    np.save("complex.npy", np.array([1j]))
    np.save("none.npy", np.array([]))
    np.save("records.npy", np.zeros(2, dtype=[("x", "f8")]))
    (tmp_path / "folder").mkdir()
    return tmp_path


WIDE = [name for name, each in FORMATS.items() if each.width > 16]

# The command line, and what its message must name.
POINTS = [
    ("table oops", "'oops'"),
    ("table 1 2 0..5 3", "'0..5'"),
    ("table 1_", "'1_'"),
    ("table 1/0", "'1/0' divides by zero"),
    ("table 1e400", "'1e400' is beyond float64"),
    ("table 1e99999", "'1e99999'"),
    ("table 1:2", "'1:2'"),
    ("table 1:2:0", "step of '1:2:0' is 0"),
    ("table 1:2:-1", "'1:2:-1'"),
    ("table 2:-1:1", "'2:-1:1'"),
    ("table -3 0:1e9:1", "1,000,000,001 points"),
    ("table 0:1:1e-9999", "exponent of '1e-9999'"),
    ("table 0:1:1e-999", "over 10^18 points"),
    ("table 0:1:/1", "'0:1:/1'"),
    ("table 0:inf:1", "'0:inf:1'"),
    ("table 0:1e400:/2", "beyond float64"),
    ("table", "no points"),
    ("table - 1", "'-' reads all points from stdin"),
    ("table -3 -", "'-' reads all points from stdin"),
    ("table - -", "'-' reads all points from stdin"),
]
OPTIONS = [
    ("table 1 --form tnah", "'tnah'; did you mean 'tanh'?"),
    ("table 1 --form TANH", "'TANH'; did you mean 'tanh'?"),
    ("table 1 --form tanh,relu", "'tanh,relu'"),
    ("table 1 --form=", "form ''"),
    ("table --nosuch", "No such option: --nosuch; see gelu table --help"),
    ("help", "No such command 'help'; see gelu --help"),
    ("table 1 --dtype float8", "did you mean 'float8_e4m3fn' or 'float8_e5m2'?"),
    ("sweep --compute foo", "--compute: unknown dtype 'foo'"),
    ("error --target foo", "--target: unknown form 'foo'"),
    ("error --view foo", "choose from summary, regions, points"),
    ("variance --mean 0x1p4000", "--mean"),
    ("table 1 --form tanh:c=0x1p4000", "'c=0x1p4000' is out of bounds"),
    ("table 1 --form tanh:c=nan", "'c=nan' is no number"),
    ("sweep --impl math:erf.nosuch", "'math:erf.nosuch' names no function, nothing has 'nosuch'"),
    ("sweep --impl math:nosuch", "unknown name 'nosuch' in 'math'"),
    ("check a.csv --ftz", "--ftz is for results in a format: add --dtype FORMAT"),
    ("check a.csv --max-ulp 1", "--max-ulp is for results in a format: add --dtype FORMAT"),
    ("check a.csv -f svg", "a picture is for results in a format: add --dtype FORMAT"),
    ("table 1 --form sigmoid:betta=1", "'betta' of 'sigmoid'; did you mean 'beta'?"),
    ("table 1 --form sigmoid:beta", "'sigmoid:beta'"),
    ("table 1 --form sigmoid:", "'sigmoid:'"),
    ("table 1 --form sigmoid:beta=", "''"),
    ("table 1 --form sigmoid:beta=big", "'big'"),
    ("table 1 --form sigmoid:beta=1/0", "'1/0'"),
    ("table 1 --form sigmoid:beta=1_", "'1_'"),
    ("table 1 --form sigmoid:beta=nan", "beta=nan"),
    ("table 1 --form sigmoid:beta=inf", "beta=inf"),
    ("table 1 --form sigmoid:beta=1e301", "beta=1e301"),
    ("table 1 --form relu:beta=1", "'relu' has no parameters"),
    ("table 1 --form noisy_relu:sigma=0", "sigma of 'noisy_relu'"),
    ("table 1 --form noisy_relu:sigma=-1", "sigma of 'noisy_relu'"),
    ("table 1 --show slope", "'slope'"),
    ("table 1 --show gradeint", "'gradeint'; did you mean 'gradient'?"),
    ("table 1 --show gate --form softplus", "'softplus' has no gate"),
    ("table 1 --format jsno", "'jsno'; did you mean 'json'?"),
    ("table 1 -f xml", "'xml'"),
    ("table 1 --dtype bfloat15", "'bfloat15'; did you mean 'bfloat16'?"),
    ("table 1 --dtype int8", "'int8'"),
    ("table 1 --bits", "--dtype"),
    ("table 1 --digits 0", "--digits 0"),
    ("table 1 --digits -1", "--digits -1"),
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
    ("table 1 --fromat json", "--fromat"),
    ("table 1 --no-haeder", "--no-header"),
    ("tabel 1", "'tabel'. Did you mean 'table'?"),
    ("--fromat", "--fromat"),
    ("forms 1", "1"),
    ("forms --format xml", "'xml'"),
    ("forms --digits 3", "--digits"),
]
INPUT = [
    ("table 1 --column x", "--column"),
    ("table 1 --input good.csv", "good.csv"),
    ("table - --input good.csv", "good.csv"),
    ("table --input missing.txt", "cannot read 'missing.txt': No such file"),
    ("table --input missing.npy", "cannot read 'missing.npy': No such file"),
    ("table --input folder", "cannot read 'folder'"),
    ("table --input empty.txt", "'empty.txt' holds no numbers"),
    ("table --input blank.txt", "'blank.txt' holds no numbers"),
    ("table --input words.txt", "line 2 of words.txt: 'three'"),
    ("table --input good.csv", "line 1 of good.csv: 'x'"),
    ("table --input good.csv --column z", "no column 'z'; it has: x, y"),
    ("table --input bad.csv --column x", "line 3 of bad.csv: 'oops'"),
    ("table --input short.csv --column x", "line 2 of short.csv"),
    ("table --input empty.txt --column x", "'empty.txt' holds no numbers"),
    ("table --input binary.txt", "binary.txt is not text"),
    ("table --input binary.txt --column x", "binary.txt is not text"),
    ("table --input latin1.csv --column x", "latin1.csv is not text"),
    ("table --input utf16.txt", "utf16.txt is not text"),
    ("table --input strings.npy", "'strings.npy'"),
    ("table --input objects.npy", "'objects.npy'"),
    ("table --input complex.npy", "'complex.npy' holds complex128"),
    ("table --input records.npy", "'records.npy'"),
    ("table --input truncated.npy", "'truncated.npy'"),
    ("table --input headless.npy", "'headless.npy'"),
    ("table --input empty.npy", "'empty.npy'"),
    ("table --input text.npy", "'text.npy'"),
    ("table --input pickle.npy", "'pickle.npy'"),
    ("table --input archive.npy", "'archive.npy'"),
    ("table --input none.npy", "'none.npy' holds no numbers"),
    ("table --input truncated.npy --column x", "--column"),
]
BAD = [*POINTS, *OPTIONS, *INPUT]
BAD_STDIN = [
    (b"", "stdin holds no numbers"),
    (b" \n\n", "stdin holds no numbers"),
    (b"1 oops 2\n", "line 1 of stdin: 'oops'"),
    (b"\x80\x81\n", "stdin is not text"),
    (b"1\n2\n" + b"\xff\xfe", "stdin is not text"),
]


@pytest.mark.usefixtures("folder")
@pytest.mark.parametrize(("line", "named"), BAD)
def test_it_is_refused_in_one_line_that_names_it(line, named):
    assert_refused(run_gelu(*line.split()), named)


def _written(folder):
    """Return what tells that a file was written; reading one changes its time of access."""
    stats = {path: path.stat() for path in folder.iterdir()}
    return {path: (stat.st_ino, stat.st_size, stat.st_mtime_ns) for path, stat in stats.items()}


@pytest.mark.parametrize(("line", "named"), [case for case in BAD if "table" in case[0]])
def test_no_file_is_written_or_touched(folder, line, named):
    before = _written(folder)
    assert_refused(run_gelu(*line.split(), "--output=old.csv"), named)
    assert _written(folder) == before
    assert (folder / "old.csv").read_text() == OLD


@pytest.mark.parametrize(("data", "named"), BAD_STDIN)
def test_stdin_that_is_no_list_of_numbers_is_refused(folder, data, named):
    assert_refused(run_gelu("table", "-", stdin=data), named)
    assert_refused(run_gelu("table", "-", "-o", "old.csv", stdin=data), named)
    assert (folder / "old.csv").read_text() == OLD


@pytest.mark.parametrize("data", [b"", b"y\n1\n", b"x\n", b"x\noops\n", b"x\n\xff\n", b"y,x\n1\n"])
def test_a_bad_column_on_stdin_is_refused(data):
    assert_refused(run_gelu("table", "-", "--column", "x", stdin=data), "stdin")


@pytest.mark.parametrize("name", ["folder", ".", "folder/"])
def test_a_directory_is_no_output(folder, name):
    assert_refused(run_gelu("table", "1", "--output", name), f"'{name}' is a directory")
    assert not list((folder / "folder").iterdir())


def test_an_output_without_a_name_is_not_called_a_directory():
    answer = run_gelu("table", "1", "--output", "")
    assert_refused(answer, "--output")
    assert "is a directory" not in answer.err


@pytest.mark.parametrize("word", ["1\x1b[31m", "\x00", "\x07", "1\x9b2"])
def test_what_would_steer_a_terminal_is_not_repeated_to_it(word):
    answer = run_gelu("table", "-", stdin=word.encode())
    assert_refused(answer, "line 1 of stdin")
    assert answer.err.rstrip("\n").isprintable()


def test_a_word_of_a_thousand_letters_is_not_repeated_in_full():
    assert len(run_gelu("table", "-", stdin=b"a" * 100_000).err) < 1000


def test_an_option_at_the_end_without_its_value_is_named():
    assert_refused(run_gelu("table", "1", "--form"), "'--form' requires an argument; see")


def test_a_number_too_large_for_float64_is_one_that_more_digits_can_hold():
    assert run_gelu("table", "1e400", "--form", "relu", "--digits", "18").code == 0
