"""C functions: their results at bit patterns, and what they do beside returning them."""

import os
import platform
import shutil
import sys
import tempfile
from pathlib import Path

import numpy as np
import pytest

from gelu_cli.errors import ComputationError, UsageError
from gelu_cli.old.arithmetic.formats import FORMATS
from gelu_cli.old.guests import libraries
from gelu_cli.old.guests.c_functions import SymbolImplementation, declaration
from gelu_cli.old.guests.calling import Calling
from gelu_cli.old.guests.hosted import GuestImplementation
from tests.old.every import every
from tests.old.processes import compile_c

NUMBERS = np.array([-3.0, -0.0, 0.0, 0.5, 2.5] * 5, np.float32)


def calling(dtype="float32", result=None, **settings):
    return Calling(FORMATS[dtype], FORMATS[result or dtype], **settings)


def symbol(compiled, name, *arguments, **settings):
    """Load a function into this process."""
    word = f"{compiled.library}:{name}"
    return SymbolImplementation(name, word, calling(*arguments, **settings))


@pytest.fixture
def no_compiler(monkeypatch):
    monkeypatch.setattr(libraries, "compiler_here", list)


# One formula, however it is called


@pytest.mark.parametrize("dtype", FORMATS)
def test_every_format_travels_as_its_type_in_c(compiled, dtype, no_compiler, request):
    number_format = FORMATS[dtype]
    least = 2.0 ** (number_format.emin - number_format.precision + 1)
    x = np.array([least, 1.5, number_format.largest, -0.0, -1.5, -least])
    x = x.astype(np.float64 if number_format.width == 64 else np.float32)
    want = [least, 1.5, number_format.largest, 0, 0, 0]
    width = number_format.width
    assert symbol(compiled, f"relus{width}", dtype)(x).tolist() == want
    by_ctypes = symbol(compiled, f"relu{width}", dtype, signature="scalar")
    assert by_ctypes.provenance == {"loop": "by ctypes, as there is no C compiler"}
    assert by_ctypes(x).tolist() == want
    request.getfixturevalue("monkeypatch").undo()
    by_loop = symbol(compiled, f"relu{width}", dtype, signature="scalar")
    assert by_loop.provenance["loop"].startswith("compiled by ")
    assert by_loop(x).tolist() == want


@every(("name", "signature"), [("widens", "array"), ("widen", "scalar")])
def test_results_may_have_another_format(compiled, name, signature):
    widen = symbol(compiled, name, "bfloat16", "float32", signature=signature)
    x = np.array([1.0, -0.0078125], np.float32)
    assert widen(x).tolist() == x.tolist()


@every(("name", "signature"), [("backward", "array"), ("backward_number", "scalar")])
def test_a_backward_of_its_own_gets_the_upstream_gradient_first(compiled, name, signature):
    settings = {"quantity": "gradient", "backward": "own", "upstream": 2.5, "signature": signature}
    dx = symbol(compiled, name, **settings)
    assert dx(np.array([-1.0, 3.0], np.float32)).tolist() == [0, 2.5]


def test_without_a_backward_the_function_returns_the_gradient(compiled):
    function = symbol(compiled, "relus32", quantity="gradient")
    assert not function.differentiated
    assert function(NUMBERS).tolist() == np.maximum(NUMBERS, 0).tolist()
    for settings, told in (
        ({"backward": "autograd"}, "a C function is not differentiated; add --backward"),
        ({"upstream": 2.0}, "--up: a C function gets x alone"),
    ):
        with pytest.raises(UsageError, match=told):
            symbol(compiled, "relus32", **{"quantity": "gradient", **settings})


def test_a_declaration_has_the_types_of_the_formats():
    own = {"quantity": "gradient", "backward": "own"}
    assert declaration(calling("float64", signature="scalar")) == "double f(double x)"
    assert declaration(calling("float8_e5m2", "float16", **own)) == (
        "void f(const uint8_t *upstream, const uint8_t *x, uint16_t *y, size_t n)"
    )


# Its compiler

HANGS = '#!/bin/sh\ntouch "$TMPDIR/left"\necho $PPID > "$0.begun"\nexec sleep 1000\n'


@pytest.fixture
def hanging_compiler(tmp_path, monkeypatch):
    compiler = tmp_path / "hangs"
    compiler.write_text(HANGS)
    compiler.chmod(0o700)
    os.mkfifo(tmp_path / "hangs.begun")
    monkeypatch.setenv("CC", str(compiler))
    monkeypatch.setenv("TMPDIR", str(tmp_path / "temporary"))
    monkeypatch.setattr(tempfile, "tempdir", None)
    Path(tmp_path, "temporary").mkdir()
    return compiler


def test_a_compiler_has_a_limit(compiled, hanging_compiler, monkeypatch):
    monkeypatch.setattr(libraries, "TO_COMPILE", 0.01)
    function = symbol(compiled, "relu32", signature="scalar")
    assert function.provenance == {
        "loop": f"by ctypes, as {hanging_compiler} takes more than 0.01 s"
    }
    assert function(NUMBERS).tolist() == np.maximum(NUMBERS, 0).tolist()
    assert os.listdir(os.environ["TMPDIR"]) == []


# Memory

