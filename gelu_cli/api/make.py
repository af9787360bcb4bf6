"""Kernels that are made: searched, written, proved for every input, timed."""

from __future__ import annotations

import math
from collections.abc import Callable, Iterator, Sequence
from dataclasses import dataclass, replace
from functools import partial
from pathlib import Path
from tempfile import TemporaryDirectory
from typing import Any, NamedTuple

from gelu_cli.api.results import Answer, Result
from gelu_cli.errors import UsageError
from gelu_cli.formulas import Form
from gelu_cli.inputs.names import FormLike, choose, to_form, to_format
from gelu_cli.inputs.numbers import positive, whole
from gelu_cli.making.climb import Try, climb_ladder, climb_wide
from gelu_cli.making.compilers import compilers
from gelu_cli.making.operations import Kernel
from gelu_cli.making.proofs import HALF_ULP, EveryFloat32, Expected, Proof, Verdict
from gelu_cli.making.schemes import logistic_argument
from gelu_cli.making.texts import LANGUAGES, Request, Shape, header, read_header
from gelu_cli.making.timing import Times, time_kernel
from gelu_cli.numbers import Decimals, Format
from gelu_cli.output.tables import Table

COLUMNS = (
    "form quantity dtype inside degree operations max_ulp max_ulp_x misrounded patched sha256 "
    "ns ns_erff ns_torch"
)
BOUNDS = {"float32": 0.501}
"""Default bounds in ULP; other formats have ½, the correctly rounded result."""

WORST = 64
"""Inputs of float32 that are listed; up to 32 can be patched."""

DEFAULTS = {"form": "exact", "quantity": "value", "dtype": "bfloat16", "language": "c"}

Watch = Callable[[int, int], None]


@dataclass(frozen=True, kw_only=True)
class Made(Result):
    """A kernel and what was proved.

    Attributes
    ----------
    form, quantity, dtype
        What it computes, in which format.
    inside
        Format of the operations, or `table`.
    degree
        Degree of the polynomial of exp2, and of the rational or polynomial of `exact`.
    operations
        Number of operations.
    max_ulp, max_ulp_x
        The largest error over all inputs and compilers in ULP, and its x.
    misrounded
        Number of inputs whose result is not the correctly rounded one.
    patched
        Number of inputs whose results are listed.
    sha256
        Digest of the results of all inputs.
    ns, ns_erff, ns_torch
        Nanoseconds a number for 10⁵ draws of N(0, 1) in one thread: of the kernel in C, of
        0.5·x·(1 + erff(x/√2)), and of torch's own function, if torch is installed and has one.
    source
        The text.
    """

    form: str
    quantity: str
    dtype: str
    inside: str
    degree: str
    operations: int
    max_ulp: float
    max_ulp_x: float
    misrounded: int
    patched: int
    sha256: str
    ns: float | None
    ns_erff: float | None
    ns_torch: float | None
    source: str


def make(
    form: FormLike | None = None,
    *,
    dtype: Any = None,
    quantity: str | None = None,
    language: str | None = None,
    max_ulp: Any = None,
    check: str | Path | None = None,
    jobs: Any = None,
    digits: int | None = None,
    watch: Watch = lambda done, total: None,
) -> Made:
    """Make a kernel that is proved for every input, or prove one again.

    Parameters
    ----------
    form
        `exact` by default, or a logistic form: `tanh`, `sigmoid`, `silu`, with parameters.
    dtype
        `bfloat16` by default, float32, float16 or an 8-bit format.
    quantity
        `value` or `gradient`.
    language
        `c`, `cuda`, `triton` or `numpy`.
    max_ulp
        Largest error that is allowed; ½ by default, for float32 0.501.
    check
        A file that was made: judge it again instead.
    jobs
        Number of processes that judge float32.
    digits
        Print numbers of the views to so many significant digits.
    watch
        Called with the rungs of the ladder that are done, and their number.

    Raises
    ------
    UsageError
        If a name is unknown, or the scheme does not fit the form.
    ComputationError
        If there is no C compiler, or it fails.

    Examples
    --------
    >>> made = make("silu", dtype="float8_e5m2")
    >>> made.misrounded, made.inside, "silu_value_float8_e5m2" in made.source
    (0, 'table', True)
    """
    typed = {"form": form, "quantity": quantity, "dtype": dtype, "language": language}
    with TemporaryDirectory(prefix="gelu-make-") as folder:
        if check is not None:
            made = _check(Path(check), typed, max_ulp, jobs, watch, Path(folder))
        else:
            words = {name: DEFAULTS[name] if word is None else word for name, word in typed.items()}
            made = _make(_asked(words, max_ulp, jobs, watch), watch, Path(folder))
    summary: Callable[[], Table] = partial(_summary, made, digits)
    views = {**made.answer.views, "summary": summary}
    return replace(made, answer=replace(made.answer, views=views))


