"""`make`, the command and the function: files, headers, checks, refusals."""

import os
import re
import shutil
import signal
import subprocess
import sys
import time
from pathlib import Path

import pytest

from gelu_cli import make
from gelu_cli.errors import ComputationError, UsageError
from gelu_cli.making.builds import compilers
from gelu_cli.making.gpus import gpu
from tests.runner import gelu

pytestmark = pytest.mark.skipif(not shutil.which("cc"), reason="there is no C compiler")

COLUMNS = [
    "form",
    "quantity",
    "dtype",
    "inside",
    "degree",
    "operations",
    "max_ulp",
    "max_ulp_x",
    "misrounded",
    "patched",
    "sha256",
    "ns",
    "ns_erff",
    "ns_torch",
]
KERNELS = Path(__file__).parents[2] / "docs" / "kernels" / "made"


@pytest.fixture(scope="module")
def made(tmp_path_factory):
    """Make a kernel once: 2 s of search."""
    path = tmp_path_factory.mktemp("made") / "k.h"
    return gelu("make", "silu", "--quantity", "gradient", "-o", path), path


@pytest.fixture(scope="module")
def source(made):
    return made[1].read_text(encoding="utf-8")


def test_a_kernel_is_written_and_checked(made):
    run, path = made
    assert run.code == 0
    assert run.err == (
        "gelu: silu_gradient_bfloat16: largest error 0.5 ULP, 0 of 65,536 misrounded; "
        f"written to {path}\n"
    )
    (row,) = run.rows
    assert [*row] == COLUMNS
    assert (row["inside"], row["misrounded"], row["degree"]) == ("float32", "0", "4")
    assert 0 < float(row["ns"]) < float(row["ns_erff"])
    check = gelu("make", "swish", "--dtype", "bf16", "--check", path)
    assert (check.code, check.err) == (0, "")
    for name in COLUMNS[:11]:
        assert check.rows[0][name] == row[name], name
    ns = gelu("make", "--check", path, "--digits", 30).rows[0]["ns"]
    assert ns == str(float(f"{float(ns):.3g}"))


def test_the_header_says_what_was_proved(source):
    text = " ".join(source.split(" */")[0].replace("\n *", " ").split())
    for words in (
        "silu_gradient_bfloat16: gradient of silu, x·σ(x), in bfloat16, correctly rounded.",
        "SPDX-License-Identifier: 0BSD",
        "gelu make silu --quantity gradient --dtype bfloat16 --max-ulp 0.5 --language c",
        "Proved for every one of the 65,536 inputs",
        "0 misrounded SHA-256",
        "-O3 -march=native",
        "Not for x and y that overlap, machines that flush subnormal numbers to zero",
    ):
        assert words in text, words
    ticked = make("silu", dtype="float8_e5m2", language="triton").source
    assert "No GPU has run this text." in ticked
    assert ticked.startswith("# silu_value_float8_e5m2: ")


def test_a_changed_coefficient_fails(source, folder):
    """The coefficient ln 2 of exp2, changed by 1/1000, changes some result."""
    assert source.count("X_2, r, 0x1.62e") == 1
    (folder / "k.c").write_text(source.replace("X_2, r, 0x1.62e", "X_2, r, 0x1.634"))
    run = gelu("make", "--check", "k.c")
    assert run.code == 1
    assert re.match(
        r"gelu: k.c: the largest error is 0\.\d+ ULP at x = \S+, above the bound of 0.5; "
        r"[1-9]\d* misrounded \(gcc",
        run.err,
    )


def test_results_that_changed_within_the_bound_fail(folder):
    made = make("silu", dtype="float8_e4m3fn", max_ulp=1, language="numpy")
    table = re.search(r"TABLE = \[\n    0x00, (0x\w\w), ", made.source)
    assert table[1] == "0x01"  # half of the least number, a tie, is rounded to it
    text = made.source.replace("TABLE = [\n    0x00, 0x01", "TABLE = [\n    0x00, 0x00")
    (folder / "k.py").write_text(text)
    run = gelu("make", "--check", "k.py")
    assert run.code == 1
    assert run.err == (
        "gelu: k.py: the results are not those that the header names: SHA-256 differs\n"
    )


