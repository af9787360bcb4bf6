"""What people mean by words that are not gelu's: other tools' names of the same things."""

from __future__ import annotations

import os
import re
from collections.abc import Collection
from pathlib import PurePath

OPTIONS = {
    "activation": "--form",
    "approximate": "--form",
    "approx": "--form",
    "atol": "--criteria",
    "cores": "--jobs",
    "csv": "--format csv",
    "derivative": "--quantity gradient",
    "every": "--all",
    "exhaustive": "--all",
    "fixed": "--digits",
    "from": "--range A:B",
    "function": "KERNEL without an option",
    "grad": "--quantity gradient",
    "gradient": "--quantity gradient",
    "high": "--range A:B",
    "json": "--format json",
    "low": "--range A:B",
    "max": "--range A:B",
    "max-error": "--max-ulp",
    "min": "--range A:B",
    "mu": "--mean",
    "places": "--digits",
    "precision": "--digits",
    "ref": "--target, or --form",
    "reference": "--target, or --form",
    "rtol": "--criteria",
    "save": "--output",
    "silent": "--quiet",
    "start": "--range A:B",
    "std": "--sigma",
    "stddev": "--sigma",
    "stdev": "--sigma",
    "step": "a range START:STOP:STEP",
    "steps": "a range START:STOP:/N",
    "stop": "--range A:B",
    "target": "--form",
    "threads": "--jobs",
    "to": "--range A:B",
    "tol": "--max-ulp",
    "tolerance": "--max-ulp",
    "ulp": "--max-ulp",
    "width": "--size WxH, or --digits",
    "workers": "--jobs",
}
"""By the name typed: the option that is meant, with a value of its own perhaps, or another way."""

NAMES = {
    "quantity": {
        "cdf": "gate",
        "d": "gradient",
        "derivative": "gradient",
        "dgelu": "gradient",
        "f": "value",
        "grad": "gradient",
        "hessian": "curvature",
        "output": "value",
        "second_derivative": "curvature",
        "slope": "gradient",
        "y": "value",
    },
    "form": {
        "approximate": "tanh",
        "erf_gelu": "exact",
        "fast": "tanh",
        "gelu_approx": "tanh",
        "gelu_approximate": "tanh",
        "gelu_erf": "exact",
        "gelu_exact": "exact",
        "gelu_sigmoid": "sigmoid",
        "quickgelu": "sigmoid",
        "true": "exact",
    },
    "dtype": {
        "fp8": "float8_e4m3fn",
    },
}
"""By the kind of name and the word typed: the name that is meant."""

ABSENT = {"form": {"leaky_relu", "prelu", "selu", "celu", "hardswish", "hard_swish", "tanhshrink"}}
"""What other libraries have and gelu has not, though another name looks like it."""


def meant_option(typed: str, known: Collection[str]) -> str:
    """Return the option, or the way, that is meant by one that a command has not; "" if unknown.

    >>> meant_option("--std", ["--sigma", "--seed"]), meant_option("--std", ["--seed"])
    ('--sigma', '')
    """
    means = OPTIONS.get(typed.lstrip("-"), "").split(", or ")
    return next((each for each in means if each[:2] == "a " or each.split(" ")[0] in known), "")


_LINSPACE = re.compile(r"(?:np\.)?linspace\(([^,()]+),([^,()]+),([^,()]+)\)")
_ARANGE = re.compile(r"(?:np\.)?arange\(([^,()]+),([^,()]+),([^,()]+)\)")
_DOTS = re.compile(r"(.+?)\.\.\.?(.+)")
_LIST = re.compile(r"[\[({]([^\"]*)[\])}]")


def meant_points(word: str) -> str:
    """Return how points are written that a word has in another notation; "" if it has none.

    >>> meant_points("linspace(-4,4,9)"), meant_points("[-1,2]"), meant_points("-4..4")
    ('-4:4:/9', '-1 2', '-4:4:STEP')
    """
    text = word.replace(" ", "")
    for pattern, written in ((_LINSPACE, r"\1:\2:/\3"), (_ARANGE, r"\1:\2:\3")):
        if found := pattern.fullmatch(text):
            return found.expand(written)
    if found := _LIST.fullmatch(text):
        return found[1].replace(",", " ")
    found = _DOTS.fullmatch(text)
    return found.expand(r"\1:\2:STEP") if found else ""


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
