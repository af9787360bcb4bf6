"""Budgets: what they hold figures to, which lines they name, and how --tighten changes them.

The kernels are a ReLU with errors of so many ULP planted at chosen inputs: every figure is known.
"""

from functools import cache

import numpy as np
import pytest

import gelu_cli
from gelu_cli import Budget, load_budget
from gelu_cli.errors import UsageError
from gelu_cli.old.answers.sweep import sweep_views
from gelu_cli.old.arithmetic.formats import FORMATS
from gelu_cli.old.budgets import BoundedVerdict
from gelu_cli.old.budgets.entries import AT_INFINITY, FIGURES, parse_budget
from gelu_cli.old.budgets.figures import figures_of, figures_of_rows, size
from gelu_cli.old.budgets.tightening import tightened
from gelu_cli.old.report.documents import table_of
from gelu_cli.old.sweeping.checking import check_results
from gelu_cli.old.sweeping.inputs import numbers_at
from gelu_cli.old.sweeping.metrics import METRICS
from gelu_cli.old.sweeping.regions import regions

HALF = FORMATS["float16"]


def relu_with(errors):
    """Return a float16 ReLU whose result at each x of `errors` is so many ULP too large."""

    def kernel(x):
        y = np.maximum(x, np.float16(0))
        for at, steps in errors.items():
            y = np.where(x == at, y + np.float16(steps) * np.spacing(y), y)
        return y.astype(np.float16)

    return kernel


def sweep(errors, **ends):
    return _swept(tuple(errors.items()), **ends)


@cache
def _swept(errors, **ends):
    return gelu_cli.sweep(relu_with(dict(errors)), dtype="float16", form="relu", **ends)


NAME = "relu_with.<locals>.kernel"
OWN = f'kernel = "{NAME}"\ndtype = "float16"\ntarget = "relu"\nquantity = "value"\n'
"""What an entry needs to be for this kernel alone; four lines."""


def said(errors, text, **ends):
    """Return what a budget says of the breaches, and of failures that have vanished."""
    judged = sweep(errors, **ends).within(Budget.of(text, "b.toml"))
    return str(judged).splitlines() if not judged else [], [each.said for each in judged.vanished]


# Bounds


def test_each_exceeded_bound_is_named_with_its_line():
    text = "[[bound]]\nmax_ulp = 2\nmax_ordinal = 3\nmisrounded = 1\nover_1_ulp = 2\n"
    assert said({3.0: 3, 5.0: 2}, text) == (
        [
            f"b.toml:2: {NAME}: max_ulp 3 at x = 3.0 exceeds 2",
            f"b.toml:4: {NAME}: misrounded 2 exceeds 1",
        ],
        [],
    )


def test_a_bound_is_kept_up_to_its_last_digit():
    """3 ULP above 2⁻¹⁴ are 3 exactly; a bound a little below is exceeded, and that is seen."""
    assert said({3.0: 3}, "[[bound]]\nmax_ulp = 3.0") == ([], [])
    (line,), _ = said({3.0: 3}, "[[bound]]\nmax_ulp = 2.9999999999999999999")
    assert "max_ulp 3 at x = 3.0 exceeds 2.9999999999999999999" in line


FITS = [f'kernel = "{NAME}"', 'dtype = "float16"', 'dtype = "half"', 'result = "float16"',
        'target = "relu"', 'quantity = "value"', 'range = "0:8"']  # fmt: skip
FITS_NOT = ['kernel = "another"', 'dtype = "bfloat16"', 'result = "float32"', 'target = "silu"',
            'quantity = "gradient"']  # fmt: skip


@pytest.mark.parametrize("match", FITS + FITS_NOT)
def test_entries_are_for_what_they_name(match):
    budget = Budget.of(f"[[bound]]\nmisrounded = 0\n{match}\n[[bound]]\nkernel='b'\nmisrounded=0")
    verdict = sweep({3.0: 3})
    if match in FITS:
        assert len(verdict.within(budget).breaches) == 1
    else:
        with pytest.raises(ValueError, match="no bound of budget is for relu_with"):
            verdict.within(budget)


