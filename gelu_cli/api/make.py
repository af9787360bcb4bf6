"""Kernels that are made: searched, written, proved for every input, timed."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import dataclass, replace
from functools import partial
from pathlib import Path
from tempfile import TemporaryDirectory
from typing import Any, NamedTuple

from gelu_cli.api.results import Answer, Result
from gelu_cli.errors import UsageError
from gelu_cli.formulas import Form, typed_form
from gelu_cli.inputs.names import FormLike, choose, to_form, to_format
from gelu_cli.inputs.numbers import positive
from gelu_cli.making.compilers import compilers
from gelu_cli.making.programs import Kernel
from gelu_cli.making.proofs import HALF_ULP, Expected, Proof, prove
from gelu_cli.making.search import Try, climb_ladder
from gelu_cli.making.texts import LANGUAGES, Request, Shape, header, read_header
from gelu_cli.making.timing import Times, time_kernel
from gelu_cli.numbers import FORMATS, Format
from gelu_cli.output.tables import Table

COLUMNS = (
    "form quantity dtype inside degree operations max_ulp max_ulp_x misrounded patched sha256 "
    "ns ns_erff ns_torch"
)
BOUNDS = {"float32": 0.501}
"""Default bounds in ULP; other formats have ½, the correctly rounded result."""

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
    if check is not None:
        return _check(Path(check), typed, max_ulp)
    words = {name: DEFAULTS[name] if word is None else word for name, word in typed.items()}
    asked = _asked(words, max_ulp)
    with TemporaryDirectory(prefix="gelu-make-") as folder:
        return _make(asked, Path(folder), watch)


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
    """A request, and the form and format that it names."""

    request: Request
    form: Form
    to: Format


def _asked(words: dict[str, Any], max_ulp: Any) -> _Asked:
    """Find what words name."""
    form = typed_form(to_form(words["form"]).label)
    to = FORMATS[to_format(words["dtype"]).name]
    if to.name == "float64":
        raise UsageError("float64 kernels cannot be made; choose float32 or a narrower --dtype")
    choose("quantity", words["quantity"], ("value", "gradient"))
    choose("language", words["language"], LANGUAGES)
    bound = BOUNDS.get(to.name, 0.5) if max_ulp is None else float(positive(max_ulp, "--max-ulp"))
    request = Request(
        form.label, form.definition, words["quantity"], to.name, words["language"], bound
    )
    return _Asked(request, form, to)


def _make(asked: _Asked, folder: Path, watch: Watch) -> Made:
    """Search, write, prove and time a kernel."""
    request, (compiler, *_) = asked.request, compilers()
    expected = Expected(asked.form, request.quantity, asked.to)
    tries: list[Try] = []
    kernel: Kernel
    if asked.to.width == 8:
        kernel = bytes(expected.results)
        shape = Shape.of(kernel)
    else:
        tries += climb_ladder(expected, max(request.bound, HALF_ULP), compiler, folder, watch)
        best = min(reversed(tries), key=lambda each: each.left)
        kernel = best.program
        shape = Shape.of(kernel, "float32", str(best.rung))
    language = LANGUAGES[request.language]
    text = language.write(kernel, request.name, asked.to.name)
    proofs = prove(expected, language.run(text, request.name, asked.to, folder))
    in_c = LANGUAGES["c"].write(kernel, request.name, asked.to.name)
    found = _Found(shape, proofs, _times(asked, in_c, request.name, folder), len(expected.patterns))
    source = header(request, kernel, shape, proofs, found.inputs) + text
    return _made(request, found, source, tries, _broken(request, proofs))


def _check(path: Path, typed: dict[str, Any], max_ulp: Any) -> Made:
    """Prove a file again, by what its header says."""
    try:
        text = path.read_text(encoding="utf-8")
    except OSError as error:
        raise UsageError(f"cannot read '{path}': {error.strerror}") from None
    claim = read_header(text, str(path))
    for name, word in typed.items():
        if word is not None and str(word) != claim.words[name]:
            raise UsageError(f"'{path}' has --{name} {claim.words[name]}; remove --{name} {word}")
    asked = _asked(claim.words, max_ulp or claim.words["max-ulp"])
    request = asked.request
    expected = Expected(asked.form, request.quantity, asked.to)
    with TemporaryDirectory(prefix="gelu-make-") as name:
        folder = Path(name)
        proofs = prove(
            expected, LANGUAGES[request.language].run(text, claim.name, asked.to, folder)
        )
        in_c = text if request.language == "c" else None
        times = _times(asked, in_c, claim.name, folder)
    broken = _broken(request, proofs)
    if not broken and not claim.digests.issuperset(each.digest for each in proofs):
        broken = ["the results are not those that the header names: SHA-256 differs"]
    found = _Found(claim.shape, proofs, times, len(expected.patterns))
    return _made(request, found, text, [], [f"{path}: {each}" for each in broken])


class _Found(NamedTuple):
    """What was found of a kernel."""

    shape: Shape
    proofs: Sequence[Proof]
    times: Times
    inputs: int


def _times(asked: _Asked, text: str | None, name: str, folder: Path) -> Times:
    """Time a kernel in C; a text in another language is not timed."""
    if text is None:
        return Times()
    compiler, quantity = compilers()[0], asked.request.quantity
    return time_kernel(text, name, asked.form.label, quantity, asked.to, compiler, folder)


def _broken(request: Request, proofs: Sequence[Proof]) -> list[str]:
    """Say which builds exceed the bound."""
    return [
        f"the largest error is {each.max_ulp:.6g} ULP at x = {each.max_ulp_x:.9g}, above the "
        f"bound of {request.bound:g}, {each.misrounded:,} misrounded ({each.by})"
        for each in proofs
        if not each.max_ulp <= request.bound
    ]


def _made(
    request: Request, found: _Found, source: str, tries: Sequence[Try], broken: Sequence[str]
) -> Made:
    """Put the answer together."""
    worst = max(found.proofs, key=lambda each: each.max_ulp)
    made = Made(
        form=request.form,
        quantity=request.quantity,
        dtype=request.dtype,
        **found.shape._asdict(),
        max_ulp=worst.max_ulp,
        max_ulp_x=worst.max_ulp_x,
        misrounded=max(each.misrounded for each in found.proofs),
        sha256=found.proofs[-1].digest,
        **found.times._asdict(),
        source=source,
    )
    said = (
        f"{request.name}: largest error {made.max_ulp:.6g} ULP, {made.misrounded:,} of "
        f"{found.inputs:,} misrounded"
    )
    by = ", ".join(dict.fromkeys(each.compiler for each in found.proofs))
    views = {"summary": partial(_summary, made), "tried": partial(_tried, tries)}
    builds = f"{len(found.proofs)} builds by {by}" if len(found.proofs) > 1 else by
    answer = Answer(views, words=[f"{said}; {builds}."], found=said, failures=broken)
    return replace(made, answer=answer)


def _summary(made: Made) -> Table:
    """Make the one row of a kernel."""
    meanings = {"ns": "nanoseconds a number in C, one thread, 100,000 draws of N(0, 1)"}
    return Table.of_rows("A kernel", COLUMNS, [made.to_dict()], 3, meanings=meanings)


def _tried(tries: Sequence[Try]) -> Table:
    """Make a row for each rung of the ladder."""
    rows = [
        {
            "degree": str(each.rung),
            "operations": len(each.program.operations),
            "minimax": each.start,
            "trials": each.trials,
            "left": each.left,
            "patched": each.program.patches,
        }
        for each in tries
    ]
    meanings = {
        "minimax": "inputs beyond the bound with minimax coefficients",
        "left": "inputs beyond the bound after the search, before they are patched",
    }
    columns = "degree operations minimax trials left patched"
    return Table.of_rows("What was tried", columns, rows, meanings=meanings)