def language_of(path: str | None, language: str | None) -> str | None:
    """Choose the language by the suffix of a file, unless it is named."""
    if path is None or language is not None:
        return language
    suffixes = {suffix: name for name, each in LANGUAGES.items() for suffix in each.suffixes}
    suffix = Path(path).suffix.lower()
    if suffix not in suffixes:
        raise UsageError(
            f"-o {path}: the suffix is not one of {' '.join(suffixes)}; add --language triton, say"
        )
    return suffixes[suffix]


class _Asked(NamedTuple):
    """A request, the form and format that it names, and who measures kernels."""

    request: Request
    form: Form
    to: Format
    measured: Expected | EveryFloat32


def _asked(words: dict[str, Any], max_ulp: Any, jobs: Any, watch: Watch) -> _Asked:
    """Find what words name."""
    form = to_form(words["form"])
    to = to_format(words["dtype"])
    if to.name == "float64":
        raise UsageError("float64 kernels cannot be made; choose float32 or a narrower --dtype")
    quantity = choose("quantity", words["quantity"], ("value", "gradient"))
    language = choose("language", words["language"], LANGUAGES)
    bound = (
        BOUNDS.get(to.name, HALF_ULP) if max_ulp is None else float(positive(max_ulp, "--max-ulp"))
    )
    logistic_argument(form)
    if jobs is not None:
        whole(jobs, "--jobs", 1, 1 << 16)
    measured: Expected | EveryFloat32
    if to.width == 32:
        measured = EveryFloat32(partial(_judge, form.label, quantity, bound, jobs), watch)
    else:
        measured = Expected(form, quantity, to)
    definition = form.definition.partition(",")[0] if form.chosen else form.definition
    request = Request(form.label, definition, quantity, to.name, language, bound)
    return _Asked(request, form, to, measured)


def _judge(form: str, quantity: str, bound: float, jobs: Any, kernel: Any) -> Verdict:
    """Measure a kernel at every float32."""
    from gelu_cli.api.sweep import sweep

    found = sweep(
        kernel, dtype="float32", form=form, quantity=quantity, all=True, jobs=jobs, worst=WORST
    )
    if any([found.wrong_nan, found.wrong_inf, found.wrong_sign, found.wrong_special]):
        return math.inf, found.max_ulp_x, found.misrounded, []
    worst = [(each["x"], each["want"]) for each in found.view("worst") if each["ulp"] > bound]
    return found.max_ulp, found.max_ulp_x, found.misrounded, worst


def _make(asked: _Asked, watch: Watch, folder: Path) -> Made:
    """Search, write, prove and time a kernel."""
    request, to = asked.request, asked.to
    tries: list[Try] = []
    kernel: Kernel
    if isinstance(asked.measured, Expected) and to.width == 8:
        kernel = bytes(asked.measured.results)
        shape = Shape.of(kernel)
    else:
        tries += _tries(asked, watch, folder)
        best = min(reversed(tries), key=lambda each: each.left)
        kernel = best.program
        shape = Shape.of(kernel, "float64" if to.width == 32 else "float32", str(best.rung))
    text = LANGUAGES[request.language].write(kernel, request.name, to.name)
    in_c = LANGUAGES["c"].write(kernel, request.name, to.name)
    found = _prove(asked, shape, text, in_c, request.name, folder)
    source = header(request, kernel, shape, found.proofs, asked.measured.inputs) + text
    return _made(asked, found, source, tries, _broken(request, found.proofs))


def _tries(asked: _Asked, watch: Watch, folder: Path) -> Iterator[Try]:
    """Climb the ladder of a format; below ½ ULP everywhere is nothing."""
    request, form, _, measured = asked
    bound, compiler = max(request.bound, HALF_ULP), compilers()[0]
    if isinstance(measured, EveryFloat32):
        return climb_wide(form, request.quantity, bound, measured, compiler, folder)
    return climb_ladder(measured, bound, compiler, folder, watch)