WRITES = {
    "past_the_end": r"wrote past the end of its results, at y\[25\]",
    "a_vector_too_much": r"wrote past the end of its results, at y\[25\]",
    "before_the_start": r"wrote before the start of its results, at y\[-2\]",
    "past_its_inputs": r"wrote past the end of its inputs, at x\[25\]",
    "into_its_inputs": "wrote into x, which is const",
    "nowhere": r"wrote no result; it is called as void f\(const float \*x, .*, add --signature scalar",
}


@every("name", WRITES)
def test_a_write_beside_its_arrays_is_told_with_the_inputs(compiled, name):
    function = symbol(compiled, name)
    for _ in range(2):  # what it has written is not there in the next call
        with pytest.raises(ComputationError, match=f"was given 25 inputs, .* and {WRITES[name]}"):
            function(NUMBERS)


def test_results_that_are_not_written_are_nan(compiled):
    got = symbol(compiled, "not_its_tail")(NUMBERS)
    assert np.isnan(got).tolist() == [False] * 24 + [True]


@every("size", [1, 7, 1023, 1024, 1025, 5000])
def test_calls_of_all_lengths_have_room(compiled, size):
    function = symbol(compiled, "relus32")
    x = np.resize(NUMBERS, size)
    for _ in range(2):
        assert function(x).tolist() == np.maximum(x, 0).tolist()
        assert function(x[:1]).tolist() == [0]
    with pytest.raises(ComputationError, match=rf"at y\[{size}\]"):
        symbol(compiled, "past_the_end")(x)


# What ends its process, which is not this one

ENDS = {
    "crashes": "when its process ended: Segmentation fault; it is called as void f",
    "far_after": "when its process ended: Segmentation fault",
    "far_before": "when its process ended: Segmentation fault",
    "far_after_x": "when its process ended: Segmentation fault",
    "far_before_x": "when its process ended: Segmentation fault",
    "exits": "when it ended its process, with exit code 3",
    "hangs": r"and did not return within 0.05 s \(--timeout\)",
    "a_table": "when its process ended: Segmentation fault",
}


@every("name", ENDS)
def test_what_ends_its_process_is_one_error_with_the_inputs(compiled, name):
    settings = calling(timeout=0.05 if name == "hangs" else None)
    with (
        GuestImplementation(name, f"{compiled.library}:{name}", {}, settings) as function,
        pytest.raises(ComputationError, match=f"^{name} was given 25 inputs, .*{ENDS[name]}"),
    ):
        function(NUMBERS)


def test_a_copy_that_it_makes_of_its_process_says_nothing(compiled):
    with GuestImplementation("f", f"{compiled.library}:forks", {}, calling()) as function:
        for _ in range(2):
            assert function(NUMBERS).tolist() == np.maximum(NUMBERS, 0).tolist()


@pytest.fixture(scope="module")
def flushing(tmp_path_factory):
    path = tmp_path_factory.mktemp("flushing") / "libflushing.so"
    folder = Path(__file__).parent
    return compile_c(path, folder / "kernels.c", folder / "../environment/library.c")


@pytest.mark.skipif(platform.machine() != "x86_64", reason="its registers are those of x86-64")
@pytest.mark.parametrize("compiler", ["", "false"], ids=["compiled", "ctypes"])
def test_a_library_that_flushes_is_told_and_changes_no_number_on_its_way(
    flushing, monkeypatch, compiler
):
    monkeypatch.setenv("MODE_WHEN_LOADED", "ri")
    monkeypatch.setenv("CC", compiler)
    x = np.array([1e-40, 1.0], np.float32)
    settings = calling(signature="scalar")
    with GuestImplementation("f", f"{flushing}:hands_on", {}, settings) as function:
        assert function(x).tolist() == x.tolist()
        assert function.notes == [
            "while it runs, subnormal results are flushed to 0 and subnormal inputs are taken as 0 "
            "(since its import); judging is not affected"
        ]


# What cannot be loaded


def test_what_cannot_be_loaded_is_one_line_and_2(compiled, tmp_path, monkeypatch):
    monkeypatch.chdir(tmp_path)
    shutil.copy(compiled.library, "k.so")
    Path("text.so").write_text("not a library, but a text of some length")
    Path("empty.so").touch()
    Path("folder.so").mkdir()
    Path("needs.c").write_text("int missing(void); int f(void) { return missing(); }")
    compile_c("needs.so", "needs.c")
    header = bytearray(Path("k.so").read_bytes())
    Path("bits32.so").write_bytes(header[:4] + b"\x01" + header[5:])
    Path("machine.so").write_bytes(header[:18] + b"\xf3\x00" + header[20:])
    for word, told in {
        "./missing.so:f": "there is no file './missing.so'",
        "folder.so:f": "'folder.so' is no file",
        "k.so": "'k.so' names no function: write FILE.so:SYMBOL, e.g. ",
        "k.so:": "'k.so:' names no function",
        "k.so:gleu": "'k.so' has no symbol 'gleu': `nm -D k.so` lists ",
        "text.so:f": "'text.so' is no shared library",
        "empty.so:f": "'empty.so' ",
        "needs.so:f": "undefined symbol: missing",
        "bits32.so:f": "'bits32.so' has 32 bits, this process has 64: compile it for 64",
        "machine.so:f": "'machine.so' is for another machine: compile it for this one",
    }.items():
        if sys.platform != "linux" and ("bits" in word or "machine" in word or "text" in word):
            continue
        with pytest.raises(UsageError) as error:
            SymbolImplementation(word, word, calling())
        assert told in str(error.value)