def test_a_bound_where_nothing_was_swept_is_none():
    elsewhere = Budget.of('[[bound]]\nrange = "-8:-4"\nmax_ulp = 0')
    assert sweep({3.0: 3}, low=-9, high=9).within(elsewhere)
    with pytest.raises(ValueError, match="no bound of budget is for"):
        sweep({3.0: 3}, low=1, high=4).within(elsewhere)


def test_results_of_another_format_need_a_result():
    verdict = gelu_cli.sweep(
        lambda x: x.astype(np.float32), dtype="float8_e5m2", result="float32", form="relu"
    )
    with pytest.raises(ValueError, match="float8_e5m2 → float32"):
        verdict.within(Budget.of("[[bound]]\nmisrounded = 0"))
    breached = verdict.within(Budget.of('[[bound]]\nmisrounded = 0\nresult = "float32"'))
    assert len(breached.breaches) == 1


def test_regions_are_added_up():
    errors = {1.5: 1, 3.0: 4, 3.5: 2, 5.0: 1, 9.0: 7}
    text = '[[bound]]\nrange = "1:8"\nmisrounded = 3\nmax_ulp = 3\n'
    assert said(errors, text)[0] == [
        f"b.toml:3: {NAME}: misrounded 4 exceeds 3 in 1:8",
        f"b.toml:4: {NAME}: max_ulp 4 at x = 3.0 exceeds 3 in 1:8",
    ]


GENERAL = "[[bound]]\nmax_ulp = 1\nmisrounded = 1\n"
KNOWN = '[[bound]]\nrange = "2:4"\nmax_ulp = 4\nreason = "a table ends there"\n'


def test_a_known_failure_stands_for_the_general_bound_in_its_range():
    assert said({3.0: 4}, GENERAL + KNOWN) == ([], [])
    assert said({3.0: 5}, GENERAL + KNOWN)[0] == [
        f"b.toml:6: {NAME}: max_ulp 5 at x = 3.0 exceeds 4 in 2:4"
    ]
    assert said({3.0: 4, 5.0: 2}, GENERAL + KNOWN)[0] == [
        f"b.toml:2: {NAME}: max_ulp 2 at x = 5.0 exceeds 1 outside 2:4",
        f"b.toml:3: {NAME}: misrounded 2 exceeds 1",
    ]


def test_a_narrower_entry_without_a_reason_holds_beside_the_general_one():
    assert len(said({3.0: 4}, GENERAL + KNOWN.partition("reason")[0])[0]) == 1


def test_a_wrong_nan_or_infinity_is_beyond_every_error_but_inf():
    errors = {3.0: np.nan, 5.0: np.inf}
    text = "[[bound]]\nmax_ulp = {}\nwrong_nan = 1\nwrong_inf = {}\nreason = 'so'\n"
    assert said(errors, text.format("inf", 1)) == ([], [])
    assert said(errors, text.format("1e300", 0))[0] == [
        f"b.toml:2: {NAME}: max_ulp nan at x = 3.0, where 3.0 is right, exceeds every max_ulp",
        f"b.toml:4: {NAME}: wrong_inf 1 exceeds 0",
    ]


# What needs a reason

BROKEN = {
    "a NaN": ({3.0: np.nan}, "wrong_nan"),
    "an infinity": ({3.0: np.inf}, "wrong_inf"),
    "the other sign": ({3.0: -2000}, "wrong_sign"),
    "no digit": ({3.0: 3000}, "max_ulp"),
}
"""2000 units of 2⁻⁹ are more than 3, and in a format of 11 bits 2^11 are all there is."""


@pytest.mark.parametrize(("errors", "figure"), BROKEN.values(), ids=BROKEN)
def test_what_is_broken_is_accepted_for_a_reason_alone(errors, figure):
    """Whether it is in an entry for a kernel or for all, whoever wrote it, known or not."""
    accepted = f"[[bound]]\n{figure} = 1_000_000\n"
    assert said(errors, accepted + 'reason = "so"') == ([], [])
    for text, line in (accepted, 1), (accepted + "reason = ''", 3), (accepted + "reason = ' '", 3):
        ((complaint,), _) = said(errors, text)
        assert complaint.startswith(f"b.toml:{line}: {NAME}: {figure} ")
        assert complaint.endswith(' is accepted without a reason: write one, reason = "…"')


def test_a_loose_bound_needs_no_reason_where_nothing_is_broken():
    loose = "[[bound]]\nmax_ulp = inf\nwrong_nan = 9\nwrong_inf = 9\nwrong_sign = 9\n"
    assert said({3.0: 2048, 5.0: -1}, loose) == ([], [])


