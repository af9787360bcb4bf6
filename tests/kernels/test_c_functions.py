"""C functions: their results at bit patterns, and what they do beside returning them."""

import platform
from pathlib import Path

import numpy as np
import pytest

from gelu_cli.kernels import call, notes
from gelu_cli.kernels.native import declaration
from gelu_cli.numbers import FORMATS
from tests.kernels.calls import array, every, fault, kernel

X = array([-3.0, -0.0, 0.0, 0.5, 2.5] * 5)
GLU = {"glu": True}
BACK = {"backward": True, "quantity": "gradient", "upstream": 2.5}
SCALAR = {"signature": "scalar"}


def test_every_format_travels_as_its_type_in_c(compiled):
    for dtype, of in FORMATS.items():
        least = of.number(1)
        x = array([least, 1.5, of.largest, -0.0, -1.5, -least], dtype)
        if of.width <= 16:
            x = every(dtype)
        with np.errstate(invalid="ignore"):  # of NaNs that signal
            want = np.where(np.signbit(x.astype(float)), 0, x.astype(float))
        for name, how in ((f"relus{of.width}", {}), (f"relu{of.width}", SCALAR)):
            got = call(kernel(f"{compiled}:{name}", dtype, **how), x)
            with np.errstate(invalid="ignore"):
                assert np.array_equal(got.astype(float), want, equal_nan=True), (dtype, name)


UPS = array([4.0, -1.0, 0.5, 2.0, 3.0] * 5)
RELU, REGLU = np.maximum(X, 0), np.maximum(X, 0) * UPS
RESULTS = {  # a function and how it is called: inputs, results
    ("reglu", *GLU.items()): ((X, UPS), REGLU),
    ("reglu_number", *GLU.items(), *SCALAR.items()): ((X, UPS), REGLU),
    ("reglu_halves", *GLU.items(), ("packed", "halves")): ((X, UPS), REGLU),
    ("reglu", *GLU.items(), ("up_first", True)): ((UPS, X), REGLU),
    ("backward", *BACK.items()): ((X,), 2.5 * (X > 0)),
    ("backward_number", *BACK.items(), *SCALAR.items()): ((X,), 2.5 * (X > 0)),
    ("backward", *BACK.items(), ("upstream", 1.0)): ((X, UPS), UPS * (X > 0)),
    ("relus32", ("quantity", "gradient")): ((X,), RELU),
    ("forks",): ((X,), RELU),
}


def test_functions_get_their_inputs_in_order(compiled):
    for (name, *how), (arrays, want) in RESULTS.items():
        got = call(kernel(f"{compiled}:{name}", **dict(how)), *arrays)
        assert got.tolist() == want.tolist(), (name, how)


def test_results_may_have_another_format(compiled):
    x = array([1.0, -0.0078125], "bfloat16")
    for name, how in (("widens", {}), ("widen", SCALAR)):
        got = call(kernel(f"{compiled}:{name}", "bfloat16", "float32", **how), x)
        assert got.tolist() == x.astype(float).tolist()


def test_arrays_of_all_lengths_begin_at_multiples_of_64_bytes(compiled):
    for size in (1, 7, 1023, 1024, 1025, 5000):
        x = np.resize(X, size)
        assert call(kernel(f"{compiled}:relus32"), x).tolist() == np.maximum(x, 0).tolist()
        assert call(kernel(f"{compiled}:misaligned"), x)[0] == 0
        _, said = fault(kernel(f"{compiled}:past_the_end"), x)
        assert "wrote outside of y" in said


DECLARED = "it is called as void f(const float *x, float *y, size_t n); if it takes and returns "
FAILING = {
    "past_the_end": "wrote outside of y; " + DECLARED,
    "a_vector_too_much": "wrote outside of y",
    "before_the_start": "wrote outside of y",
    "copies_too_much": "wrote outside of y",
    "past_its_inputs": "wrote outside of x",
    "into_its_inputs": "wrote into x, which is const; " + DECLARED,
    "nowhere": "wrote no result; " + DECLARED + "one number, add --signature scalar",
}


