"""The options that say which inputs of a format are taken, and what they say."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any, NamedTuple

from gelu_cli.cli import entries, sections
from gelu_cli.cli.input import words
from gelu_cli.errors import UsageError

if TYPE_CHECKING:
    from gelu_cli.arithmetic.formats import Format
    from gelu_cli.sweeping.inputs import Inputs

DEFAULT_SAMPLES, DEFAULT_SEED = 10**6, 0


class Selection(NamedTuple):
    """Which inputs are taken: those of a range, all of them or a sample."""

    ends: words.Ends
    every: bool
    samples: int | None
    seed: int | None


SELECTION: Any = entries.Group(
    Selection,
    {
        "ends": entries.option(
            "-inf:inf",
            "--range",
            metavar="A:B",
            parser=words.ascending_ends(words.SWEEP_EXPONENT),
            help="Only inputs from A to B.",
        ),
        "every": entries.flag(
            "--all", help="All float32s; 16- and 8-bit formats are always swept whole."
        ),
        "samples": entries.option(
            None,
            metavar="N",
            parser=words.whole("--samples", 1, 10**9),
            help="Inputs of a float32 or float64 sample, half of them in -16:8. Default: 1000000.",
        ),
        "seed": entries.option(
            None,
            metavar="N",
            parser=words.whole("--seed", 0, 2**63),
            help="Seed of the sample. Default: 0.",
        ),
    },
    section=sections.INPUTS,
)


def inputs_of(selection: Selection, number_format: Format) -> Inputs:
    """Return which inputs of a format are taken; raises `UsageError` for what cannot be meant."""
    from gelu_cli.sweeping.inputs import Inputs, takes_every

    small = number_format.width <= 16
    if selection.every and number_format.width == 64:
        raise UsageError("--all: float64 has 2^64 patterns; take --samples, or --dtype float32")
    for option, given in (("--samples", selection.samples), ("--seed", selection.seed)):
        if given is not None and (small or selection.every):
            raise UsageError(f"{option}: every {number_format.name} is taken; leave it out")
    low, high = map(float, selection.ends)
    samples = DEFAULT_SAMPLES if selection.samples is None else selection.samples
    seed = DEFAULT_SEED if selection.seed is None else selection.seed
    inputs = Inputs(low, high, selection.every or small, samples, seed)
    if selection.seed is not None and takes_every(number_format, inputs):
        raise UsageError(f"--seed: every {number_format.name} in --range is taken; leave it out")
    return inputs


def how_to_take_all(number_format: Format) -> str:
    """Return how to judge every input where a sample of a format was judged."""
    return "--all takes every float32" if number_format.name == "float32" else ""
