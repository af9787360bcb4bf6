"""Make kernels: search, write, prove at every input, measure the speed."""

from __future__ import annotations

import math
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, replace
from functools import partial
from pathlib import Path
from tempfile import TemporaryDirectory
from typing import Any

from gelu_cli.api.results import Answer, Result
from gelu_cli.errors import OutputError, UsageError
from gelu_cli.inputs.names import FormLike, choose, to_form, to_format
from gelu_cli.inputs.numbers import positive, whole
from gelu_cli.kernels import workers
from gelu_cli.kernels.workers import Held
from gelu_cli.making.builds import Run, Times, compilers, time_kernel
from gelu_cli.making.climb import Try, Watch, climb_ladder, climb_wide
from gelu_cli.making.gpus import STAND_IN
from gelu_cli.making.proofs import HALF_ULP, SPECIAL, EveryFloat32, Expected, Proof, Verdict
from gelu_cli.making.schemes import logistic_argument
from gelu_cli.making.texts import LANGUAGES, Claim, Request, Shape, header, read_claim
from gelu_cli.making.writers import Kernel, c_text
from gelu_cli.numbers import Decimals
from gelu_cli.output.tables import Table

COLUMNS = (
    "form quantity dtype inside degree operations max_ulp max_ulp_x misrounded patched sha256 "
    "ns ns_erff ns_torch"
)
BOUNDS = {"float32": 0.501}  # default bound in ULP; other kernels round correctly
WORST = 64  # float32 inputs that `sweep` lists; up to 32 of them can be patched
DEFAULTS = {"form": "exact", "quantity": "value", "dtype": "bfloat16", "language": "c"}


