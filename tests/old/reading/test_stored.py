"""Numbers of a format as programs store them, read a block at a time."""

import tracemalloc

import numpy as np
import pytest

from gelu_cli.errors import UsageError
from gelu_cli.old.arithmetic.formats import FORMATS
from gelu_cli.old.reading.result_files import ResultFile, read_columns, stored_numbers
from gelu_cli.old.reading.results import Due
from gelu_cli.old.sweeping.sorted_results import SpillFile
from tests.old.cli.runner import gelu

FLOAT16 = FORMATS["float16"]
FLOAT64 = FORMATS["float64"]


def read(path, number_format, size=1 << 12):
    with path.open("rb") as stream:
        return [*stored_numbers(stream, str(path), number_format, size).blocks]


@pytest.mark.parametrize("order", "<>")
@pytest.mark.parametrize("kind", ["u2", "i2", "f2", "f4", "f8"])
def test_numbers_are_read_in_both_byte_orders(tmp_path, order, kind):
    patterns = np.arange(1 << 16, dtype=np.uint16)
    numbers = patterns.view(np.float16)  # numpy's
    array = numbers if kind[0] == "f" else patterns.view(kind)
    for shaped in (array, np.asfortranarray(array.reshape(256, 256))):
        np.save(tmp_path / "a.npy", shaped.astype(order + kind))
        found = np.concatenate(read(tmp_path / "a.npy", FLOAT16))
        assert np.array_equal(found, numbers, equal_nan=True)


@pytest.mark.parametrize("dtype", FORMATS)
def test_raw_numbers_of_any_count_are_read_in_blocks(tmp_path, dtype):
    number_format = FORMATS[dtype]
    size = number_format.width // 8
    for count in (0, 1, 2, 7, 8, 9):
        (tmp_path / "a").write_bytes(bytes(size) * count)
        blocks = read(tmp_path / "a", number_format, size=8)
        assert [len(block) for block in blocks] == [n for n in (min(count, 8), count - 8) if n > 0]


def test_a_float_that_the_format_does_not_have_is_named_with_its_place(tmp_path):
    numbers = np.zeros(20_000)
    numbers[12_345] = 0.1
    np.save(tmp_path / "a.npy", numbers)
    with pytest.raises(UsageError, match=r"a\.npy': 0\.1, number 12346, is no float16"):
        read(tmp_path / "a.npy", FLOAT16)


def test_whole_results_are_read_from_stdin_raw_or_as_an_array(tmp_path):
    bits = np.arange(256, dtype=np.uint8)
    np.save(tmp_path / "a.npy", bits)
    words = ["check", "-", "--all", "--dtype", "float8_e5m2", "--form", "relu"]
    answers = [
        gelu(*words, stdin=data).out for data in (bits.tobytes(), (tmp_path / "a.npy").read_bytes())
    ]
    assert answers[0] == answers[1]


@pytest.mark.parametrize("count", [400_000, 2_400_000])
def test_results_are_never_all_in_memory(tmp_path, count):
    path = tmp_path / "a.bin"
    np.arange(count, dtype=float).tofile(path)
    read(path, FLOAT64)  # and what is imported for that
    tracemalloc.start()
    with SpillFile() as spill:
        results = read_columns(
            ResultFile(str(path), inputs=str(path)), Due(FLOAT64, FLOAT64, str, spill)
        )[0].results
        assert len(results) == count
        assert all((x == got).all() for x, got in results.blocks(1 << 16))
    peak = tracemalloc.get_traced_memory()[1]
    tracemalloc.stop()
    assert peak < 30e6  # those of the larger file take 38e6 bytes
