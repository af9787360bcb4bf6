"""docs/errata.md: each cell and each verdict is what mpmath finds."""

import csv
import shlex
from decimal import Decimal

import pytest

from tests.old.cli.runner import run_gelu
from tests.old.published import ERRATA, FILES, LISTED, ROOT, SECTIONS, sections, table
from tests.truth.mpmath import (
    FORMS,
    ORDER,
    M,
    elu,
    exact,
    gradient,
    noisy_relu,
    ratio,
    relu,
    sigmoid,
    tanh,
)  # fmt: skip

REPRODUCED = table(sections(SECTIONS["Reproduced"], 3)["Statements"])
README = (ROOT / "README.md").read_text(encoding="utf-8")


def test_everything_has_its_command():
    entries = {
        heading: text
        for section in SECTIONS.values()
        for heading, text in sections(section, 3).items()
    }
    del entries["Statements"]  # whose commands stand in the last column
    assert [heading for heading, text in entries.items() if "$ gelu " not in text] == []


@pytest.mark.parametrize("row", REPRODUCED, ids=[row[0] for row in REPRODUCED])
def test_the_command_of_a_reproduced_statement_runs(row):
    words = shlex.split(row[2].strip("`"))
    assert words[0] == "gelu"
    assert run_gelu(*words[1:]).code == 0


# The cells


def true_value(column, x):
    """Return what a column is at x; ReLU′(0) is 0 by convention."""
    form, _, quantity = column.partition("_")
    x = ratio(x)
    if column == "relu_gradient":
        return M.mpf(x > 0)
    if column == "exact_gate":
        return M.ncdf(x)
    return M.diff(FORMS[form], x, ORDER[quantity]) if quantity else FORMS[form](x)


def holds(figure, value):
    """Return whether a figure is a value correctly rounded to the figure's last decimal."""
    unit = ratio(10) ** Decimal(figure).as_tuple().exponent
    return abs(ratio(Decimal(figure)) - value) <= unit / 2


def cells(path):
    """Every printed figure of a file: file, x, column, figure."""
    with path.open(newline="", encoding="utf-8") as file:
        for row in csv.DictReader(file):
            x = row.pop("x")
            for column, figure in row.items():
                yield path.name, x, column, figure


CELLS = [cell for path in FILES for cell in cells(path)]
WRONG = [cell for cell in CELLS if not holds(cell[3], true_value(cell[2], Decimal(cell[1])))]


def test_the_wrong_cells_are_the_listed_ones():
    assert sorted(row[:4] for row in LISTED) == sorted(WRONG)


def test_corrections_are_correct():
    for _, x, column, published, correct in LISTED:
        assert len(correct) >= len(published) + 3
        assert holds(correct, true_value(column, Decimal(x))), (column, x)


def test_every_cell_is_counted():
    def count(rows, path):
        return sum(row[0] == path.name for row in rows)

    counts = [(p.name, count(CELLS, p), count(WRONG, p)) for p in FILES]
    assert table(sections(SECTIONS["Reproduced"], 3)["Cells"]) == [
        (name, str(all_), str(wrong), str(all_ - wrong)) for name, all_, wrong in counts
    ]
    assert f"{len(WRONG)} of {len(CELLS)} cells" in ERRATA
    assert f"{len(CELLS) - len(WRONG)} cells and" in ERRATA
    assert f"Of {len(CELLS)} figures in five public documents {len(WRONG)} are wrong" in README


# The statements: each as it is worded, true or false

ROOT_2 = M.sqrt(2)
LINE = [ratio(n) / 8 for n in range(-80, 81)]  # −10 to 10
NEGATIVE = [x for x in LINE if x < 0]
PLACE = M.findroot(lambda x: M.diff(exact, x), -0.75)


def difference(x):
    return abs(tanh(x) - exact(x))


