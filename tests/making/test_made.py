"""Made kernels: their results against Arb, in every language and as programs of others."""

import ctypes
import math
import shutil
import subprocess
from fractions import Fraction
from functools import cache
from itertools import product
from pathlib import Path

import numpy as np
import pytest

from gelu_cli import make
from gelu_cli.formulas import find_form
from gelu_cli.making.builds import load_numpy
from gelu_cli.making.gpus import triton_by_numpy
from gelu_cli.making.proofs import QUIET, SIGN, SPECIAL, EveryFloat32, Expected
from gelu_cli.making.schemes import Scheme, ladder, saturation
from gelu_cli.making.writers import c_text, cuda_in_c, cuda_text, numpy_text, parse, triton_text
from gelu_cli.numbers import FORMATS
from tests.truth import arb
from tests.truth.mpmath import nearest

pytestmark = pytest.mark.skipif(not shutil.which("cc"), reason="there is no C compiler")

FORMS = ("exact", "tanh", "sigmoid", "silu")
QUANTITIES = ("value", "gradient")
SOME = [
    ("exact", "value", "bfloat16"),
    ("tanh", "gradient", "float16"),
    ("sigmoid:beta=1.6", "gradient", "bfloat16"),
]


@cache
def made(form, quantity, dtype):
    """Make a kernel, or read it from the documentation: a search takes up to 4 s."""
    folder = Path(__file__).parents[2] / "docs/kernels/made"
    if (path := folder / f"{form}_{quantity}_{dtype}.c").exists():
        return path.read_text(encoding="utf-8")
    return make(form, quantity=quantity, dtype=dtype, language="c").source


def compiled(text, name, folder, *flags):
    """Compile a text as its reader would, and return the function for arrays."""
    return function_of(built(text, folder, *flags), name)


def built(text, folder, *flags):
    folder.mkdir(exist_ok=True)
    (folder / "k.c").write_text(text)
    words = ["cc", *(flags or ["-O2"]), "-Wall", "-Wextra", "-Werror", "-shared", "-fPIC"]
    subprocess.run([*words, "-o", folder / "k.so", folder / "k.c"], check=True)
    return ctypes.CDLL(str(folder / "k.so"))


def function_of(library, name):
    function = library[name]

    def call(x):
        y = np.empty_like(x)
        pointers = [ctypes.c_void_p(each.ctypes.data) for each in (x, y)]
        function(*pointers, ctypes.c_size_t(len(x)))
        return y

    return call


def drawn(dtype, count, seed):
    """Draw numbers of a format from all binades, the ends of its range included."""
    numbers = np.arange(1 << 16, dtype=np.uint16).view(FORMATS[dtype].dtype)
    with np.errstate(invalid="ignore"):
        finite = numbers[np.isfinite(numbers) & (numbers != 0)]
    chosen = np.random.default_rng(seed).choice(len(finite), count, replace=False)
    return np.unique(np.concatenate([finite[chosen], finite[[0, 1, -1]]]))


@pytest.mark.parametrize("case", SOME, ids=" ".join)
def test_results_are_the_nearest_numbers(case, tmp_path):
    form, quantity, dtype = case
    name, _, beta = form.partition(":beta=")
    kernel = compiled(made(*case), name_of(case), tmp_path)
    x = drawn(dtype, 300, 5)
    x = x[np.abs(x.astype(float)) < 16]
    settings = {"beta": beta} if beta else {}
    wrong = [
        (each, got)
        for each, got in zip(x.tolist(), kernel(x).tolist(), strict=True)
        if got != nearest(truth(name, quantity, each, **settings), dtype)
    ]
    assert wrong[:5] == []


def truth(name, quantity, x, **settings):
    """Return a quantity at |x| < 16 as a Fraction, to 300 bits beyond what is told apart."""
    return arb.middle(arb.at(name, quantity, Fraction(x), **settings))


def name_of(case):
    return "_".join(case).replace(":", "_").replace("=", "_").replace(".", "_")


