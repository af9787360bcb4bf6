"""Documents to be rendered, with names that anybody may have given."""

from decimal import Decimal

import numpy as np

from gelu_cli.old.report import Column
from gelu_cli.old.report.documents import Document, Finding, Table, find_document_renderer
from gelu_cli.old.report.formats import find_renderer, format_names
from gelu_cli.old.report.plots import Axis, Level, Mark, Plot, Tick, Trace
from gelu_cli.old.report.plots.scales import logarithmic, piecewise

TEXT_FORMATS = [name for name in format_names() if not find_renderer(name).binary]

HOSTILE = "<script>window.hacked=1</script>&amp;<img src=http://127.0.0.1:9/a.png onerror=hacked=1>"
LONG = "kernels_of_the_next_generation.py:" + "a_polynomial_of_degree_seven_" * 4
NAMES = ["erfc", HOSTILE, LONG]
ODD = "quoted \"a\" 'b'\x00\x1b[31m\nline, 100%: \udcff ]]> --> %0A::error::x"
"""A text with all that means something to somebody."""

NUMBERS = [Decimal("1.30842e-54"), Decimal("147.929"), -0.5, 65280.0, 1e300, float("inf")]


def table(title, columns, rows, keys=1):
    columns = [Column(name.replace(" ", "_"), name) for name in columns]
    return Table(title, columns, rows, {"ulp": "|got − y|/ulp(y)"}, 6, keys)


SUMMARY = table(
    "Errors in bfloat16",
    ["routine", "dtype", "inputs", "max ULP", "at x", "x bits", "mean ULP", "wrong NaN"],
    [(name, "bfloat16", 65280, Decimal("147.929"), -12.5, "0xc148", 0.25, 0) for name in NAMES],
)
REGIONS = table(
    "By region of x",
    ["routine", "low", "high", "max ULP"],
    [(name, float(n), n + 1.0, number) for name in NAMES for n, number in enumerate(NUMBERS)],
    keys=2,
)
WORST = table(
    "The worst inputs",
    ["routine", *(f"a column with a long heading {n}" for n in range(12))],
    [(name, *NUMBERS, None, "0x8001", *NUMBERS[:4]) for name in NAMES],
    keys=2,
)
X = np.linspace(-16, 16, 200)
TICKS = [Tick(float(x), f"{x:g}") for x in (0, 16, -16, *range(-14, 16, 2), *range(-15, 16, 2))]
PLOT = Plot(
    "Largest errors",
    Axis("x", piecewise([-16.0, 16.0], [-16.0, 16.0], TICKS)),
    Axis("ULP", logarithmic(0.01)),
    [Trace(name, X, np.exp(X * n) + 0.5) for n, name in enumerate(NAMES)],
    [Mark(16.0, 1e7, f"{HOSTILE}: 1e7"), Mark(15.9, 1e7, "beside it"), Mark(-16.0, 0.0, "low")],
    [Level(0.5, "0.5 ULP")],
)
FINDINGS = [
    Finding("erfc", "max_ulp ≤ 200", True, "erfc: no error exceeds 200 ULP"),
    Finding(HOSTILE, "over_1_ulp ≤ 3", False, f"over_1_ulp is 400\n{ODD}", "budgets/a,b.toml", 12),
    Finding(LONG, "wrong_zero ≤ 9", True, "5 fail, 9 are known", "b.toml", 3, warns=True),
]
MADE = {"time": "2026-01-02T03:04:05+00:00", "host": {"cpu": "a CPU", "flags": ["sse2"] * 200},
        "kernels": [{"name": HOSTILE, "versions": {"numpy": "2.0"}}]}  # fmt: skip
DOCUMENT = Document(
    f"Errors of {HOSTILE}",
    f"gelu sweep '{LONG}' --kwarg 'a={HOSTILE}'",
    MADE,
    {
        "dtype": "bfloat16",
        "all": True,
        "samples": 300,
        "seed": None,
        "kwargs": {"a": HOSTILE, "b": [1, 0.5]},
        "kernels": [{"name": HOSTILE, "ftz": False}],
    },
    {"summary": SUMMARY, "regions": REGIONS, "worst": WORST},
    [PLOT],
    FINDINGS,
    [f"{HOSTILE}: {ODD}"],
)
BROKEN = DOCUMENT._replace(
    findings=[Finding("erfc", "every input is judged", False, ODD, broken=True)]
)
NOTHING = DOCUMENT._replace(findings=[], notes=[])


def rendered(name, document):
    """Return a document in a format, as text."""
    return "".join(find_document_renderer(name).render(document))


def overlap(a, b):
    """Return whether two boxes do: left, right, and two heights with the lesser first."""
    return a[0] < b[1] and b[0] < a[1] and a[2] < b[3] and b[2] < a[3]