def test_a_known_failure_fails_until_somebody_says_why():
    """It still takes the place of the general bound, and what exceeds it is said so."""
    known = KNOWN.replace('"a table ends there"', '""')
    where = 'in 2:4 without a reason: write one, reason = "…"'
    assert said({3.0: 4}, GENERAL + known)[0] == [
        f"b.toml:7: {NAME}: max_ulp 4 at x = 3.0 is accepted {where}"
    ]
    assert said({3.0: 5}, GENERAL + known)[0] == [
        f"b.toml:6: {NAME}: max_ulp 5 at x = 3.0 exceeds 4 in 2:4"
    ]


# Figures


def test_figures_over_all_regions_are_those_of_the_verdict():
    steps = np.random.default_rng(5).integers(-9, 9, 40)
    verdict = sweep(dict(zip(np.linspace(0, 20, 40).astype(np.float16), steps, strict=True)))
    figures = figures_of(verdict)
    every = frozenset(regions(HALF))
    assert verdict.total.non_monotone > 10
    for metric in METRICS[:-1]:
        count = verdict.total.counts[metric.name]
        assert figures.over(metric.name, every | {AT_INFINITY}).value == count
        assert figures.over(metric.name, every).value == count
    for region, tally in verdict.regions.items():
        assert figures.over("non_monotone", frozenset([region])).value == tally.non_monotone
    assert figures.over("max_ulp", every).value == verdict.worst[0].ulp
    assert figures.over("max_ordinal", every).value == verdict.furthest.ordinal


def test_a_step_between_two_regions_counts_where_both_do():
    """2 is in 2:4 and the number before it in 1:2; regions that do not touch are no neighbours."""
    below = float(np.nextafter(np.float16(2), np.float16(0)))
    figures = figures_of(sweep({below: 5, 1.0: -4}))
    known = {region.ends: region for region in regions(HALF)}

    def steps(*ends):
        return figures.over("non_monotone", frozenset(known[each] for each in ends)).value

    assert steps((1.0, 2.0), (2.0, 4.0)) == steps((1.0, 2.0)) + steps((2.0, 4.0)) + 1
    assert steps((0.5, 1.0), (2.0, 4.0)) == steps((0.5, 1.0)) + steps((2.0, 4.0)) == 0


def test_nan_and_infinities_of_given_results_are_held_to_bounds_of_everything():
    x = np.array([1.0, 3.0, np.inf, -np.inf, np.nan], np.float16)
    got = np.array([1.0, 3.0, 7.0, 0.0, 0.0], np.float16)
    found = check_results("k", sweep({}).question, x, got, exhaustive=False)
    verdict = BoundedVerdict(**vars(found))
    one = '[[bound]]\nrange = "{}"\nwrong_nan = 0\nwrong_inf = 0\nmax_ulp = 0\n'
    assert verdict.within(Budget.of(one.format("-inf:inf")))
    everywhere = one.replace('range = "{}"\n', "")
    known = KNOWN.replace("max_ulp = 4", "wrong_nan = 0\nwrong_inf = 0\nmax_ulp = 0")
    for text in (everywhere, everywhere + known):
        breaches = verdict.within(Budget.of(text)).breaches
        assert [each.figure for each in breaches] == ["wrong_nan", "wrong_inf", "max_ulp"]


@pytest.mark.parametrize("name", [name for name in FORMATS if FORMATS[name].width <= 16])
def test_the_numbers_of_a_region_are_counted(name):
    every = numbers_at(FORMATS[name], np.arange(2 ** FORMATS[name].width, dtype=np.uint64))
    x = every[np.isfinite(every)]
    for region in regions(FORMATS[name]):
        inside = (np.signbit(x) == (region.sign < 0)) & (np.abs(x) >= region.low)
        assert size(region, FORMATS[name]) == np.sum(inside & (np.abs(x) < region.high))


@pytest.mark.parametrize(("name", "fraction"), [("float32", 23), ("float64", 52)])
def test_a_binade_has_two_to_the_power_of_its_bits(name, fraction):
    for region in regions(FORMATS[name]):
        if region.low and region.high == 2 * region.low:
            assert size(region, FORMATS[name]) == 2**fraction
    sizes = [size(region, FORMATS[name]) for region in regions(FORMATS[name])]
    exponents = 2 ** (FORMATS[name].width - 1 - fraction) - 1
    assert sum(sizes) == 2 * exponents * 2**fraction