def test_limits_zeros_and_nan(tmp_path):
    for case in SOME:
        _, quantity, dtype = case
        kernel = compiled(made(*case), name_of(case), tmp_path / name_of(case))
        x = np.array([math.inf, -math.inf, 0.0, -0.0, math.nan, -math.nan], FORMATS[dtype].dtype)
        y = kernel(x).astype(float)
        value = quantity == "value"
        assert y[:4].tolist() == [math.inf if value else 1, 0, *([0, 0] if value else [0.5, 0.5])]
        assert np.signbit(y[:4]).tolist() == [False, True, False, value]
        assert np.isnan(y[4:]).all()


def test_lengths_that_no_vector_divides(tmp_path):
    """Whole arrays, and their parts one by one, have the same results; nothing else is written."""
    case = SOME[1]
    kernel = compiled(made(*case), name_of(case), tmp_path, "-O3", "-march=native")
    x = np.random.default_rng(1).normal(size=203).astype(np.float16)
    whole = kernel(x)
    for length in (1, 7, 63, 64, 65, 130):
        assert kernel(x[:length]).tobytes() == whole[:length].tobytes()


def test_headers_are_included_together(folder):
    for case in SOME[:2]:
        (folder / f"{name_of(case)}.h").write_text(made(*case))
    lines = [f'#include "{name_of(case)}.h"' for case in SOME[:2] * 2]
    main = "int main(void) { return exact_value_bfloat16_one(0x3f80) != 0x3f57; }"  # 0.84
    (folder / "a.c").write_text("\n".join([*lines, main]))
    (folder / "b.c").write_text("\n".join(lines))
    subprocess.run(["cc", "-Wall", "-Werror", "a.c", "b.c"], check=True)
    assert subprocess.run(["./a.out"], check=False).returncode == 0
    done = subprocess.run(["cc", "-ffast-math", "b.c"], capture_output=True, text=True, check=False)
    assert "remove -ffast-math" in done.stderr


@pytest.mark.parametrize("dtype", ["float8_e4m3fn", "float8_e5m2"])
def test_tables_are_the_nearest_numbers(dtype):
    to = FORMATS[dtype]
    x = np.arange(256, dtype=np.uint8).view(to.dtype)
    names = {}
    exec(make("tanh", dtype=dtype, quantity="gradient", language="numpy").source, names)
    y = names[f"tanh_gradient_{dtype}"](x).astype(float)
    for each, got in zip(x.astype(float).tolist(), y.tolist(), strict=True):
        if math.isnan(each):
            assert math.isnan(got)
        elif 0 < abs(each) < 16:
            assert got == nearest(truth("tanh", "gradient", each), dtype), each


def programs():
    """Yield kernels of all formats, without a search."""
    for form, quantity, dtype in product(FORMS, QUANTITIES, ("bfloat16", "float16", "float32")):
        to = FORMATS[dtype]
        reach = saturation(find_form(form), quantity, to)
        rung = ladder(find_form(form), to)[-1]
        yield form, quantity, dtype, Scheme(to, reach, rung).program(find_form(form), quantity)