@dataclass(frozen=True, kw_only=True)
class Made(Result):
    """A kernel, whose code is `source`, with proved errors and its speed.

    Attributes
    ----------
    form, quantity, dtype
        What the kernel computes, and the format of x and results.
    inside, degree, operations
        Format of the operations, or `table` if results are looked up; degree of the polynomial for
        exp2, and for `exact` that of a second polynomial; number of operations.
    max_ulp, max_ulp_x
        The largest error in ULP over all inputs and builds (compilers and flags), and its x.
    misrounded, patched
        Number of results that are not correctly rounded, in the build with most; number of inputs
        whose results are stored in the kernel.
    sha256
        Digest of all results of the last build.
    ns, ns_erff, ns_torch
        Nanoseconds per number for 10⁵ draws of N(0, 1) in one thread: of the kernel in C, of
        0.5·x·(1 + erff(x/√2)) in C, and of torch's own function. None if not measured.
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
    """Make a kernel and prove its errors at every input, or prove a file.

    Parameters
    ----------
    form
        `exact` by default, or a logistic form: `tanh`, `sigmoid`, `silu`, with parameters.
    dtype
        `bfloat16` by default, float32, float16 or an 8-bit format.
    quantity, language
        `value` (default) or `gradient`; `c` (default), `cuda`, `triton` or `numpy`.
    max_ulp
        Largest allowed error in ULP; by default ½, correct rounding, for float32 0.501.
    check
        Name of a file that `make` wrote and that is proved again; nothing is made.
    jobs
        Number of processes that measure float32 kernels.
    digits
        Significant digits of numbers in the views.
    watch
        Called as watch(done, total) with numbers of degrees tried, then of builds proved.

    Raises
    ------
    UsageError
        If a name is unknown, the form is neither `exact` nor logistic, or an option contradicts the
        file `check`.
    ComputationError
        If there is no C compiler, the compiler fails, or the code in `check` crashes.

    Examples
    --------
    >>> made = make("silu", dtype="float8_e5m2")
    >>> made.misrounded, made.inside, "silu_value_float8_e5m2" in made.source
    (0, 'table', True)
    """
    typed = {"form": form, "quantity": quantity, "dtype": dtype, "language": language}
    words: Mapping[str, Any] = {**DEFAULTS, **{k: v for k, v in typed.items() if v is not None}}
    claim = None
    if check is not None:
        claim = _claim(Path(check), typed)
        words = claim.words
        max_ulp = words["max-ulp"] if max_ulp is None else max_ulp
    if jobs is not None:
        whole(jobs, "--jobs", 1, 1 << 16)
    request = _request(words, max_ulp)
    measured = _measured(request, jobs)
    with TemporaryDirectory(prefix="gelu-make-") as path:
        folder, tries = Path(path), list[Try]()
        if claim is None:
            kernel, shape = _search(request, measured, tries, watch, folder)
            name, write = request.name, LANGUAGES[request.language].write
            text = write(kernel, name, request.to.name)
            in_c = c_text(kernel, name, request.to.name)
        else:
            text, name, shape = claim.text, claim.name, claim.shape
            in_c = text if request.language == "c" else ""
        subject = request.name if check is None else str(check)
        runs = [*LANGUAGES[request.language].run(text, name, request.to, folder)]
        proofs = _proofs(subject, measured, runs, watch)
        times = Times()
        if in_c:
            of = request.form, request.quantity, request.to
            timing = partial(time_kernel, in_c, name, *of, compilers()[0])
            ((_, times),) = workers.run(timing, [folder], held=Held(subject, "was timed"))
    broken = _broken(request, proofs)
    if claim is None:
        text = header(request, kernel, shape, proofs, measured.inputs) + text
    else:
        if not broken and not claim.digests.issuperset(each.digest for each in proofs):
            broken = ["the results are not those that the header names: SHA-256 differs"]
        broken = [f"{check}: {each}" for each in broken]
    worst = max(proofs, key=lambda each: each.max_ulp)
    made = Made(
        form=request.form.label,
        quantity=request.quantity,
        dtype=request.to.name,
        **shape._asdict(),
        max_ulp=worst.max_ulp,
        max_ulp_x=worst.max_ulp_x,
        misrounded=max(each.misrounded for each in proofs),
        sha256=proofs[-1].digest,
        **times._asdict(),
        source=text,
    )
    said = (
        f"{request.name}: largest error {made.max_ulp:.6g} ULP, {made.misrounded:,} of "
        f"{measured.inputs:,} misrounded"
    )
    by = ", ".join(dict.fromkeys(each.compiler for each in proofs))
    builds = f"{len(proofs)} builds by {by}" if len(proofs) > 1 else by
    notes = [f"no GPU ran the file, but a {by}"] * (claim is not None and by.startswith(STAND_IN))
    views = {"summary": partial(_summary, made, digits), "tried": partial(_tried, tries)}
    answer = Answer(views, words=[f"{said}; {builds}."], notes=notes, found=said, failures=broken)
    return replace(made, answer=answer)


def language_of(path: str | None, language: str | None) -> str | None:
    """Return the named language, or choose it by the suffix of a file."""
    if path is None:
        return language
    if not Path(path).absolute().parent.is_dir():  # say so before a long search
        raise OutputError(f"cannot write to {path}: there is no such folder")
    if language is not None:
        return language
    suffixes = {suffix: name for name, each in LANGUAGES.items() for suffix in each.suffixes}
    suffix = Path(path).suffix.lower()
    if suffix not in suffixes:
        raise UsageError(
            f"-o {path}: the suffix is not one of {' '.join(suffixes)}; add --language LANGUAGE"
        )
    return suffixes[suffix]


def _claim(path: Path, typed: Mapping[str, Any]) -> Claim:
    """Read the claim in a file's header, which options must not contradict."""
    claim = read_claim(path)
    meant: dict[str, Any] = {"form": lambda word: to_form(word).function, "dtype": to_format}
    for name, word in typed.items():
        of = meant.get(name, str)
        if word is not None and of(word) != of(claim.words[name]):
            option = "" if name == "form" else f"--{name} "
            raise UsageError(f"'{path}' has {option}{claim.words[name]}; remove {option}{word}")
    return claim


def _request(words: Mapping[str, Any], max_ulp: Any) -> Request:
    form, to = to_form(words["form"]), to_format(words["dtype"])
    if to.name == "float64":
        raise UsageError("float64 kernels cannot be made; choose float32 or a narrower --dtype")
    quantity = choose("quantity", words["quantity"], ("value", "gradient"))
    language = choose("language", words["language"], LANGUAGES)
    bound = BOUNDS.get(to.name, HALF_ULP)
    if max_ulp is not None:
        bound = float(positive(max_ulp, "--max-ulp"))
    logistic_argument(form)
    return Request(form, quantity, to, language, bound)


