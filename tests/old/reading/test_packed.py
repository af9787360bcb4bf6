"""Tables and points that are packed by gzip, or in Parquet and Feather."""

import gzip
import io

import numpy as np
import pytest

from tests.old.cli.runner import assert_refused, gelu, run_gelu

pa = pytest.importorskip("pyarrow")
feather = pytest.importorskip("pyarrow.feather")
parquet = pytest.importorskip("pyarrow.parquet")

RELU = ["--form", "relu", "--quantity", "value"]
FIGURES = b"x,exact\n1,0.8413\n2,1.9545\n"


def test_what_gzip_packs_is_read_as_it_was(tmp_path):
    np.save(tmp_path / "a.npy", [1.0, -2.0])
    inputs = {"list": b"1 -2\n", "table": b"x,y\n1,2\n-2,3\n",
              "array": (tmp_path / "a.npy").read_bytes()}  # fmt: skip
    for name, data in inputs.items():
        path = tmp_path / f"{name}.gz"
        path.write_bytes(gzip.compress(data))
        of_file = gelu("table", "--input", path, *RELU, "-q").out
        assert of_file == gelu("table", "1", "-2", *RELU).out
        assert gelu("table", "-", *RELU, "-q", stdin=path.read_bytes()).out == of_file
    assert len(run_gelu("check", "-", stdin=gzip.compress(FIGURES)).rows) == 2


def test_a_packed_file_that_is_cut_or_broken_is_refused(tmp_path):
    packed = gzip.compress(b"".join(b"%d\n" % k for k in range(1000)))
    for data in (packed[:-20], packed[:4], packed[:30] + b"\0" * 20 + packed[50:]):
        (tmp_path / "a.gz").write_bytes(data)
        answer = run_gelu("table", "--input", tmp_path / "a.gz", *RELU)
        assert_refused(answer._replace(out=""), "cannot read")


@pytest.mark.parametrize("name", ["parquet", "feather"])
def test_a_table_that_arrow_has_is_read(tmp_path, name):
    columns = {"x": [1.0, None, 2.0], "exact": ["0.8413", "1", "1.9545"], "n": [1, 2, 3]}
    path, written = tmp_path / f"a.{name}", io.BytesIO()
    (parquet.write_table if name == "parquet" else feather.write_feather)(
        pa.table(columns), written
    )
    path.write_bytes(written.getvalue())
    assert_refused(run_gelu("table", "--input", path, *RELU, "-q"), "row 2 of", "no number")
    answer = run_gelu("table", "--input", path, *RELU, "--skip-unreadable")
    assert answer.floats("x") == [1, 2]
    assert "1 cell cannot be read and is left out: row 2 of" in answer.err
    assert gelu("table", "-", *RELU, "--column", "n", stdin=path.read_bytes()).floats("x") == [
        1, 2, 3,
    ]  # fmt: skip
    answer = run_gelu("check", path, "--skip-unreadable")
    assert [row["verdict"] for row in answer.rows] == ["right", "right"]


def test_what_gelu_writes_as_parquet_it_reads(tmp_path):
    path = tmp_path / "a.parquet"
    words = ["--form", "tanh", "--dtype", "bfloat16", "--bits"]
    gelu("table", "-3", "0.1", "inf", *words, "-o", path)
    again = gelu("table", "--input", path, *words).out
    assert again == gelu("table", "-3", "0.1", "inf", *words).out
    summary = run_gelu("check", path, "--dtype", "bfloat16", "--view", "summary").rows
    assert {(row["inputs"], row["misrounded"]) for row in summary} == {("3", "0")}


def test_a_broken_parquet_file_is_refused(tmp_path):
    for data in (b"PAR1", b"PAR1" + bytes(40) + b"PAR1", b"ARROW1\0\0" + bytes(30)):
        (tmp_path / "a.parquet").write_bytes(data)
        assert_refused(run_gelu("check", tmp_path / "a.parquet"), "a.parquet")


def test_a_damaged_file_is_told_in_our_words(tmp_path):
    table, written = pa.table({"x": [1.0] * 100}), io.BytesIO()
    parquet.write_table(table, written)
    packed = gzip.compress(b"1\n2\n" * 999)
    for data, kind in (
        (packed[:-20], "gzip"), (packed[:5], "gzip"), (b"\x1f\x8b\x09" + bytes(20), "gzip"),
        (written.getvalue()[:-20], "Parquet"),
        (written.getvalue()[:20] + b"\xff" * 20 + written.getvalue()[40:], "Parquet"),
    ):  # fmt: skip
        (tmp_path / "a.dat").write_bytes(data)
        for name, words in (("a.dat", ["--input", tmp_path / "a.dat"]), ("stdin", ["-"])):
            answer = run_gelu("table", *words, *RELU, stdin=data)
            assert answer.code == 2
            assert answer.err.startswith("gelu: cannot read ")
            assert f"{name}" in answer.err
            assert f"{kind}" in answer.err
            assert answer.err.endswith(" damaged or cut off; " + answer.err.split("; ")[-1])
