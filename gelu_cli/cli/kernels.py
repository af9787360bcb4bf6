"""The options that name kernels, and what they name: routines, and kernels of the user's own."""

from __future__ import annotations

from collections.abc import Iterator
from contextlib import ExitStack
from typing import TYPE_CHECKING, Any, NamedTuple

from gelu_cli.cli import choices, options
from gelu_cli.cli.input import words
from gelu_cli.cli.input.arguments import arguments_of, label, parse_argument
from gelu_cli.errors import UsageError
from gelu_cli.kernels import LARGEST_BATCH

if TYPE_CHECKING:
    from fractions import Fraction

    from gelu_cli.arithmetic.formats import Format
    from gelu_cli.cli.given import Given
    from gelu_cli.forms import Form
    from gelu_cli.kernels.functions import Calling
    from gelu_cli.kernels.functions.guests import GuestImplementation
    from gelu_cli.kernels.implementations import Kernel


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
    backward: str | None
    upstream: Fraction | None
    timeout: float | None


KERNELS: Any = options.Group(
    KernelWords,
    {
        "routine": options.option(
            None,
            many=True,
            metavar="R",
            autocompletion=choices.routines,
            help="Routine, may be repeated: {routines}. Default: all.",
        ),
        "impl": options.option(
            None,
            metavar="KERNEL",
            help="Your own kernel instead: a Python function (torch.nn.functional:gelu, "
            "mykernel.py:gelu) or a C function (./libkernel.so:gelu).",
        ),
        "exec": options.option(
            None,
            metavar="COMMAND",
            help="Your own program instead: it reads raw numbers and writes as many results.",
        ),
        "kwarg": options.option(
            None,
            many=True,
            metavar="NAME=VALUE",
            parser=parse_argument,
            help="An argument for --impl, may be repeated: true, false, none, a number, else text.",
        ),
        "signature": options.option(
            None,
            metavar="SIGNATURE",
            parser=words.under("--signature", words.one_of("signature", choices.signatures)),
            autocompletion=choices.signatures,
            help="Of a C function: {signatures}. Default: array.",
        ),
        "backend": options.option(
            None,
            metavar="LIBRARY",
            autocompletion=choices.backends,
            help="Whose arrays --impl takes: {backends}. Default: by where it comes from.",
        ),
        "device": options.option(
            None,
            metavar="DEVICE",
            help="Where its arrays are, as the library says it: cpu, cuda, cuda:1, mps. Default: "
            "the library's.",
        ),
        "batch": options.option(
            None,
            metavar="N",
            parser=words.whole("--batch", 1, LARGEST_BATCH),
            help="How many inputs a call has. Default: 65536, 524288 of every float32.",
        ),
        "backward": options.option(
            None,
            metavar="HOW",
            parser=words.under("--backward", words.one_of("backward", choices.backwards)),
            autocompletion=choices.backwards,
            help="How gradients come about: {backwards}. own: --impl is (upstream, x) → dx.",
        ),
        "upstream": options.option(
            None,
            metavar="U",
            parser=words.finite("--upstream"),
            help="The gradient from above, rounded to the format: results are U·f′(x). Default: 1.",
        ),
        "timeout": options.option(
            None,
            metavar="SECONDS",
            parser=words.parse_timeout,
            help="How long one call may take. Default: no limit.",
        ),
    },
)

OF_PYTHON = ("--kwarg", "--backend", "--device")
OF_IMPL = (*OF_PYTHON, "--batch", "--signature", "--backward")
OF_THE_USERS = (*OF_IMPL, "--upstream", "--timeout")


def refuse_what_is_for_others(kernels: KernelWords, given: Given) -> None:
    """Raise `UsageError` for options that the kernel asked for does not have."""
    if kernels.impl is not None and kernels.exec is not None:
        raise UsageError("--impl and --exec are two kernels: leave one of them out")
    if kernels.impl is None and kernels.exec is None:
        own = {"purpose": "a function of your own", "remedy": "add --impl MODULE:CALLABLE"}
        given.refuse(*OF_THE_USERS, **own)
        return
    mine = "--impl" if kernels.impl is not None else "--exec"
    given.refuse("--routine", "--compute", purpose="routines", remedy=f"leave {mine} out")
    if kernels.impl is None:
        given.refuse(*OF_IMPL, purpose="--impl", remedy="leave --exec out")
        return
    from gelu_cli.kernels.functions.libraries import names_library

    if names_library(kernels.impl):
        remedy = "take --impl FILE.py:CALLABLE"
        given.refuse(*OF_PYTHON, purpose="a Python function", remedy=remedy)
    else:
        remedy = "take --impl FILE.so:SYMBOL"
        given.refuse("--signature", purpose="a C function", remedy=remedy)


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
    from gelu_cli.kernels.implementations import Kernel, routine_implementation
    from gelu_cli.kernels.truth import Question

    if kernels.impl is not None:
        question = Question(_form(target, None), quantity, number_format)
        own = _own(kernels.impl, kernels, quantity, number_format, result)
        yield Kernel(guests.enter_context(own), question)
        return
    if kernels.exec is not None:
        from gelu_cli.kernels.functions.programs import ProgramImplementation

        question = Question(_form(target, None), quantity, number_format)
        calling = _calling(kernels, quantity, number_format, result)
        program = ProgramImplementation(kernels.exec, calling)
        yield Kernel(guests.enter_context(program), question)
        return
    from gelu_cli.kernels.routines import ROUTINES, find_routine

    for name in dict.fromkeys(kernels.routine or ROUTINES):
        routine = words.under("--routine", find_routine)(name)
        implementation = routine_implementation(routine, quantity, number_format, compute)
        question = Question(_form(target, routine.form), quantity, number_format)
        yield Kernel(implementation, question)


def _form(target: Form | str, own: str | None) -> Form:
    """Return the form to judge against; `own` is the name of a routine's own form."""
    if not isinstance(target, str):
        return target
    if own is None:
        raise UsageError(
            "--target self: name the form that your kernel computes, e.g. --target tanh"
        )
    return words.parse_form(own)


def _own(
    word: str, kernels: KernelWords, quantity: str, number_format: Format, result: Format
) -> GuestImplementation:
    from gelu_cli.kernels.backends import backend_class
    from gelu_cli.kernels.functions.guests import GuestImplementation

    if kernels.backend is not None:
        words.under("--backend", backend_class)(kernels.backend)
    arguments = arguments_of(kernels.kwarg or [])
    calling = _calling(kernels, quantity, number_format, result)
    return GuestImplementation(label(word, arguments), word, arguments, calling)


def _calling(kernels: KernelWords, quantity: str, number_format: Format, result: Format) -> Calling:
    from fractions import Fraction

    from gelu_cli.kernels.functions import Calling

    return Calling(
        number_format,
        result,
        quantity,
        kernels.backward,
        number_format.exactly(Fraction(1 if kernels.upstream is None else kernels.upstream)),
        kernels.backend,
        kernels.device,
        kernels.batch,
        kernels.signature or "array",
        kernels.timeout,
    )