def test_every_language_has_the_same_results(tmp_path):
    """Triton and CUDA fuse like C on machines that can; numpy does not, like C elsewhere."""
    every = {
        f"{form}_{quantity}_{dtype}": (dtype, each) for form, quantity, dtype, each in programs()
    }
    in_c = "\n".join(c_text(each, name, dtype) for name, (dtype, each) in every.items())
    apart = built(in_c, tmp_path / "apart", "-O2", "-DGELU_FMA=0", "-ffp-contract=off")
    fused = built(in_c, tmp_path / "fused", "-O2", "-DGELU_FMA=1")
    flags = "-O0", "-ffp-contract=off", "-Wno-unused-function"
    for name, (dtype, program) in every.items():
        to = FORMATS[dtype]
        bits = np.arange(0, 1 << to.width, (1 << to.width) // 4096 - 1, f"u{to.width // 8}")
        in_numpy = load_numpy(numpy_text(program, name, dtype), name, to.dtype)(bits)
        in_triton = triton_by_numpy(triton_text(program, name, dtype), name, to.dtype)(bits)
        cuda = cuda_in_c(cuda_text(program, name, dtype), name)
        in_cuda = compiled(cuda, f"{name}_here", tmp_path / name, *flags)(bits)
        without, within = (function_of(each, name)(bits) for each in (apart, fused))
        assert same(in_numpy, without, to), name
        assert same(in_cuda, within, to), name
        # The stand-in for Triton has no fused operation of float64.
        assert same(in_triton, without if dtype == "float32" else within, to), name


def same(a, b, to):
    """Compare bit patterns; a NaN is like another."""
    with np.errstate(invalid="ignore"):
        both = [np.isnan(each.view(to.dtype).astype(float)) for each in (a, b)]
    return ((a == b) | (both[0] & both[1])).all() and (both[0] == both[1]).all()


def test_no_compiler_can_fuse_what_is_not_written_as_fused():
    """A product that is added would be rounded once or twice, as the compiler likes."""
    for form, quantity, dtype, program in programs():
        products = {each.name for each in program.operations if each.op == "mul"}
        fusible = [
            each.name
            for each in program.operations
            if each.op in ("add", "sub") and products & {*each.operands}
        ]
        exact = ["l"] if (form, dtype) == ("tanh", "float16") else []  # t² has 22 bits
        assert fusible == exact, (form, quantity, dtype)


def test_float32_is_within_its_bound(tmp_path):
    """Drawn numbers: rounded to nearest, but for those within 1/1000 of a tie."""
    random = np.random.default_rng(3)
    for form, quantity, dtype, program in programs():
        if dtype != "float32":
            continue
        kernel = compiled(c_text(program, "f", dtype), "f", tmp_path / f"{form}{quantity}")
        sizes = np.exp(random.uniform(-20, 2.3, 40))
        x = (sizes * random.choice([-1, 1], 40)).astype(np.float32)
        for each, got in zip(x.tolist(), kernel(x), strict=True):
            right = truth(form, quantity, each)
            ulp = Fraction(float(np.spacing(np.abs(np.float32(float(right))))))
            assert abs(Fraction(float(got)) - right) <= Fraction("0.501") * ulp, (form, each)


def test_patches_replace_results_in_every_language(tmp_path):
    program = parse("y abs x\n", {"T": 1.0}).patched([(0x3F800000, 0x40000000)])
    x = np.array([1.0, 0.5, -0.5], np.float32).view(np.uint32)
    texts = {
        "c": compiled(c_text(program, "f", "float32"), "f", tmp_path),
        "numpy": load_numpy(numpy_text(program, "f", "float32"), "f", np.float32),
        "triton": triton_by_numpy(triton_text(program, "f", "float32"), "f", np.float32),
    }
    for name, function in texts.items():
        assert function(x).view(np.float32).tolist() == [2.0, 0.5, 0.5], name


def test_a_saturated_number_is_the_first():
    for form, quantity in product(FORMS, QUANTITIES):
        to = FORMATS["float16"]
        reach = saturation(find_form(form), quantity, to)
        at = {}
        for x in (reach, to.number(to.bits(reach) - 1)):
            left, right = (nearest(truth(form, quantity, each), "float16") for each in (-x, x))
            at[x] = left == 0 and right == (x if quantity == "value" else 1)
        assert [*at.values()] == [True, False], (form, quantity)


def test_zeros_of_the_wrong_sign_and_special_results_are_wrong():
    """At some float32s; the judge of the others finds nothing."""
    to = FORMATS["float32"]
    special = Expected(find_form("silu"), "value", to, SPECIAL)
    right = dict(zip(SPECIAL.tolist(), special.results.tolist(), strict=True))

    def verdict(changed):
        few = EveryFloat32(special, lambda kernel: (0.5, 1.0, 0, []))
        few.inputs, results = 1 << 10, right | changed
        return few.verdict(lambda x: np.array([results.get(k, k) for k in x.tolist()], "u4"))[1]

    wrong = [{}, {0: SIGN}, {SIGN: 0}, {0xFF80_0000: 1}, {0x7F80_0000: QUIET}, {5: SIGN}]
    found = [verdict(each) for each in wrong]
    assert [each[2] for each in found] == [0, 2, 1, 1, 1, 1]
    assert [each[0] for each in found] == [0.5, *[math.inf] * 5]