def rows_of(verdict):
    """Return the figures that a record has of a verdict."""
    views, tables = sweep_views([verdict], None, 10), {}
    for name in ("summary", "regions"):
        table = table_of(views[name]())
        columns = [column.name for column in table.columns]
        tables[name] = [dict(zip(columns, row, strict=True)) for row in table.rows]
    return figures_of_rows(verdict, tables["summary"][0], tables["regions"])


def test_the_rows_of_a_record_are_judged_as_the_verdict_is():
    verdict = sweep({3.0: 4, 3.5: 2, 9.0: 2})
    figures = rows_of(verdict)
    for text in (GENERAL, GENERAL + KNOWN, '[[bound]]\nrange = "2:16"\nover_1_ulp = 2'):
        budget = Budget.of(text, "b.toml")
        judged = budget.judge(figures)
        assert judged == verdict.within(budget)
        assert judged.unknown == []
    assert Budget.of('[[bound]]\nrange = "2:16"\nwrong_nan = 0').judge(figures).checked
    budget = Budget.of('[[bound]]\nrange = "2:16"\nmisrounded = 2', "b.toml")
    assert not verdict.within(budget)
    assert budget.judge(figures).checked == []
    (said,) = budget.judge(figures).unknown
    assert said == f"b.toml:3: {NAME}: misrounded in 2:16 is not known and not judged"


def test_errors_in_other_surroundings_alone_are_figures_too():
    """0 for 3 is 1536 units of 2⁻⁹ off, and 16,896 numbers: 3 is 1.1₂·2¹, of exponent field 16."""

    def kernel(x):
        elsewhere = (x == 3) & (len(x) % 8 > 0)
        return np.where(elsewhere, 0, np.maximum(x, 0)).astype(x.dtype)

    given = {"dtype": "float16", "form": "relu", "low": 2, "high": 4, "batch": 64}
    verdict = gelu_cli.sweep(kernel, shapes=True, **given)
    assert verdict.max_ulp == 0
    every = frozenset(verdict.regions)
    for figures in figures_of(verdict), rows_of(verdict):
        assert figures.over("max_ulp", every).value == 1536
        assert figures.over("max_ordinal", every).value == (16 << 10) + 512


def test_a_record_with_a_wrong_nan_exceeds_every_max_ulp():
    figures = rows_of(sweep({3.0: np.nan}))
    (breach,) = Budget.of("[[bound]]\nmax_ulp = 1e9", "b").judge(figures).breaches
    assert breach.said == f"b:2: {NAME}: max_ulp nan or inf exceeds every max_ulp"
    regional = Budget.of('[[bound]]\nrange = "4:8"\nmax_ulp = 1e9', "b").judge(figures)
    assert (regional.checked, len(regional.unknown)) == ([], 1)


# Known failures that have vanished


def test_a_failure_that_vanished_is_told():
    known = f'[[bound]]\n{OWN}range = "2:4"\nmax_ulp = 4\nmisrounded = 3\nreason = "so"\n'
    lines = {"max_ulp": 10, "misrounded": 11}
    for errors, gone in [
        ({3.0: 4, 3.5: 1, 2.5: 1}, []),
        ({3.0: 4}, ["misrounded"]),
        ({3.0: 1, 3.5: 1}, ["max_ulp"]),
        ({3.0: 1}, ["max_ulp", "misrounded"]),
        ({}, ["max_ulp", "misrounded"]),
    ]:
        told = "b.toml:{}: {}: {} in 2:4: this known failure fails no longer"
        expected = [told.format(lines[figure], NAME, figure) for figure in gone]
        assert said(errors, GENERAL + known) == ([], expected), errors


def test_what_others_of_the_same_need_does_not_go():
    """The general bound of 1 misrounded result is used up elsewhere."""
    known = f'[[bound]]\n{OWN}range = "2:4"\nmisrounded = 3\nreason = "so"\n'
    assert said({3.0: 1, 5.0: 1}, GENERAL + known) == ([], [])
    assert said({5.0: 1}, GENERAL + known)[1]


