"""Input that cannot be meant: files and streams of the wrong kind, or with a wrong word."""

import io
import pickle

import numpy as np
import pytest

from tests.old.cli.runner import assert_all_refused, assert_refused, refusal, run_gelu

OLD = b"the old file\n"


@pytest.fixture
def inputs(folder):
    """A working directory with input that is good and bad."""
    archive = io.BytesIO()
    np.savez(archive, x=np.arange(9.0))
    files = {
        "old.csv": OLD,
        "good.csv": b"x,y\n1,2\n",
        "other.csv": b"a,b\n1,2\n",
        "name.csv": b"a\n1\n",
        "bad.csv": b"x,y\n1,2\noops,3\n",
        "short.csv": b"y,x\n1\n",
        "words.txt": b"1 2\nthree 4\n",
        "empty.txt": b"",
        "blank.txt": b" \n,\n\n",
        "binary.txt": bytes(range(128, 256)),
        "latin1.csv": "x,größe\n1,2\n".encode("latin-1"),
        "utf16.txt": "1 2 3".encode("utf-16"),
        "empty.npy": b"",
        "text.npy": b"1 2 3\n",
        "pickle.npy": pickle.dumps([1, 2]),
        "archive.npy": archive.getvalue(),
    }
    for name, content in files.items():
        (folder / name).write_bytes(content)
    np.save("none.npy", np.array([]))
    (folder / "folder").mkdir()
    np.save("results.npy", np.zeros(256, np.float16))
    (folder / "results.dat").write_bytes((folder / "results.npy").read_bytes())
    (folder / "utf16.csv").write_bytes("x,exact\n1,0.8\n".encode("utf-16"))
    return folder


INPUT = [
    ("table 1 --column x", "--column"),
    ("table 1 --input good.csv", "good.csv"),
    ("table - --input good.csv", "good.csv"),
    ("table --input missing.txt", "cannot read 'missing.txt': No such file"),
    ("table --input missing.npy", "cannot read 'missing.npy': No such file"),
    ("table --input folder", "cannot read 'folder'"),
    ("table --input empty.txt", "'empty.txt' holds no numbers"),
    ("table --input blank.txt", "'blank.txt' holds no numbers"),
    ("table --input=", "cannot read '': that is no name of a file"),
    ("table --input words.txt", "line 2 of words.txt: 'three'"),
    ("table --input other.csv", "other.csv has no column 'x'; it has: a, b", "--column NAME"),
    ("table --input good.csv --column z", "no column 'z'; it has: x, y"),
    ("table --input bad.csv --column x", "line 3 of bad.csv: 'oops'"),
    ("table --input short.csv --column x", "line 2 of short.csv"),
    ("table --input empty.txt --column x", "'empty.txt' holds no numbers"),
    ("table --input binary.txt", "binary.txt is not text"),
    ("table --input binary.txt --column x", "binary.txt is not text"),
    ("table --input latin1.csv --column x", "latin1.csv is not text"),
    ("table --input utf16.txt", "utf16.txt is not text"),
    ("table --input empty.npy", "'empty.npy'"),
    ("table --input text.npy", "'text.npy'"),
    ("table --input pickle.npy", "'pickle.npy'"),
    ("table --input archive.npy", "'archive.npy'"),
    ("table --input none.npy", "'none.npy' holds no numbers"),
    ("table --input none.npy --column x", "--column"),
]


def test_a_file_that_cannot_be_meant_is_refused_in_one_line_that_names_it(inputs):
    assert_all_refused(cases=[(f"{line} --output=old.csv", *named) for line, *named in INPUT])
    assert (inputs / "old.csv").read_bytes() == OLD


OTHER_KINDS = [
    ("check results.npy", "results.npy is a .npy file", "--input", "gelu check --dtype"),
    ("plot --points results.dat", "results.dat is a .npy file"),
    ("check utf16.csv", "utf16.csv is not text in UTF-8"),
    ("table --input name.csv", "line 1 of name.csv: 'a' is not a number", "--column NAME"),
    ("table --input words.txt", "line 2 of words.txt: 'three' is not a number"),
]


@pytest.mark.usefixtures("inputs")
def test_a_file_of_another_kind_is_told_from_a_broken_one():
    assert_all_refused(cases=OTHER_KINDS)
    for line, *_ in OTHER_KINDS:
        said = run_gelu(*line.split()).err
        assert (".npy" in said) == ("results" in line)
        assert ("--column" in said) == ("name" in line)


BAD_STDIN = [
    (b" \n\n", "stdin holds no numbers"),
    (b"1 oops 2\n", "line 1 of stdin: 'oops'"),
    (b"\x80\x81\n", "stdin is not text"),
    (b"1\n2\n" + b"\xff\xfe", "stdin is not text"),
    (b"\x89PNG\r\n\x1a\n\0\0\0\rIHDR", "not text"),
    (bytes(range(256)), "not text"),
    (b"1\0 2", "not a number"),
    (b"1 " + b"9" * 1_000_000, ""),
    (b"1 " + b"x" * 1_000_000, "not a number"),
]


@pytest.mark.parametrize("many", [0, 1000])
def test_stdin_that_is_no_list_of_numbers_is_refused(inputs, many):
    """Alone, or after many good lines, when some of the answer may already be out."""
    for data, named in BAD_STDIN:
        if many and not data.strip():
            continue
        answer = run_gelu("table", "-", stdin=b"1\n" * many + data)
        assert answer.code == 2
        assert len(answer.err) < 1000
        assert not refusal(answer._replace(out=""), named.replace("line 1", f"line {many + 1}"))
        answer = run_gelu("table", "-", "-o", "old.csv", stdin=b"1\n" * many + data)
        assert not refusal(answer, named.replace("line 1", f"line {many + 1}"))
    assert (inputs / "old.csv").read_bytes() == OLD


@pytest.mark.parametrize("command", ["check", "check --dtype float32", "error"])
def test_a_table_that_is_no_text_is_refused(command):
    for data in (b"x,exact\n1,\xff\n", b"\0\0\0", bytes(range(256)), b"x,exact\n1\0,2\n"):
        assert_refused(run_gelu(*command.split(), "-", stdin=data))
