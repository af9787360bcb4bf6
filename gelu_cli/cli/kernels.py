"""The options that name kernels, and what they name: routines, and kernels of the user's own."""

from __future__ import annotations

from collections.abc import Iterator
from contextlib import ExitStack
from typing import TYPE_CHECKING, Any, NamedTuple

from gelu_cli.cli import choices, entries, options, sections
from gelu_cli.cli.input import words
from gelu_cli.cli.input.arguments import arguments_of, label, parse_argument
from gelu_cli.errors import UsageError
from gelu_cli.sweeping import LARGEST_BATCH

if TYPE_CHECKING:
    from fractions import Fraction

    from gelu_cli.arithmetic.formats import Format
    from gelu_cli.cli.given import Given
    from gelu_cli.forms import Form
    from gelu_cli.guests.calling import Calling
    from gelu_cli.guests.hosted import GuestImplementation
    from gelu_cli.guests.programs import ProgramImplementation
    from gelu_cli.sweeping.implementations import Kernel
    from gelu_cli.sweeping.truth import Question, Upstream


class KernelWords(NamedTuple):
    """What is swept: routines by name, or a kernel of the user's own and how it is called."""

    routine: list[str] | None
    impl: str | None
    exec: str | None
    kwarg: list[tuple[str, Any]] | None
    signature: str | None
    backend: str | None
    device: str | None
    batch: int | None
    timeout: float | None
    backward: str | None
    upstream: Fraction | None


KERNELS: Any = entries.Group(
    KernelWords,
    {
        "routine": entries.option(
            None,
            many=True,
            metavar="R",
            autocompletion=choices.routines,
            help="Routines, with commas or repeated: {routines}. Default: all.",
        ),
        "impl": entries.option(
            None,
            metavar="KERNEL",
            help="Your own kernel instead: a Python function (torch.nn.functional:gelu, "
            "mykernel.py:gelu) or a C function (./libkernel.so:gelu).",
        ),
        "exec": entries.option(
            None,
            metavar="COMMAND",
            help="Your own program instead: it reads raw numbers and writes as many results.",
        ),
        "kwarg": entries.option(
            None,
            many=True,
            text=True,
            metavar="NAME=VALUE",
            parser=parse_argument,
            help="An argument for --impl: true, false, none, a number, else text. May be repeated.",
        ),
        "signature": entries.option(
            None,
            metavar="SIGNATURE",
            parser=words.under("--signature", words.one_of("signature", choices.signatures)),
            autocompletion=choices.signatures,
            help="Of a C function: {signatures}. array: f(x, y, n) fills y with n results; scalar: "
            "y = f(x). Default: array.",
        ),
        "backend": entries.option(
            None,
            metavar="LIBRARY",
            autocompletion=choices.backends,
            help="Whose arrays --impl takes: {backends}. Default: by where it comes from.",
        ),
        "device": entries.option(
            None,
            metavar="DEVICE",
            help="The device of these arrays, in the library's words: cpu, cuda, cuda:1, mps. "
            "Default: the library's.",
        ),
        "batch": entries.option(
            None,
            metavar="N",
            parser=words.whole("--batch", 1, LARGEST_BATCH),
            help="How many inputs a call has. Default: 65536, fewer of a small sample, 524288 of "
            "every float32.",
        ),
        "timeout": entries.option(
            None,
            metavar="SECONDS",
            parser=words.parse_timeout,
            help="How long one call may take. Default: no limit.",
        ),
        "backward": entries.option(
            None,
            metavar="HOW",
            parser=words.under("--backward", words.one_of("backward", choices.backwards)),
            autocompletion=choices.backwards,
            help="How gradients come about: {backwards}. own: --impl is (upstream, x) → dx.",
        ),
        "upstream": entries.option(
            None,
            metavar="U",
            parser=words.finite("--upstream"),
            help="The upstream gradient, rounded to the format: results are U·f′(x). Default: 1.",
        ),
    },
    section=sections.KERNEL,
)

COMPUTE: Any = entries.option(
    None,
    metavar="FORMAT",
    section=sections.KERNEL,
    parser=words.under("--compute", words.parse_dtype),
    autocompletion=choices.dtypes,
    help="The number format inside a routine, before its results are rounded.",
)
TARGET: Any = entries.option(
    "exact",
    metavar="F",
    section=sections.JUDGING,
    parser=words.under("--target", words.parse_target),
    autocompletion=choices.targets,
    help="The form that results should be; auto: the one that they are nearest to; self: the "
    "routine's own form.",
)
QUANTITY_OF_KERNELS: Any = options.quantity(
    None,
    choices.results,
    "What is computed: {results}. Default: gradient with --backward or --upstream, else value.",
)

