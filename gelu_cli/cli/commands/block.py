"""`gelu block`: what a swap of forms or formats does to a feed-forward block."""

from __future__ import annotations

from functools import partial
from typing import TYPE_CHECKING

from gelu_cli.cli import choices, options
from gelu_cli.cli.input import words

if TYPE_CHECKING:
    from fractions import Fraction

    from gelu_cli.arithmetic.formats import Format
    from gelu_cli.block.sizes import Shape
    from gelu_cli.cli.output.reports import Output
    from gelu_cli.forms import Form


def block(
    forms: list[Form] = options.FORMS,
    target: Form = options.target("exact", "The form f that others replace."),
    mean: Fraction = options.option(
        "0", metavar="M", parser=words.finite("--mean"), help="Mean of the pre-activations."
    ),
    sigma: Fraction = options.option(
        "1", metavar="S", parser=words.finite("--sigma"), help="Standard deviation of them."
    ),
    dtypes: list[Format] = options.dtypes(
        "Format whose rounding noise the verdict is about, may be repeated: {dtypes}. "
        "Default: bfloat16."
    ),
    shape: Shape = options.option(
        "768,3072",
        metavar="D,FF",
        parser=words.parse_shape,
        help="Widths of the block, D → FF → D; r does not depend on them.",
    ),
    view: str | None = options.view(
        choices.block_views, "Which table: {block_views}. A terminal shows all that there are."
    ),
    output: Output = options.OUTPUT,
) -> None:
    """What a swap of forms or formats does to a feed-forward block.

    The block is W₂·f(W₁x + b₁) + b₂. Where it computes another form g, its output changes
    relatively by r = √(E(g − f)²/E f²), whatever its widths are: for weights W₂ of mean 0 and
    pre-activations h = W₁x + b₁ ~ N(M, S²). Does it matter? Rounding f(h) to a format changes the
    output as well; the verdict says whether r is below that noise, beside it or above. Default
    forms: tanh, sigmoid, silu, relu.

    Examples:

      gelu block

      gelu block --form tanh --sigma 2 --dtype float16 --digits 12

      gelu block --view formats
    """
    from gelu_cli.answers.block import gaussian
    from gelu_cli.answers.block.question import DEFAULT_FORMAT, DEFAULT_FORMS, Question
    from gelu_cli.arithmetic.formats import FORMATS
    from gelu_cli.cli.input.words import parse_forms

    question = Question(
        forms or parse_forms(DEFAULT_FORMS),
        target,
        mean,
        sigma,
        dtypes or [FORMATS[DEFAULT_FORMAT]],
        shape,
    )
    noises = gaussian.noises_of(question)
    views = {
        "summary": partial(gaussian.summary, question, noises, digits=output.digits),
        "formats": partial(gaussian.formats, question, noises, digits=output.digits),
    }
    output.write_views(views, view)
