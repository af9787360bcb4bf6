r"""Signs of the field, spelled in ASCII for places that have no UTF-8.

Importing this registers `SPELLED`, an error handler for the encodings of Python: what an encoding
has is kept, what it lacks is spelled, and a sign without a spelling is escaped, so nothing is lost.

>>> "x·Φ(x), f″ ≥ ½".encode("ascii", SPELLED)
b"x*Phi(x), f'' >= (1/2)"
>>> "Φ, ½, ы".encode("latin-1", SPELLED).decode("latin-1")
'Phi, ½, \\u044b'
"""

from __future__ import annotations

import codecs
from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from gelu_cli.report import Report

SPELLED = "gelu.spelled"

_SMALL = {sign: f"^{plain}" for sign, plain in zip("⁰¹²³⁴⁵⁶⁷⁸⁹ˣⁿ⁻", "0123456789xn-", strict=True)}
_LOW = dict(zip("₀₁₂₃₄₅₆₇₈₉ₖ", "0123456789k", strict=True))
SIGNS = {
    **_SMALL, **_LOW,
    "Φ": "Phi", "φ": "phi", "σ": "sigma", "α": "alpha", "β": "beta", "ε": "eps", "μ": "mu",
    "π": "pi", "√": "sqrt", "½": "(1/2)", "∞": "inf", "′": "'", "″": "''", "·": "*", "×": "x",
    "−": "-", "±": "+-", "≤": "<=", "≥": ">=", "≈": "~", "→": "->", "∈": "in", "…": "...",
    "⌊": "floor(", "⌋": ")", "─": "-", "ŷ": "y^",
}  # fmt: skip
"""What stands for each; powers of one digit only, as 2ⁿ."""


def _replacement(error: UnicodeError) -> tuple[str | bytes, int]:
    if not isinstance(error, UnicodeEncodeError):
        raise error
    lacking = error.object[error.start : error.end]
    return "".join(map(_spelling, lacking)), error.end


def _spelling(sign: str) -> str:
    return SIGNS.get(sign) or sign.encode("ascii", "backslashreplace").decode()


codecs.register_error(SPELLED, _replacement)


def spelled(report: Report, encoding: str) -> Report:
    """Return a report in the signs that an encoding has, before its columns get their widths."""
    from gelu_cli.report.text import with_texts

    return with_texts(report, lambda text: text.encode(encoding, SPELLED).decode(encoding))