OF_PYTHON = ("--kwarg", "--backend", "--device")
OF_GRADIENTS = ("--backward", "--upstream")
OF_IMPL = (*OF_PYTHON, "--batch", "--signature", *OF_GRADIENTS)
OF_THE_USERS = (*OF_IMPL, "--timeout")


def refuse_what_is_for_others(kernels: KernelWords, given: Given) -> None:
    """Raise `UsageError` for options that the kernel asked for does not have."""
    if kernels.impl is not None and kernels.exec is not None:
        raise UsageError("--impl and --exec are two kernels; leave one of them out")
    if kernels.impl is None and kernels.exec is None:
        own = {"purpose": "a kernel of your own", "remedy": "add --impl KERNEL"}
        given.refuse(*OF_THE_USERS, **own)
        return
    mine = "--impl" if kernels.impl is not None else "--exec"
    given.refuse("--routine", "--compute", purpose="routines", remedy=f"leave {mine} out")
    if kernels.impl is None:
        given.refuse(*OF_IMPL, purpose="--impl", remedy="leave --exec out")
        return
    from gelu_cli.guests.libraries import names_library

    if names_library(kernels.impl):
        remedy = "take --impl FILE.py:CALLABLE"
        given.refuse(*OF_PYTHON, purpose="a Python function", remedy=remedy)
    else:
        remedy = "take --impl FILE.so:SYMBOL"
        given.refuse("--signature", purpose="a C function", remedy=remedy)


def quantity_of(quantity: str | None, given: Given) -> str:
    """Return what is judged: what is asked for, else gradients where an option is for them.

    Raises `UsageError` where values are asked for all the same.
    """
    if quantity is None:
        return "gradient" if {*OF_GRADIENTS} & {*given.names} else "value"
    if quantity != "gradient":
        given.refuse(*OF_GRADIENTS, purpose="gradients", remedy="take --quantity gradient")
    return quantity


def upstream_of(kernels: KernelWords, number_format: Format) -> Upstream:
    """Return the gradient from above, rounded to the format of x."""
    from gelu_cli.sweeping.truth import Upstream, upstream_in

    if kernels.upstream is None:
        return Upstream(1.0)
    return upstream_in(number_format, kernels.upstream)


def kernels_of(
    kernels: KernelWords,
    number_format: Format,
    result: Format,
    compute: Format | None,
    target: Form | str,
    quantity: str,
    guests: ExitStack,
) -> Iterator[Kernel]:
    """Yield what is swept."""
    from gelu_cli.sweeping.implementations import Kernel, routine_implementation
    from gelu_cli.sweeping.truth import Question

    if kernels.impl is not None or kernels.exec is not None:
        upstream, _ = upstream_of(kernels, number_format)
        auto = target == words.AUTO
        question = Question(_form(target, None), quantity, number_format, result, upstream, auto)
        yield Kernel(guests.enter_context(_own(kernels, question)), question)
        return
    from gelu_cli.sweeping.routines import ROUTINES, find_routine

    for name in dict.fromkeys(kernels.routine or ROUTINES):
        routine = words.under("--routine", find_routine)(name)
        inner = compute or number_format
        implementation = routine_implementation(routine, quantity, result, inner)
        form, auto = _form(target, routine.form), target == words.AUTO
        question = Question(form, quantity, number_format, result, auto=auto)
        yield Kernel(implementation, question)


def _form(target: Form | str, own: str | None) -> Form:
    """Return the form to judge against; `own` is the name of a routine's own form.

    Of `auto` it is the one that stands until the results are known.
    """
    if not isinstance(target, str):
        return target
    if target == words.AUTO:
        return words.parse_form("exact")
    if own is None:
        raise UsageError(
            "--target self: name the form that your kernel computes, e.g. --target tanh, or take "
            "--target auto"
        )
    return words.parse_form(own)


def _own(kernels: KernelWords, question: Question) -> GuestImplementation | ProgramImplementation:
    calling = _calling(kernels, question)
    if kernels.exec is not None:
        from gelu_cli.guests.programs import ProgramImplementation

        return ProgramImplementation(kernels.exec, calling)
    from gelu_cli.guests.backends import backend_class
    from gelu_cli.guests.hosted import GuestImplementation

    if kernels.backend is not None:
        words.under("--backend", backend_class)(kernels.backend)
    arguments = arguments_of(kernels.kwarg or [])
    word = kernels.impl or ""
    return GuestImplementation(label(word, arguments), word, arguments, calling)


def _calling(kernels: KernelWords, question: Question) -> Calling:
    from gelu_cli.guests.calling import Calling

    return Calling(
        question.dtype,
        question.result,
        quantity=question.quantity,
        backward=kernels.backward,
        upstream=question.upstream,
        backend=kernels.backend,
        device=kernels.device,
        batch=kernels.batch,
        signature=kernels.signature or "array",
        timeout=kernels.timeout,
    )