def test_without_a_general_bound_a_failure_has_vanished_when_results_are_right():
    alone = f'[[bound]]\n{OWN}range = "2:4"\nmax_ulp = 3\nmax_ordinal = 3\nreason = "so"\n'
    assert said({3.0: 1}, alone) == ([], [])
    assert said({5.0: 1}, alone)[1]


def test_nothing_vanishes_where_not_every_input_was_judged():
    assert said({}, GENERAL + KNOWN, low=2.5)[1] == []
    assert said({}, GENERAL + KNOWN, low=2)[1]
    sampled = gelu_cli.sweep(lambda x: np.maximum(x, 0), dtype="float32", form="relu", samples=2000)
    judged = sampled.within(Budget.of(GENERAL + KNOWN))
    assert judged
    assert judged.vanished == []


# Bad input: the file, the line, and what would be right

HARD = '''# [[bound]]
[[bound]] # [[bound]]
"kernel" = "a # [[bound]]"
reason = """
[[bound]]
max_ulp = 7 \\""" ""\\"
"""
max_ulp = 1

[[ bound ]]
reason = \'\'\'
[[bound]] { ["\'\'\'
'max_ulp' = 2
range = "-8:-4" # "
    [[bound]]
    kernel = '#['
    misrounded = 3
'''


@pytest.mark.parametrize("end", ["\n", "\r\n"])
def test_lines_are_those_of_the_file_whatever_stands_in_texts_and_comments(end):
    text = HARD.replace("\n", end)
    lines = text.split(end)
    entries = parse_budget(text, "b.toml")
    assert [entry.line() for entry in entries] == [2, 10, 15]
    for entry in entries:
        for figure, bound in entry.bounds.items():
            line = lines[entry.line(figure) - 1]
            assert (figure in line, line.endswith(f"= {bound}")) == (True, True)
    assert entries[1].at("range") == "b.toml:14"