def test_writes_beside_its_results_are_errors(compiled):
    for name, part in FAILING.items():
        for _ in range(2):  # what it has written is not there in the next call
            code, said = fault(kernel(f"{compiled}:{name}"), X)
            assert code == 4
            assert f"was given 25 inputs, from -3.0 to 2.5, and {part}" in said, said


def test_results_that_are_not_written_are_nan(compiled):
    got = call(kernel(f"{compiled}:not_its_tail"), X)
    assert np.isnan(got).tolist() == [False] * 24 + [True]


ENDING = {
    "crashes": "when its process ended: Segmentation fault; " + DECLARED,
    "aborts": "when its process ended: Aborted",
    "exits": "when it ended its process, with exit code 3",
    "exits_at_once": "when it ended its process, with exit code 0",
    "a_table": "when its process ended: Segmentation fault",
    "overflows_the_stack": "when its process ended: Segmentation fault",
    "hangs": "and did not return within 0.1 s (--timeout)",
    "spins": "and did not return within 0.1 s (--timeout)",
}


def test_what_ends_its_process_is_one_error_with_the_inputs(compiled):
    for name, part in ENDING.items():
        timeout = 0.1 if "timeout" in part else None
        code, said = fault(kernel(f"{compiled}:{name}", timeout=timeout), X, isolated=True)
        assert code == 4
        assert f":{name} was given 25 inputs {part}" in said, said


@pytest.mark.skipif(platform.machine() != "x86_64", reason="its registers are those of x86-64")
def test_a_changed_environment_stays_with_the_kernel_and_is_noted(compiled):
    least, normal = 2.0**-149, 2.0**-126
    x = array([1.0, normal, 3 * least])
    flushes = kernel(f"{compiled}:flushes")
    for _ in range(2):
        assert call(flushes, x).tolist() == [0.5, 0.0, 0.0]
        assert np.float32(normal) / np.float32(2) > 0  # here subnormal numbers count
    assert notes(flushes) == [
        "while it runs, subnormal results are flushed to 0 and subnormal inputs are taken as 0; "
        "exact values are not affected"
    ]
    up = kernel(f"{compiled}:rounds_up")
    assert call(up, array([1.0])).tolist() == [1 + 2.0**-23]
    assert np.float32(1) + np.float32(2.0**-30) == 1
    assert notes(up) == [
        "while it runs, results are not rounded to nearest; exact values are not affected"
    ]
    hands_on = kernel(f"{compiled}:hands_on", **SCALAR)
    for _ in range(2):
        assert call(hands_on, x).tolist() == x.tolist()
    assert notes(kernel(f"{compiled}:relus32")) == []


REFUSED = {
    "./missing.so:f": "'./missing.so' cannot be loaded; ./missing.so: cannot open shared object",
    "folder.so:f": "'folder.so' cannot be loaded; ",
    "k.so:": "'k.so:' names no function; write FILE.so:SYMBOL",
    "k.so:gleu": "'k.so' has no symbol 'gleu'; `nm -D k.so` lists its symbols",
    "text.so:f": "'text.so' cannot be loaded; ",
    "empty.so:f": "'empty.so' cannot be loaded; ",
}


def test_what_cannot_be_loaded_is_refused(compiled, folder):
    Path("k.so").write_bytes(compiled.read_bytes())
    Path("text.so").write_text("not a library, but a text of some length")
    Path("empty.so").touch()
    Path("folder.so").mkdir()
    for word, part in REFUSED.items():
        code, said = fault(kernel(word), X)
        assert (code, part in said) == (2, True), said
    code, said = fault(kernel("k.so:reglu", **GLU, **BACK), X, UPS)
    assert (code, said.startswith("--backward with --glu has two results")) == (2, True)


def test_a_declaration_has_the_types_of_the_formats():
    for how, want in {
        ("float64", "float64", *SCALAR.items()): "double f(double x)",
        (
            "float8_e5m2",
            "float16",
            *BACK.items(),
        ): "void f(const uint8_t *upstream, const uint8_t *x, uint16_t *y, size_t n)",
        ("float32", "float32", *GLU.items(), *SCALAR.items()): "float f(float gate, float up)",
    }.items():
        dtype, result, *others = how
        assert declaration(kernel("k.so:f", dtype, result, **dict(others))) == want
