"""Make the kernels of docs/kernels/made again, and the table of their numbers in docs/made.md.

    python tools/make_kernels.py [DTYPE…]

Without a format all are made; a text of float32 takes some five minutes.
"""

import re
import sys
from itertools import product
from pathlib import Path

sys.path.insert(0, str(Path(__file__).parents[1]))

from gelu_cli import make

DOCS = Path(__file__).parents[1] / "docs"
PAGE, KERNELS = DOCS / "made.md", DOCS / "kernels" / "made"
SUFFIXES = {"c": ".c", "cuda": ".cu", "triton": "_triton.py"}
SIXTEEN = [*product(("value", "gradient"), ("exact", "tanh", "sigmoid", "silu"), ("",))]
KINDS = {
    "bfloat16": SIXTEEN,
    "float16": SIXTEEN,
    "float32": [*product(("value",), ("exact", "tanh", "silu"), ("", "_correct"))],
}
"""Quantities, forms, and ends of names: "_correct" is within ½ ULP, not 0.501."""


def main(dtypes: list[str]) -> None:
    """Make kernels, and replace their rows of the table."""
    KERNELS.mkdir(exist_ok=True)
    for dtype in dtypes:
        for quantity, form, end in KINDS[dtype]:
            name = f"{form}_{quantity}_{dtype}{end}"
            asked = {"dtype": dtype, "quantity": quantity, "max_ulp": 0.5 if end else None}
            for language, suffix in SUFFIXES.items():
                made = make(form, language=language, **asked)
                assert not made.answer.failures, made.answer.failures
                (KERNELS / f"{name}{suffix}").write_text(made.source, encoding="utf-8")
                if language == "c":
                    print(row(name, made), flush=True)


def row(name, made) -> str:
    """Write a row of the table, and put it into the page if it has one of this kernel."""
    ratio = f"{made.ns / made.ns_torch:.2f}" if made.ns_torch else "–"
    torch = f"{made.ns_torch:.2f}" if made.ns_torch else "–"
    cells = [
        f"[`{name}`](kernels/made/{name}.c)",
        made.patched,
        f"{made.max_ulp:.6f}",
        f"{made.ns:.2f}",
        f"{made.ns_erff:.1f}",
        torch,
        ratio,
    ]
    line = f"| {' | '.join(map(str, cells))} |"
    text = PAGE.read_text(encoding="utf-8")
    text = re.sub(rf"^\| \[`{name}`\].*$", lambda _: line, text, flags=re.MULTILINE)
    PAGE.write_text(text, encoding="utf-8")
    return line


if __name__ == "__main__":
    main(sys.argv[1:] or [*KINDS])
