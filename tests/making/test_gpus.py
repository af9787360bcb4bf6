"""Texts of CUDA and Triton on a GPU, if one is here; what a file says of who ran it."""

import ctypes
import shutil
from importlib.util import find_spec
from pathlib import Path

import numpy as np
import pytest

from gelu_cli import make
from gelu_cli.errors import ComputationError
from gelu_cli.making.builds import Function, compilers
from gelu_cli.making.gpus import gpu

MADE = Path(__file__).parents[2] / "docs/kernels/made"

pytestmark = pytest.mark.skipif(not shutil.which("cc"), reason="there is no C compiler")
on_cuda = pytest.mark.skipif(not gpu() or not shutil.which("nvcc"), reason="there is no GPU")
on_triton = pytest.mark.skipif(not gpu() or not find_spec("triton"), reason="there is no GPU")


@pytest.mark.parametrize(
    "language", [pytest.param("cuda", marks=on_cuda), pytest.param("triton", marks=on_triton)]
)
@pytest.mark.parametrize("dtype", ["bfloat16", "float16", "float8_e5m2"])
def test_a_gpu_runs_what_is_made(language, dtype, tmp_path):
    made = make("sigmoid:beta=1.6", dtype=dtype, language=language)
    assert made.misrounded == 0
    assert f"{gpu()} by " in made.source
    assert "No GPU" not in made.source
    (tmp_path / "k").write_text(made.source)
    assert make(check=tmp_path / "k").sha256 == made.sha256


@on_cuda
def test_a_gpu_finds_a_changed_result(tmp_path):
    text = (MADE / "silu_value_bfloat16.cu").read_text()
    (tmp_path / "k.cu").write_text(text.replace("0x8000u", "0x7000u"))
    assert make(check=tmp_path / "k.cu").answer.failures


@pytest.mark.skipif(bool(gpu()), reason="there is a GPU")
@pytest.mark.parametrize("language", ["cuda", "triton"])
def test_without_a_gpu_a_stand_in_is_named(language):
    source = make(dtype="float8_e5m2", language=language).source
    assert "stand-in by " in source
    assert "No GPU has run this text." in source


def test_the_message_of_a_device_is_reported(tmp_path):
    text = 'const char *f(void *x, void *y, unsigned long n) { return n ? "out of memory" : 0; }'
    library = compilers()[0].build(text, tmp_path, [])
    function = Function(library, "f", ctypes.c_char_p)
    assert function(np.zeros(0, np.uint16)).size == 0
    with pytest.raises(ComputationError, match="out of memory"):
        function(np.zeros(1, np.uint16))