def mean(f, mu=0, sigma=1):
    """E f(X), X ~ N(mu, sigma²), for an f that has its kink, if any, at 0."""
    with M.workdps(20):
        points = [mu - 12 * sigma, 0, mu + 12 * sigma]
        return M.quad(lambda x: f(x) * M.npdf(x, mu, sigma), points)


def same(a, b, digits=12):
    return abs(a - b) <= abs(b) * ratio(10) ** -digits


def tends_to_one(f):
    return all(abs(f(ratio(x)) - 1) < 2 / ratio(x) ** 2 for x in (2, 10, 100))


def average(beta, gain):
    """Var(m) over gain of m = (1 − β)·Σ βᵏgₖ, independent gₖ of variance `gain`."""
    return (1 - beta) ** 2 * M.nsum(lambda k: beta ** (2 * k), [0, M.inf]) * gain


STATEMENTS = {
    "002: the minimum is at x ≈ −0.17": lambda: holds("-0.17", PLACE),
    "000, 003: GELU′ is non-zero for all finite z": lambda: (
        not (gradient(ratio("-0.751792")) < 0 < gradient(ratio("-0.751791")))
    ),
    "000: the tanh form agrees to four decimals everywhere": lambda: all(
        difference(x) < 0.5e-4 for x in LINE
    ),
    "000: the error of the tanh form is about 1e-4 near 0": lambda: (
        difference(ratio("0.5")) > 0.5e-4
    ),
    "003: E[GELU′(X)²] ≈ 0.42": lambda: holds("0.42", mean(lambda x: gradient(x) ** 2)),
    "In prose: GELU(−1) = −0.158, and the gate there is 0.158": lambda: (
        holds("-0.158", exact(-1)) or holds("0.158", M.ncdf(-1))
    ),
    "In prose: the gradient is about 0.13 at −1": lambda: holds("0.13", gradient(ratio(-1))),
    "In prose: ELU has an unbounded negative output": lambda: any(elu(x) <= -1 for x in LINE),
    "In prose: E[ReLU(x + ε)] is a highly accurate GELU for large |x|": lambda: all(
        abs(noisy_relu(x) / exact(x) - 1) < 0.01 for x in LINE if abs(x) > 5
    ),
    "In prose: GELU = ½(1 + erf(x/√2))": lambda: all(
        same(exact(x), (1 + M.erf(x / ROOT_2)) / 2) for x in LINE
    ),
    "In prose: ReLU outputs x when it is greater than 1": lambda: all(
        (relu(x) == x) == (x > 1) for x in LINE
    ),
    "003: Var(m) = (1 − β)/(1 + β)·E[f′(X)²]": lambda: all(
        same(average(beta, ratio(3)), (1 - beta) / (1 + beta) * 3)
        for beta in map(ratio, ("0.5", "0.9", "0.99"))
    ),
    "002: the minimum's value is ≈ −0.17": lambda: holds("-0.17", exact(PLACE)),
    "000: GELU′ is positive for z > −0.75 or so": lambda: (
        all(gradient(x) > 0 for x in [PLACE + M.mpf("1e-9"), ratio("-0.75"), *LINE] if x > PLACE)
        and holds("-0.75", PLACE)
    ),
    "000: GELU′(−0.5) ≈ 0.133": lambda: holds("0.133", gradient(ratio("-0.5"))),
    "003: the curvature changes sign at ±√2, convex between": lambda: all(
        M.sign(M.diff(exact, x, 2)) == M.sign(ROOT_2 - abs(x))
        for x in [*LINE, *(s * (ROOT_2 + d) for s in (-1, 1) for d in (-1e-6, 1e-6))]
    ),
    "003: E[ReLU′(X)²] = 0.5": lambda: same(mean(lambda x: M.mpf(x > 0)), ratio("0.5")),
    "003: the curvature at 0 gives β = √(8/π)": lambda: same(
        M.diff(lambda x: x / (1 + M.exp(-M.sqrt(8 / M.pi) * x)), 0, 2), M.diff(exact, 0, 2)
    ),
    "003, 004: E[ReLU(x + ε)] = xΦ(x/σ) + σφ(x/σ)": lambda: all(
        same(mean(relu, x, ratio(sigma)), noisy_relu(x, sigma))
        for x, sigma in ((-1, "1"), (ratio("0.5"), "2"), (1, "0.3"))
    ),
    "003: P(GELU(X) < 0) = 1/2": lambda: all(M.sign(exact(x)) == M.sign(x) for x in LINE),
    "003: GELU(x)/x is in (0, 1/2) for x < 0": lambda: all(
        0 < exact(x) / x < 0.5 for x in NEGATIVE
    ),
    "003: x − GELU(x) ~ φ(x) in the positive tail": lambda: tends_to_one(
        lambda x: -exact(-x) / M.npdf(x)
    ),
    "003: x − xσ(βx) ~ x·exp(−βx)": lambda: tends_to_one(
        lambda x: -sigmoid(-x) / (x * M.exp(-ratio("1.702") * x))
    ),
    "002: a 768 → 3072 → 768 block has 4,722,432 parameters": lambda: (
        (768 + 1) * 3072 + (3072 + 1) * 768 == 4_722_432
    ),
}