@pytest.mark.parametrize(
    ("text", "message"),
    [
        ("[[bound]]\nmax_ulp =\n", "b:2: this is no TOML: invalid value"),
        ("[[bound]]\nmax_ulp = 2\n[[bound", "b:3: this is no TOML: expected ']]'"),
        ('a = """\n', "b:1: this is no TOML: unterminated string"),
        ("a = " + "[" * 9000, "b: this is no TOML: it is nested too deep"),
        ("\na = " + "9" * 900_000, "b:2: '99999999999999999999…' is too long: no bound has 500 d"),
        ("[[bound]]\nmax_ulp = 0." + "9" * 900_000, "b:2: '0.999999999999999999…' is too long"),
        ("[[bound]]\nmax_ordinal = +0x" + "f" * 501, "b:2: '+0xfffffffffffffffff…' is too long"),
        ("[[bound]]\nmax_ulp = 1e-" + "9" * 400, "b:2: max_ulp must be a number, 0 or more, or in"),
        ("[[bound]]\nmax_ulp = 2\n\nmaxulp = 3", "b:4: unknown key 'maxulp'; did you mean 'max_u"),
        ("[[bound]]\nmax_ulp = 2\n[bound.x]\ny = 3", "b:3: unknown key 'x'"),
        ("[[bonud]]\nmax_ulp = 2", "b:1: unknown key 'bonud'; did you mean 'bound'?"),
        ("\nbound = [{max_ulp = 2}]", "b:2: each bound is a table of its own; write [[bound]]"),
        ("[bound]\nmax_ulp = 2", "b:1: each bound is a table of its own; write [[bound]]"),
        ("[[bound]]\nkernel = 'f'", "b:1: this bounds nothing; add max_ulp"),
        ("[[bound]]\nmax_ulp = 'two'", "b:2: max_ulp must be a number, 0 or more, or inf, not 'tw"),
        ("[[bound]]\nmax_ulp = -0.5", "b:2: max_ulp must be a number, 0 or more, or inf, not -0.5"),
        ("[[bound]]\nmax_ulp = nan", "not NaN"),
        ("[[bound]]\nmax_ulp = true", "not true"),
        ("[[bound]]\nmax_ulp = 1e999999999", "not 1E+999999999"),
        ("[[bound]]\nmax_ulp = [1]", "not an array"),
        ("[[bound]]\nmax_ulp = {}", "not a table"),
        ("[[bound]]\nmisrounded = 1.0", "b:2: misrounded must be a whole number, 0 or more, not 1"),
        ("[[bound]]\nmax_ordinal = inf", "must be a whole number, 0 or more, not Infinity"),
        ("[[bound]]\nmax_ulp = 2\nreason = 3", "b:3: reason must be a text, which says why"),
        ("[[bound]]\nmax_ulp = 2\nkernel = ['f']", "b:3: kernel must be a text"),
        ("[[bound]]\nmax_ulp = 2\ndtype = 'bfloat15'", "b:3: unknown dtype 'bfloat15'; did you me"),
        ("[[bound]]\nmax_ulp = 2\nresult = 'x'", "b:3: unknown dtype 'x'"),
        ("[[bound]]\nmax_ulp = 2\ntarget = 'tnah'", "b:3: unknown form 'tnah'; did you mean 'tanh"),
        ("[[bound]]\nmax_ulp = 2\nquantity = 'gate'", "b:3: quantity must be 'value' or 'gradien"),
        ("[[bound]]\nmax_ulp = 2\nrange = '4'", "b:3: range '4' must be A:B; ends look like"),
        ("[[bound]]\nmax_ulp = 2\nrange = 'a:b'", "b:3: range 'a:b' must be A:B"),
        ("[[bound]]\nmax_ulp = 2\nrange = 'nan:1'", "b:3: range 'nan:1' must be A:B"),
        ("[[bound]]\nmax_ulp = 2\nrange = '0:1e999'", "b:3: range '0:1e999' must be A:B"),
        ("[[bound]]\nmax_ulp = 2\nrange = '0:1/0'", "b:3: range '0:1/0' must be A:B"),
        ("[[bound]]\nmax_ulp = 2\nrange = '4:-4'", "b:3: range '4:-4' holds no input"),
        (
            "[[bound]]\nmax_ulp = 2\ndtype = 'bfloat16'\nrange = '-7:-4'",
            "b:4: range '-7:-4': no region of bfloat16 ends at -7; the nearest ends are -8 and -4",
        ),
        (
            "[[bound]]\nmax_ulp = 2\n[[bound]]\nmisrounded = 3\nmax_ulp = 3",
            "b:5: max_ulp has a bound for the same in line 2, 2: keep one of them",
        ),
        (
            "[[bound]]\nmax_ulp=2\nrange='1:2'\n[[bound]]\nmax_ulp=3\nrange='1.0:0x1p1'",
            "b:5: max_ulp has a bound for the same in line 2",
        ),
    ],
)
def test_what_cannot_be_meant_is_refused_with_its_line(text, message):
    with pytest.raises(UsageError) as error:
        Budget.of(text, "b")
    assert message in str(error.value)
    assert "\n" not in str(error.value)


def test_an_end_that_is_none_of_this_format_is_told_when_it_is_swept():
    budget = Budget.of('[[bound]]\nrange = "1/4096:16"\nmax_ulp = 2', "b")
    assert sweep({}).within(budget)
    eight = gelu_cli.sweep(lambda x: x, dtype="float8_e4m3fn", form="relu")
    with pytest.raises(
        ValueError, match=r"^b:2: range .* no region of float8_e4m3fn ends at 0.000"
    ):
        eight.within(budget)


def test_ends_are_known_in_the_digits_that_people_see():
    low, high = "6.10352e-05", "0.000244141"
    entry = parse_budget(f'[[bound]]\nrange = "{low}:{high}"\nmax_ulp = 2', "b")[0]
    (region,) = entry.scope(HALF)
    assert region.ends == (2.0**-14, 2.0**-12)


def test_a_misspelt_kernel_is_noticed():
    with pytest.raises(ValueError, match=r"did you mean relu_with\.<locals>\.kernel by 'relu_wiht"):
        sweep({}).within(Budget.of('[[bound]]\nkernel = "relu_wiht.<locals>.kernel"\nmax_ulp = 2'))


