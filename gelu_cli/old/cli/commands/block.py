"""`gelu block`: what a swap of forms or formats does to a feed-forward block."""

from __future__ import annotations

from collections.abc import Sequence
from fractions import Fraction
from functools import partial
from typing import TYPE_CHECKING

from gelu_cli.errors import UsageError
from gelu_cli.old.cli import glu, options, words
from gelu_cli.old.cli.parameters import GIVEN, INPUTS, Given, option
from gelu_cli.old.reading.files import name_of

if TYPE_CHECKING:
    from gelu_cli.old.arithmetic.formats import Format
    from gelu_cli.old.formulas import Form
    from gelu_cli.old.network.change import Shape
    from gelu_cli.old.writing.destinations import Output

OF_NORMAL = ("summary", "formats")
OF_DATA = (*OF_NORMAL, "moments", "units")
OF_NORMAL_ALONE = ("--mean", "--sigma", "--shape", "--samples", "--seed")
VIEWS_THAT_USE = {
    "--form": ["summary", "units"],
    "--target": ["summary", "formats", "units"],
    "--dtype": ["summary", "formats"],
    "--shape": ["summary"],
    "--samples": ["summary"],
    "--seed": ["summary"],
    "--intermediate": ["summary", "formats"],
    "--gate-limit": ["summary", "formats", "units"],
    "--up-limit": ["summary", "formats", "units"],
    "--up-offset": ["summary", "formats", "units"],
}


def block(
    forms: list[Form] = options.forms("tanh", "sigmoid", "silu", "relu"),
    target: Form = options.target("exact", "The form f that others replace."),
    mean: Fraction = options.mean("Mean of the pre-activations."),
    sigma: Fraction = options.sigma("Standard deviation of them."),
    dtypes: list[Format] = options.dtype(
        None,
        "Number formats whose rounding noise the verdict is about, with commas or repeated: "
        "{dtypes}. Default: bfloat16.",
        many=True,
    ),
    shape: Shape | None = option(
        "--shape",
        metavar="D,FF",
        parse=words.parse_shape,
        help="Widths of the block, D → FF → D. r does not depend on them. Default: 768,3072.",
    ),
    samples: int | None = options.samples(
        2, "Add what a real block with random weights shows, by N inputs."
    ),
    seed: int | None = options.seed("Seed of weights and inputs. Default: 0."),
    source: str | None = option(
        "--input",
        metavar="FILE",
        section=INPUTS,
        reads_stdin=True,
        help="Real pre-activations instead of N(M, S²): a .npy file (…, units), or numbers.",
    ),
    column: str | None = options.COLUMN,
    second: glu.SecondInput = glu.OF_BLOCK,
    output: Output = options.output(
        options.view(
            "block_views",
            "Which table: {block_views}. A terminal shows all of them. moments and units are "
            "those of --input.",
        )
    ),
    given: Given = GIVEN,
) -> None:
    """What a swap of forms or formats does to a feed-forward block.

    The block is W₂·f(W₁x + b₁) + b₂. Where it computes another form g, its output changes
    relatively by r = √(E(g − f)²/E f²), whatever its widths are: for weights W₂ of mean 0 and
    pre-activations h = W₁x + b₁ ~ N(M, S²). Does it matter? Rounding f(h) to a format changes the
    output as well; the verdict says whether r is below that noise, beside it or above.

    With --glu the block is W₂·(f(W₁x)·(Vx)), and it is the product that is rounded.

    Examples:

      gelu block

      gelu block --form tanh --sigma 2 --dtype float16 --digits 12

      gelu block --samples 1000 --shape 256,1024

      gelu block --input preactivations.npy --view units

      gelu block --glu --form tanh --shape 4096,11008 --intermediate bfloat16
    """
    from gelu_cli.old.answers.block import (
        DEFAULT_FORMAT,
        DEFAULT_SHAPE,
        OfData,
        OfNormal,
        Question,
    )
    from gelu_cli.old.arithmetic.formats import FORMATS

    _refuse_unused(given, source, output.shown(OF_DATA if source else OF_NORMAL))
    asked = Question(
        forms,
        target,
        mean,
        sigma,
        dtypes or [FORMATS[DEFAULT_FORMAT]],
        None if source else shape or DEFAULT_SHAPE,
    )
    question = asked.of(second.with_upstreams(given).gating(asked.dtypes[0]))
    if source:
        from gelu_cli.old.reading.arrays import read_preactivations

        packed = question.gating.packed if question.gating else None
        blocks = read_preactivations(source, column, packed)
        views = OfData(question, blocks, name_of(source)).views
    else:
        draws = None if samples is None else (samples, seed or 0)
        views = OfNormal(question, draws).views
    output.write_views({name: partial(make, digits=output.digits) for name, make in views.items()})


def _refuse_unused(given: Given, source: str | None, shown: Sequence[str]) -> None:
    """Raise `UsageError` for an option that the answer does not use."""
    if source is not None:
        given.refuse(*OF_NORMAL_ALONE, purpose="h ~ N(M, S²)", remedy="leave --input out")
    else:
        given.refuse("--column", "--packed", purpose="--input FILE", remedy="add it")
        if not set(shown) <= set(OF_NORMAL):
            raise UsageError(f"--view {shown[0]} is of real pre-activations; add --input FILE")
    if "--glu" in given.names:
        given.refuse("--column", purpose="numbers of one unit", remedy="leave --glu out")
    if "--samples" not in given.names:
        given.refuse("--seed", purpose="--samples N", remedy="add it")
    given.refuse_other_views(shown, VIEWS_THAT_USE)
