"""The SHA-256 of all results is that of the bytes, whoever computes them and in whatever parts."""

import hashlib
import json
import struct

import numpy as np
import pytest

from gelu_cli.old.arithmetic.formats import FORMATS
from gelu_cli.old.formulas import find_form
from gelu_cli.old.guests.calling import Calling
from gelu_cli.old.guests.python_functions import implementation_of
from gelu_cli.old.sweeping.checking import check_results
from gelu_cli.old.sweeping.implementations import Kernel, routine_implementation
from gelu_cli.old.sweeping.inputs import Inputs
from gelu_cli.old.sweeping.observers import BLOCK, Digests, little_endian
from gelu_cli.old.sweeping.routines import find_routine
from gelu_cli.old.sweeping.sweep import Sweep
from gelu_cli.old.sweeping.truth import Question
from tests.old.cli.runner import gelu
from tests.old.sweeping.slow_judge import patterns

LETTERS = {8: "B", 16: "H", 32: "I", 64: "Q"}


def swept(implementations, dtype, inputs=None, result=None, **settings):
    """The digests of some implementations, from one sweep."""
    formats = FORMATS[dtype], FORMATS[result or dtype]
    question = Question(find_form("exact"), "value", *formats)
    kernels = [Kernel(each, question) for each in implementations]
    digests = Digests(*formats)
    with Sweep(kernels, inputs or Inputs(), observers=[digests], **settings) as sweep:
        verdicts = sweep.verdicts()
    return [verdict.digest for verdict in verdicts]


def routine(name, dtype, result=None):
    return routine_implementation(
        find_routine(name), "value", FORMATS[result or dtype], FORMATS[dtype]
    )


def bytes_of(results, number_format):
    """The bit patterns of Python floats, one by one, by the library of the format's own."""
    patterns = (number_format.bits(float(each)) for each in results)
    letter = LETTERS[number_format.width]
    return b"".join(struct.pack(f"<{letter}", bits) for bits in patterns)


@pytest.mark.parametrize(
    ("dtype", "result"),
    [
        ("float8_e4m3fn", "float16"),
        ("float8_e5m2", "bfloat16"),
        ("float8_e4m3fn", None),
        ("float8_e5m2", "float64"),
    ],
)
def test_it_is_sha256sum_of_the_file_of_results_in_the_order_of_patterns(dtype, result):
    routines = [routine(name, dtype, result) for name in ("erfc", "logistic")]
    x = np.concatenate(patterns(dtype)).astype(np.float32)
    due = [bytes_of(each(x), FORMATS[result or dtype]) for each in routines]
    found = swept(routines, dtype, result=result)
    assert found == [{"sha256": hashlib.sha256(data).hexdigest()} for data in due]


def test_a_file_of_every_result_has_the_digest_of_the_sweep():
    """Results at infinities and NaN are in such a file as well, and no part of the digest."""
    number_format = FORMATS["float8_e5m2"]
    every = np.array([number_format.number(bits) for bits in range(1 << 8)])
    erfc = routine("erfc", "float8_e5m2")
    got = erfc(every.astype(np.float32)).astype(np.float64)
    question = Question(find_form("exact"), "value", number_format)
    verdict = check_results("file", question, every, got, exhaustive=True)
    assert [verdict.digest] == swept([erfc], "float8_e5m2")
    assert not check_results("file", question, every, got, exhaustive=False).digest


def by_blocks(first, end, results):
    """The documented scheme for float32s, over patterns from first to before end."""
    digests, sign = [], first & 0x8000_0000
    for block in range(first // BLOCK, -(-end // BLOCK)):
        low, high = max(first, block * BLOCK), min(end, (block + 1) * BLOCK)
        x = np.arange(low | sign, high | sign, dtype=np.uint32).view(np.float32)
        digests.append(hashlib.sha256(results(x).astype("<f4").tobytes()).digest())
    return digests


def test_every_float32_of_a_range_is_taken_in_blocks():
    """Whether one process judges or two, in calls of whatever length."""
    low, high = 1.5, 2.125
    first, end = (struct.unpack("<I", struct.pack("<f", each))[0] for each in (low, high))
    erfc = routine("erfc", "float32")
    due = hashlib.sha256(b"".join(by_blocks(first, end + 1, erfc))).hexdigest()
    assert swept([erfc], "float32", Inputs(low, high)) == [{"sha256_of_blocks": due}]


def test_calls_of_any_length_and_parallel_processes_have_the_same():
    def relu(x):
        return np.maximum(x, 0).astype(x.dtype)

    float32 = FORMATS["float32"]
    inputs = Inputs(-(2.0**-131), 2.0**-129)  # the blocks of both zeros are among them
    found = [
        swept([implementation_of("relu", relu, Calling(float32, float32, batch=batch))],
              "float32", inputs, jobs=jobs)
        for batch, jobs in ((None, 1), (10_000, 1), (1_000_003, 2))
    ]  # fmt: skip
    assert found[0] == found[1] == found[2]


def test_one_bit_changes_it_and_the_bits_of_nan_do_not():
    number_format = FORMATS["float16"]

    def digest(change):
        def function(x):
            y = np.maximum(x, 0).astype(np.float16)
            change(y.view(np.uint16), x)
            return y

        calling = Calling(number_format, number_format)
        (found,) = swept([implementation_of("f", function, calling)], "float16", Inputs(1, 2))
        return found

    def nan(bits, sign):
        bits[-1] = 0x7E01 | sign

    plain = digest(lambda y, x: None)
    assert digest(lambda y, x: y.__setitem__(slice(0, 1), y[:1] ^ 1)) != plain
    assert digest(lambda y, x: nan(y, 0)) == digest(lambda y, x: nan(y, 0x8000)) != plain
    assert little_endian(number_format, np.array([0.0, -0.0], np.float32)).hex() == "00000080"


def test_a_sample_has_none():
    words = "sweep erfc --range 1:2 --samples 300 -q -f record"
    (kernel,) = json.loads(gelu(*words.split()).out)["made"]["kernels"]
    assert kernel["digest"] == {}