FALSE = sections(SECTIONS["Statements that do not hold"], 3)
TRUE = sections(SECTIONS["Statements that hold on a condition"], 3)
UNDECIDED = sections(SECTIONS["Not something that a computation decides"], 3)
TRUE |= {row[0]: row for row in REPRODUCED}


def test_every_statement_is_judged():
    assert set(STATEMENTS) == FALSE.keys() | TRUE.keys()
    assert f"(#statements-that-do-not-hold): {len(FALSE)}\n" in ERRATA
    assert f"and {len(TRUE) - 1} statements\n" in ERRATA
    assert f"(#not-something-that-a-computation-decides): {len(UNDECIDED)}\n" in ERRATA


def test_mpmath_gives_the_same_verdicts():
    verdicts = {statement: judge() for statement, judge in STATEMENTS.items()}
    assert verdicts == {statement: statement in TRUE for statement in STATEMENTS}


def test_figures_are_what_the_page_takes_them_for_and_explains_them_by():
    square = mean(lambda x: gradient(x) ** 2)
    most = M.findroot(lambda x: M.diff(lambda t: tanh(t) - exact(t), x), 2.7)
    numbers = [
        ("-0.0040", exact(-3)), ("2.9960", exact(3)), ("0.0040", -exact(-3)),
        ("0.0833", -gradient(M.mpf(-1))), ("1.0040", 1 - exact(-3)), ("-0.0454", tanh(-2)),
        ("1.9545", exact(2)), ("1.9546", tanh(2)), ("-0.0036", tanh(-3)), ("2.9964", tanh(3)),
        ("0.4252", mean(lambda x: exact(x) ** 2)), ("0.4559", square),
        ("0.2059", square - mean(gradient) ** 2),  # the momentum formula is for a mean of 0
        ("0.4559", 1 / ratio(3) + 2 / (3 * M.sqrt(3) * M.pi)), ("1.5957691", M.sqrt(8 / M.pi)),
        ("-0.751792", PLACE), ("-0.16997", exact(PLACE)), ("-0.0119", gradient(ratio(-3))),
        ("-0.083", gradient(ratio(-1))), ("0.13", gradient(ratio("-0.5"))), ("-0.159", exact(-1)),
        ("0.159", M.ncdf(-1)), ("2.699", most), ("4.7e-4", difference(most)),
        ("0.849", M.findroot(lambda x: difference(x) - ratio("1e-4"), 0.85)),
        ("3.3e-4", difference(ratio("0.01")) / ratio("0.01") ** 4),
    ]  # fmt: skip
    assert [figure for figure, value in numbers if not holds(figure, value)] == []