def test_a_file_is_read_and_refused(tmp_path):
    path = tmp_path / "b.toml"
    path.write_text("[[bound]]\nmax_ulp = 2\n")
    assert sweep({3.0: 2}).within(path)
    assert sweep({3.0: 2}).within(str(path))
    assert not sweep({3.0: 3}).within(load_budget(path))
    for content, said in [
        (b"[[bound]]\nkernel = '\xff'", ":2: this is no TOML: it is not UTF-8"),
        (b" " * 1_000_001, "is no budget: it has over 1,000,000 bytes"),
    ]:
        path.write_bytes(content)
        with pytest.raises(ValueError, match=said):
            load_budget(path)
    with pytest.raises(ValueError, match="cannot read"):
        load_budget(tmp_path)


# Tightening


def tighten(text, *verdicts):
    return tightened(Budget.of(text, "b"), [figures_of(verdict) for verdict in verdicts])


def test_a_new_budget_holds_what_was_found():
    errors = {3.0: 4, 5.0: -3}
    found = tighten("", sweep(errors))
    assert found[1:] == (0, 1, [])
    figures = "max_ulp = 4\nmax_ordinal = 4\nover_half_ulp = 2\nover_1_ulp = 2\nmisrounded = 2\n"
    rest = "wrong_nan = 0\nwrong_inf = 0\nwrong_sign = 0\nwrong_zero = 0\nnon_monotone = 2\n"
    rest += "max_abs_error = 0.01172\nmax_rel_error = 0.002605\n"
    assert found.text.partition("[[bound]]\n")[2] == OWN + figures + rest
    assert sweep(errors).within(Budget.of(found.text))
    assert tighten(found.text, sweep(errors)) == (found.text, 0, 0, [])


def entries_of(text):
    """Return of each entry its range, its reason, and its bounds but those that are 0."""
    return [
        (each.range, each.reason, {name: bound for name, bound in each.bounds.items() if bound})
        for each in parse_budget(text, "b")
    ]


def test_what_is_broken_becomes_a_known_failure_whose_reason_is_yet_to_be_written():
    """One for each run of regions that are broken alike."""
    errors = {3.0: np.nan, 5.0: np.nan, 9.0: 3000, 1.0: 2}
    found = tighten("", sweep(errors))
    general, *known = entries_of(found.text)
    assert found[1:] == (0, 3, [])
    assert general[:2] == ("", None)
    assert general[2]["max_ulp"] == 2
    assert {"wrong_nan", "wrong_inf", "wrong_sign"}.isdisjoint(general[2])
    assert known == [
        ("2:8", "", {"max_ulp": np.inf, "wrong_nan": 2}),
        ("8:16", "", {"max_ulp": 3000}),
    ]
    judged = sweep(errors).within(Budget.of(found.text, "b"))
    assert [each.line for each in judged.breaches] == [25, 25, 35]
    reasoned = found.text.replace('""', '"so"')
    assert sweep(errors).within(Budget.of(reasoned))
    assert tighten(reasoned, sweep(errors)) == (reasoned, 0, 0, [])


def test_what_is_known_to_be_broken_is_not_written_again():
    known = f'[[bound]]\n{OWN}range = "2:4"\nmax_ulp = inf\nwrong_nan = 1\nreason = "so"\n'
    found = tighten(known, sweep({3.0: np.nan, 5.0: np.nan}))
    assert [each[:2] for each in entries_of(found.text)] == [("2:4", "so"), ("", None), ("4:8", "")]


def test_what_no_region_tells_is_broken_everywhere():
    """Of a record no row says where a NaN is, and NaN as an input is in no region."""
    (_, recorded) = entries_of(tightened(Budget.of(""), [rows_of(sweep({3.0: np.nan}))]).text)
    assert recorded == ("", "", {"max_ulp": np.inf, "wrong_nan": 1})
    x = numbers_at(HALF, np.arange(2**16, dtype=np.uint64))
    got = np.where(np.isnan(x), 7.0, np.maximum(x, 0))
    found = check_results("k", sweep({}).question, x, got, exhaustive=True)
    verdict = BoundedVerdict(**vars(found))
    (_, of_nan) = entries_of(tighten("", verdict).text)
    assert of_nan == ("", "", {"max_ulp": np.inf, "wrong_nan": 2046})


@pytest.fixture(scope="module")
def bad_silu():
    """Errors of every kind in a few thousand inputs."""
    errors = {-3.0: 4, 1 / 3: 7, 1.0: -3, 5.0: -9, 7.0: np.nan, 9.0: np.inf}
    return gelu_cli.sweep(
        lambda x: relu_with(errors)(x) * np.float16(1.001), dtype="float16", form="silu"
    )