def _measured(request: Request, jobs: Any) -> Expected | EveryFloat32:
    """Choose how to measure kernels, by the width of the format."""
    form, quantity, bound = request.form, request.quantity, request.bound
    if request.to.width < 32:
        return Expected(form, quantity, request.to)
    special = Expected(form, quantity, request.to, SPECIAL)
    return EveryFloat32(special, partial(_judge, form.label, quantity, bound, jobs))


def _judge(form: str, quantity: str, bound: float, jobs: Any, kernel: Any) -> Verdict:
    """Measure a kernel at every float32; list inputs beyond the bound."""
    from gelu_cli.api.sweep import sweep

    found = sweep(
        kernel, dtype="float32", form=form, quantity=quantity, all=True, jobs=jobs, worst=WORST
    )
    if any([found.wrong_nan, found.wrong_inf, found.wrong_sign, found.wrong_special]):
        return math.inf, found.max_ulp_x, found.misrounded, []
    beyond = [
        (each["x"], each["want"])
        for each in found.view("worst")
        if (each["ulp"] > bound if bound > HALF_ULP else each["got"] != each["want"])
    ]
    return found.max_ulp, found.max_ulp_x, found.misrounded, beyond


def _search(
    request: Request,
    measured: Expected | EveryFloat32,
    tries: list[Try],
    watch: Watch,
    folder: Path,
) -> tuple[Kernel, Shape]:
    """Find the kernel with the fewest operations; make a table for 8 bits."""
    given = max(request.bound, HALF_ULP), compilers()[0], folder, watch
    if isinstance(measured, EveryFloat32):
        tries += climb_wide(measured, *given)
    elif request.to.width == 8:
        return bytes(measured.results), Shape("table", "none", 1, 0)
    else:
        tries += climb_ladder(measured, *given)
    best = min(reversed(tries), key=lambda each: each.left)
    kernel, inside = best.program, "float64" if request.to.width == 32 else "float32"
    return kernel, Shape(inside, str(best.rung), len(kernel.operations), kernel.patches)


def _proofs(
    subject: str, measured: Expected | EveryFloat32, runs: Sequence[Run], watch: Watch
) -> list[Proof]:
    """Measure each build in a worker, since the build may crash."""
    found = list[Proof]()
    for _, proof in workers.run(measured.examine, runs, held=Held(subject, "was run by {}")):
        found.append(proof)
        watch(len(found), len(runs))
    return found


def _broken(request: Request, proofs: Sequence[Proof]) -> list[str]:
    """Describe the errors beyond the bound, with the builds that have them."""
    builds: dict[str, list[str]] = {}
    for each in proofs:
        is_right = request.bound > HALF_ULP or not each.misrounded
        if not (each.max_ulp <= request.bound and is_right):
            wrong = f"{each.misrounded:,} misrounded"
            if not each.misrounded:
                wrong = "all results are correctly rounded; raise --max-ulp"
            words = (
                f"the largest error is {each.max_ulp:.6g} ULP at x = {each.max_ulp_x:.9g}, above "
                f"the bound of {request.bound:g}; {wrong}"
            )
            builds.setdefault(words, []).append(f"{each.compiler} {each.flags}".rstrip())
    return [f"{words} ({', '.join(by)})" for words, by in builds.items()]


def _summary(made: Made, digits: int | None) -> Table:
    row: dict[str, Any] = made.to_dict()
    if digits:
        to = Decimals(digits)
        shown = {k: v for k, v in row.items() if isinstance(v, float) and not k.startswith("ns")}
        row |= {k: to.from_float(v) for k, v in shown.items()}
    meanings = {"ns": "nanoseconds a number in C, one thread, 100,000 draws of N(0, 1)"}
    return Table.of_rows("A kernel", COLUMNS, [row], 3, meanings=meanings)


def _tried(tries: Sequence[Try]) -> Table:
    rows: list[dict[str, Any]] = [
        {
            "degree": str(each.rung),
            "operations": len(each.program.operations),
            "interpolated": each.before,
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