def _check(
    path: Path, typed: dict[str, Any], max_ulp: Any, jobs: Any, watch: Watch, folder: Path
) -> Made:
    """Prove a file again, by what its header says."""
    try:
        text = path.read_text(encoding="utf-8")
    except (OSError, UnicodeDecodeError) as error:
        reason = error.strerror if isinstance(error, OSError) else "it is not text"
        raise UsageError(f"cannot read '{path}': {reason}") from None
    claim = read_header(text, str(path))
    for name, word in typed.items():
        if word is not None and str(word) != claim.words[name]:
            raise UsageError(f"'{path}' has --{name} {claim.words[name]}; remove --{name} {word}")
    bound = claim.words["max-ulp"] if max_ulp is None else max_ulp
    asked = _asked(claim.words, bound, jobs, watch)
    in_c = text if asked.request.language == "c" else None
    found = _prove(asked, claim.shape, text, in_c, claim.name, folder)
    broken = _broken(asked.request, found.proofs)
    if not broken and not claim.digests.issuperset(each.digest for each in found.proofs):
        broken = ["the results are not those that the header names: SHA-256 differs"]
    return _made(asked, found, text, [], [f"{path}: {each}" for each in broken])


class _Found(NamedTuple):
    """What was found of a kernel."""

    shape: Shape
    proofs: Sequence[Proof]
    times: Times


def _prove(
    asked: _Asked, shape: Shape, text: str, in_c: str | None, name: str, folder: Path
) -> _Found:
    """Prove a text in every way that it runs here, and time it in C."""
    request, to = asked.request, asked.to
    runs = LANGUAGES[request.language].run(text, name, to, folder)
    proofs = [asked.measured.examine(run) for run in runs]
    if in_c is None:
        return _Found(shape, proofs, Times())
    label, compiler = asked.form.label, compilers()[0]
    times = time_kernel(in_c, name, label, request.quantity, to, compiler, folder)
    return _Found(shape, proofs, times)


def _broken(request: Request, proofs: Sequence[Proof]) -> list[str]:
    """Say which builds exceed the bound."""
    builds: dict[str, list[str]] = {}
    for each in proofs:
        is_right = request.bound > HALF_ULP or not each.misrounded
        if not (each.max_ulp <= request.bound and is_right):
            words = (
                f"the largest error is {each.max_ulp:.6g} ULP at x = {each.max_ulp_x:.9g}, above "
                f"the bound of {request.bound:g}; {each.misrounded:,} misrounded"
            )
            builds.setdefault(words, []).append(each.by)
    return [f"{words} ({', '.join(by)})" for words, by in builds.items()]


def _made(
    asked: _Asked, found: _Found, source: str, tries: Sequence[Try], broken: Sequence[str]
) -> Made:
    """Put the answer together."""
    request, proofs = asked.request, found.proofs
    worst = max(proofs, key=lambda each: each.max_ulp)
    made = Made(
        form=request.form,
        quantity=request.quantity,
        dtype=request.dtype,
        **found.shape._asdict(),
        max_ulp=worst.max_ulp,
        max_ulp_x=worst.max_ulp_x,
        misrounded=max(each.misrounded for each in proofs),
        sha256=proofs[-1].digest,
        **found.times._asdict(),
        source=source,
    )
    said = (
        f"{request.name}: largest error {made.max_ulp:.6g} ULP, {made.misrounded:,} of "
        f"{asked.measured.inputs:,} misrounded"
    )
    by = ", ".join(dict.fromkeys(each.compiler for each in proofs))
    builds = f"{len(proofs)} builds by {by}" if len(proofs) > 1 else by
    views = {"summary": partial(_summary, made, None), "tried": partial(_tried, tries)}
    answer = Answer(views, words=[f"{said}; {builds}."], found=said, failures=broken)
    return replace(made, answer=answer)


def _summary(made: Made, digits: int | None) -> Table:
    """Make the one row of a kernel."""
    row: dict[str, Any] = made.to_dict()
    if digits:
        to = Decimals(digits)
        row = {k: to.from_float(v) if isinstance(v, float) else v for k, v in row.items()}
    meanings = {"ns": "nanoseconds a number in C, one thread, 100,000 draws of N(0, 1)"}
    return Table.of_rows("A kernel", COLUMNS, [row], 3, meanings=meanings)


def _tried(tries: Sequence[Try]) -> Table:
    """Make a row for each rung of the ladder."""
    rows: list[dict[str, Any]] = [
        {
            "degree": str(each.rung),
            "operations": len(each.program.operations),
            "interpolated": each.start,
            "trials": each.trials,
            "left": each.left,
            "patched": each.program.patches,
        }
        for each in tries
    ]
    meanings = {
        "interpolated": "inputs beyond the bound with interpolating polynomials",
        "left": "inputs beyond the bound after the search, before they are patched",
    }
    columns = "degree operations interpolated trials left patched"
    return Table.of_rows("What was tried", columns, rows, meanings=meanings)