@pytest.mark.parametrize("figure", FIGURES[:-1])
def test_a_budget_that_was_made_is_kept_and_each_of_its_bounds_is_sharp(figure, bad_silu):
    """Below what was found, rounded up to four digits, every one of them is exceeded."""
    verdict = bad_silu
    text = tighten("", verdict).text.replace('reason = ""', 'reason = "so"')
    assert verdict.within(Budget.of(text))
    for place, line in enumerate(text.splitlines()):
        bound = float(line.split()[-1]) if line.startswith(f"{figure} =") else 0
        if bound:
            lower = 1e9 if bound == np.inf else bound * 0.999
            lines = text.splitlines()
            lines[place] = f"{figure} = {lower if figure == 'max_ulp' else int(bound) - 1}"
            (breach,) = verdict.within(Budget.of("\n".join(lines))).breaches
            assert (breach.figure, breach.line) == (figure, place + 1)


COMMENTED = f"""\
# Ours.
[[bound]]   # the kernel
{OWN}max_ulp = 8.50   # was 9
misrounded = 1  # exceeded

# Known.
[[bound]]
{OWN}range = "2:4"
reason = '''a
[[bound]]'''
max_ulp = 9
[[bound]]
max_ulp = 100  # for all
"""


@pytest.mark.parametrize("end", ["\n", "\r\n"])
def test_bounds_are_lowered_never_raised_and_all_else_is_kept(end):
    text = COMMENTED.replace("\n", end)
    errors = {3.0: 4, 5.0: 2, 9.0: 1}
    found = tighten(text, sweep(errors))
    expected = text.replace("8.50", "2").replace("max_ulp = 9", "max_ulp = 4")
    assert found == (expected, 2, 0, [])
    assert tighten(found.text, sweep(errors)) == (expected, 0, 0, [])
    assert tighten(found.text, sweep({3.0: 9, 5.0: 9})).text == expected


def test_an_entry_for_several_kernels_is_left_and_one_is_added():
    text = "[[bound]]\nmax_ulp = 9"  # without an end of the line
    found = tighten(text, sweep({3.0: 1}))
    assert found.text.startswith(f"{text}\n\n[[bound]]\n{OWN}max_ulp = 1\n")
    assert found[1:] == (0, 1, [])


def test_what_is_known_is_outside_of_the_bounds_that_are_added():
    known = f'[[bound]]\n{OWN}range = "2:4"\nmax_ulp = 9\nreason = "so"\n'
    added = tighten(known, sweep({3.0: 4, 5.0: 2})).text
    assert "max_ulp = 4\n" in added
    assert "max_ulp = 2\nmax_ordinal = 4\n" in added


def test_only_what_was_swept_whole_is_taken():
    errors = {3.0: 4, 5.0: 2}
    part = sweep(errors, low=2.5, high=6)
    text = f'[[bound]]\n{OWN}max_ulp = 8\n[[bound]]\n{OWN}range = "2:4"\nmax_ulp = 7\n'
    assert tighten(text, part).text == text
    assert tighten("", part) == ("", 0, 0, [f"{NAME}: no region was swept whole, nothing is added"])
    more = tighten(text, sweep(errors, low=2, high=6))
    assert (more.text, more.lowered) == (text.replace("= 7", "= 4"), 1)
    added = tighten("", sweep(errors, low=-1, high=9)).text
    assert 'range = "-1:8"\nmax_ulp = 4\n' in added
    assert figures_of(sweep({})).is_whole(frozenset(regions(HALF)))


def test_samples_tighten_nothing():
    sampled = gelu_cli.sweep(lambda x: np.maximum(x, 0), dtype="float32", form="relu", samples=2000)
    found = tighten("[[bound]]\nmax_ulp = 9\n", sampled)
    assert found[:3] == ("[[bound]]\nmax_ulp = 9\n", 0, 0)
    assert "the figures of a sample are lower bounds" in found.notes[0]


def test_names_are_written_as_toml_has_them():
    verdict = sweep({}, low=-1e9)
    verdict.name = 'a "b"\\\n\x1b'
    text = tighten("", verdict).text
    assert [entry.match["kernel"] for entry in parse_budget(text, "b")] == [verdict.name]