def test_texts_that_do_not_run_are_not_proved(source, folder):
    """A function of another name, an exception, a result of another shape, a syntax error."""
    python = make("silu", dtype="float8_e5m2", language="numpy").source
    texts = {
        "a.h": source.replace("silu_gradient_bfloat16: ", "other: ", 1),
        "b.h": source.replace("return y;", "return z;"),
        "a.py": python.replace("silu_value_float8_e5m2: ", "other: ", 1),
        "b.py": python.replace("np.uint8)[", "np.uint8)[None]["),
        "c.py": python.replace("def ", "define "),
        "d.py": python.replace("    return ", "    raise SystemExit\n    return "),
        "e.py": python.replace("np.uint8)[", "np.uint8)[1:]["),
    }
    for name, text in texts.items():
        assert text not in (source, python), name
        (folder / name).write_text(text)
        run = gelu("make", "--check", name)
        assert (run.code, run.out) == (4, ""), name
        assert re.match(
            r"gelu: (the file (has no function other|does not run: )|gcc .*error)", run.err
        )


FAULTS = {
    "{\n    float b[64];": "{\n    if (n > 32) n = 32;\n    float b[64];",
    "y[i] = silu_value_float16_one(x[i]);\n}\n#else": "y[i] = 0;\n}\n#else",
    "gelu_to_half(silu_value_float16_float": "0 * gelu_to_half(silu_value_float16_float",
}
"""Results that are not written, wrong ones behind the last vector, a wrong function of a number."""


@pytest.mark.parametrize("right", FAULTS)
def test_what_a_vectorised_loop_hides_is_found(right, folder):
    text = (KERNELS / "silu_value_float16.c").read_text()
    assert text.count(right) == 1
    (folder / "k.c").write_text(text.replace(right, FAULTS[right]))
    run = gelu("make", "--check", "k.c")
    assert run.code == 1
    assert "-march=native" in run.err


@pytest.mark.parametrize(
    ("statement", "ending"),
    {
        "__builtin_trap();": "its process ended: Illegal instruction",
        "extern void exit(int); exit(0);": "it ended its process, with exit code 0",
    }.items(),
)
def test_a_file_that_ends_its_process_is_named(statement, ending, folder):
    text = (KERNELS / "silu_value_bfloat16.c").read_text()
    loop = "for (size_t i = 0; i < n; i++) y[i] = silu"
    assert text.count(loop) == 1
    (folder / "k.c").write_text(text.replace(loop, f"{statement} {loop}"))
    run = gelu("make", "--check", "k.c")
    assert (run.code, run.out) == (4, "")
    assert run.err.startswith("gelu: k.c was run by ")
    assert ending in run.err


def test_a_result_beyond_the_end_is_an_error(folder):
    text = (KERNELS / "silu_value_bfloat16.c").read_text()
    (folder / "k.c").write_text(text.replace("i < n; i++) y[i] = silu", "i <= n; i++) y[i] = silu"))
    run = gelu("make", "--check", "k.c")
    assert (run.code, run.out) == (4, "")
    assert "silu_value_bfloat16 writes beyond the end of y" in run.err


def test_a_compilers_flags_are_named(monkeypatch):
    monkeypatch.setenv("CC", "gcc -DUNUSED")
    compilers.cache_clear()
    names = [each.version for each in compilers()]
    faults = {"no-such-compiler": ", which is not here", "gcc '-O2": ": No closing quotation"}
    for words, fault in faults.items():
        monkeypatch.setenv("CC", words)
        compilers.cache_clear()
        with pytest.raises(ComputationError, match=f"CC is '{words}'{fault}"):
            compilers()
    assert names[0] == f"{names[1]} -DUNUSED"


def test_a_folder_that_is_missing_is_refused_before_the_search(folder):
    run = gelu("make", "exact", "--dtype", "float32", "-o", "missing/k.h")
    assert (run.code, run.out) == (3, "")
    assert run.err == "gelu: cannot write to missing/k.h: there is no such folder\n"


def test_what_no_kernel_meets_is_not_written(folder):
    run = gelu("make", "silu", "--dtype", "float8_e5m2", "--max-ulp", "0.3", "-o", "k.h")
    assert run.code == 1
    assert float(run.rows[0]["max_ulp"]) > 0.3
    assert "above the bound of 0.3; all results are correctly rounded; raise --max-ulp" in run.err
    assert [*folder.iterdir()] == []


