"""The options of kernels of two inputs: gated linear units."""

from __future__ import annotations

from collections.abc import Sequence
from fractions import Fraction
from typing import TYPE_CHECKING, Any, NamedTuple

from gelu_cli.errors import UsageError
from gelu_cli.old.cli import options, words
from gelu_cli.old.cli.parameters import INPUTS, KERNEL, Given, Group, flag, number, option

if TYPE_CHECKING:
    from gelu_cli.old.arithmetic.formats import Format
    from gelu_cli.old.sweeping.gating import Gating
    from gelu_cli.old.sweeping.inputs import Inputs


class SecondInput(NamedTuple):
    """What a kernel of two inputs computes, and which second inputs it gets."""

    glu: bool = flag(
        "--glu",
        help="The kernel is a gated linear unit: f(gate, up), against F(gate)·up rounded once. "
        "F is --form.",
    )
    packed: str | None = option(
        "--packed",
        metavar="LAYOUT",
        choices="packings",
        help="One array has the gates and the ups, along its last axis: {packings}.",
    )
    up: list[Fraction | str] = option(
        "--up",
        many=True,
        metavar="U",
        parse=words.finite_or_all("--up"),
        help="The second inputs, rounded to the format; all: every number of a 16- or 8-bit "
        "format. Default: 64 numbers of all sizes, of an 8-bit format all.",
    )
    gate_limit: Fraction | None = number("--gate-limit", "L", "Gates above L are clamped to L.")
    up_limit: Fraction | None = number("--up-limit", "L", "Ups are clamped to −L … L.")
    up_offset: Fraction | None = number(
        "--up-offset", "B", "B is added to the clamped up: F(gate)·(up + B)."
    )
    intermediate: Format | None = options.number_format(
        "--intermediate", "F(gate) is rounded to this format before the product."
    )

    @property
    def name(self) -> str:
        """What the second input is called; nothing where there is none."""
        return "up" if self.glu else "upstream" * bool(self.up)

    def with_upstreams(self, given: Given, upstreams: Sequence[Fraction | str] = ()) -> SecondInput:
        """Return it with gradients from above as second inputs, if there are several.

        Raises `UsageError` for options of two inputs where there is one.
        """
        if self.glu:
            purpose = "gradients of kernels of one input, of a GLU it is 1"
            given.refuse("--upstream", purpose=purpose, remedy="leave --glu out")
            return self
        several = len(upstreams) > 1 or words.ALL in upstreams
        if not several:
            remedy = "add --glu, or name several upstreams"
            given.refuse("--intermediate", purpose="a second input", remedy=remedy)
        left = {"glu", *(["intermediate"] if several else [])}
        others = [f"--{name.replace('_', '-')}" for name in self._fields if name not in left]
        given.refuse(*others, purpose="kernels of two inputs", remedy="add --glu")
        return self._replace(up=[*upstreams]) if several else self

    def gating(self, number_format: Format) -> Gating | None:
        """Return what the kernel computes, None of one input; raises `UsageError` for the rest."""
        if not self.name:
            return None
        from gelu_cli.old.sweeping.gating import LIMITS, Gating

        limits: dict[str, Any] = {name: float(value) for name in LIMITS
                                  if (value := getattr(self, name)) is not None}  # fmt: skip
        gating = Gating(
            **limits,
            intermediate=self.intermediate,
            packed=self.packed or "",
            upstream=not self.glu,
        )
        gating.check(number_format)
        return gating

    def notes(self, number_format: Format) -> list[str]:
        """Return what there is to say of the second inputs."""
        from gelu_cli.old.sweeping.gating import rounded_seconds

        numbers = [each for each in self.up if isinstance(each, Fraction)]
        return rounded_seconds(number_format, numbers, self.name)

    def how_to_take_all(self, number_format: Format) -> str:
        """Return how to judge every input where only some were judged."""
        if not self.name:
            return "--all takes every float32" if number_format.name == "float32" else ""
        return f"--{self.name} all takes every {self.name}" if number_format.width <= 16 else ""

    def with_ups(self, inputs: Inputs, number_format: Format, given: Given) -> Inputs:
        """Return inputs with the second ones; raises `UsageError` for what these cannot be."""
        if not self.name:
            return inputs
        ups, every = self.ups(number_format)
        if not every:
            given.refuse(
                "--max-noise", purpose="every pair of inputs", remedy=f"add --{self.name} all"
            )
        return inputs._replace(ups=ups, every_up=every)

    def ups(self, number_format: Format) -> tuple[tuple[float, ...], bool]:
        """Return the second inputs, and whether they are all of the format."""
        from gelu_cli.old.sweeping.gating import seconds_of

        numbers = [each for each in self.up if isinstance(each, Fraction)]
        if 0 < len(numbers) < len(self.up):
            raise UsageError(f"--{self.name} all has every number; leave the others out")
        return seconds_of(number_format, numbers or (words.ALL if self.up else None), self.name)


SECOND: Any = Group(SecondInput, section=KERNEL)
OF_POINTS = flag(
    "--glu",
    help="Points are pairs X,U of a gate and an up: F(x)·u, or a gradient of it. F is --form.",
)
OPTIONS: dict[str, Any] = SecondInput._field_defaults
OF_TABLES: Any = Group(SecondInput, {**OPTIONS, "glu": OF_POINTS}, without=["packed"])
OF_FILES: dict[str, Any] = {
    **OPTIONS,
    "glu": flag(
        "--glu",
        help="Figures or results of a GLU at pairs, in columns x and up: F(x)·up, or a gradient "
        "of it. F is what their column is named, or --form.",
    ),
    "packed": OPTIONS["packed"].changed(
        help="How --inputs has the pairs: {packings}. Default: interleaved, or what the shape of "
        "an array says, (N, 2) or (2, N)."
    ),
}
OF_RESULTS: Any = Group(SecondInput, OF_FILES, section=INPUTS, without=["up"])
BLOCK = flag("--glu", help="A gated block, W₂·(f(W₁x)·(Vx)), without biases.")
OF_BLOCK: Any = Group(SecondInput, {**OPTIONS, "glu": BLOCK}, without=["up"])
QUANTITY: Any = options.quantity(
    None,
    "results_of_kernels",
    "What is computed: {results_of_kernels}; the last two with --glu. Default: gradient with "
    "--backward or --upstream, else value.",
)
