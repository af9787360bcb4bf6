"""What people mean by files that are no kernels."""

from __future__ import annotations

import os
from pathlib import PurePath

_C = "compile it, cc -O2 -shared -fPIC -o libkernel.so {file}, and name ./libkernel.so:SYMBOL"
_KERNELS = {
    ".c": _C,
    ".cc": _C.replace("cc", "c++"),
    ".cpp": _C.replace("cc", "c++"),
    ".cu": "compile it, nvcc -shared -Xcompiler -fPIC -o libkernel.so {file}, and name "
    "./libkernel.so:SYMBOL",
    ".ipynb": "write the function to a file, and name FILE.py:CALLABLE",
    ".onnx": "run it in a function of numpy's arrays, as docs/kernels/gelu_onnx.py does, and name "
    "FILE.py:CALLABLE",
    ".py": "name the function in it, {file}:CALLABLE",
    ".so": "name the function in it, {file}:SYMBOL",
}


def meant_kernel(word: str) -> str:
    """Return how to name a function of a file or folder that is no kernel by itself; "" if unknown.

    >>> meant_kernel("k.py"), meant_kernel("torch.nn.functional")
    ('name the function in it, k.py:CALLABLE', '')
    """
    if os.path.isdir(word):
        return f"it is a folder; name a file in it, {word}/FILE.py:CALLABLE"
    file, colon, _ = word.partition(":")
    suffix = PurePath(file).suffix
    if colon and suffix in (".py", ".so"):
        return ""
    return _KERNELS.get(suffix, "").format(file=file)