def test_a_larger_bound_takes_fewer_operations():
    right, near = (make("silu", max_ulp=bound) for bound in (0.5, 1))
    assert near.operations < right.operations
    assert 0.5 < near.max_ulp <= 1
    tried = right.view("tried")
    assert [each["degree"] for each in tried] == ["3", "4"]
    assert tried[0]["left"] > 4 >= tried[1]["left"]


REFUSED = {
    "relu": "'relu' cannot be made; choose from exact, tanh, sigmoid, silu",
    "tanh:d=1": "'tanh:d=1' cannot be made",
    "sigmoid:beta=1e-6 --dtype float16": "'sigmoid:beta=1e-6' does not saturate in float16",
    "--dtype float64": "float64 kernels cannot be made; choose float32",
    "--quantity gate": "unknown quantity 'gate'; choose from value, gradient",
    "--language rust": "unknown language 'rust'; choose from c, cuda, triton, numpy",
    "--max-ulp 0": "--max-ulp is 0; give a number above 0",
    "-o k.py": "-o k.py: the suffix is not one of .h .c .cu .cuh; add --language LANGUAGE",
    "--check none.h": "cannot read 'none.h': No such file or directory",
    "--check other.h": "'other.h' has no header of gelu make; check it with gelu sweep",
    "--check less.h": "'less.h' has no header of gelu make",
    "tanh --check k.h": "'k.h' has silu; remove tanh",
    "--dtype half --check k.h": "'k.h' has --dtype bfloat16; remove --dtype half",
    "--check k.h -o other.h": "--check writes no kernel; remove -o",
    "--view code": "unknown view 'code'; choose from summary, tried, all",
}


def test_what_is_refused_says_why(source, folder):
    (folder / "k.h").write_text(source)
    (folder / "other.h").write_text("int x;")
    (folder / "less.h").write_text(source.replace(" --max-ulp 0.5", ""))
    for words, message in REFUSED.items():
        run = gelu("make", *words.split())
        assert (run.code, run.out) == (2, ""), words
        assert run.err.startswith(f"gelu: {message}"), run.err
    with pytest.raises(UsageError, match="unknown form"):
        make("tahn")


def test_without_a_compiler_nothing_is_written(folder):
    words = [sys.executable, "-m", "gelu_cli", "make", "-o", "k.h"]
    environment = {**os.environ, "PATH": str(folder), "PYTHONPATH": os.pathsep.join(sys.path)}
    environment.pop("CC", None)
    done = subprocess.run(words, capture_output=True, text=True, env=environment, check=False)
    assert (done.returncode, done.stdout) == (4, "")
    assert done.stderr == "gelu: no C compiler is here; install gcc or clang, or set CC\n"
    assert [*folder.iterdir()] == []


@pytest.mark.parametrize(("ends", "code"), {signal.SIGINT: 130, signal.SIGTERM: 143}.items())
def test_an_interrupt_leaves_nothing(folder, ends, code):
    words = [sys.executable, "-m", "gelu_cli", "make", "exact", "--dtype", "float16", "-o", "k.h"]
    environment = {**os.environ, "TMPDIR": str(folder), "PYTHONPATH": os.pathsep.join(sys.path)}
    with subprocess.Popen(words, env=environment, stderr=subprocess.PIPE) as process:
        while process.poll() is None and not [*folder.glob("gelu-make-*/*.so")]:
            time.sleep(0.02)
        process.send_signal(ends)
        assert process.wait() == code
    assert [*folder.iterdir()] == []


def documented():
    """List the kernels that are in the documentation, of formats that are swept in a second."""
    return sorted(path for path in KERNELS.iterdir() if "16" in path.name)


def test_some_documented_kernels_hold():
    paths = documented()
    for path in [*paths[:2], paths[-1]]:
        run = gelu("make", "--check", path)
        assert run.code == 0, path
        assert ("no GPU ran the file" in run.err) == (path.suffix != ".c" and not gpu()), path


@pytest.mark.slow
def test_documented_kernels_hold():
    for path in documented():
        run = gelu("make", "--check", path)
        assert (run.code, run.err) == (0, ""), path
