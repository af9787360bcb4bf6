"""What `gelu plot` draws, from Python: forms, their errors, and the errors of kernels."""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from dataclasses import dataclass
from pathlib import Path

from gelu_cli.errors import UsageError, unknown
from gelu_cli.old.answers.error import DEFAULT_FORMS
from gelu_cli.old.answers.plot import forms as answer
from gelu_cli.old.answers.plot.sweeps import plot_comparison, plot_sweep
from gelu_cli.old.answers.table import ALL, chosen_quantities
from gelu_cli.old.api.arguments import (
    FormWord,
    check_names,
    form_of,
    forms_of,
    listed,
    quantity_of,
)
from gelu_cli.old.api.messages import asked_in_python
from gelu_cli.old.api.verdicts import Comparison, Record, Verdict
from gelu_cli.old.arithmetic.typed import real_number
from gelu_cli.old.calculus.comparison import compare
from gelu_cli.old.environment import standard_environment
from gelu_cli.old.report.plots import PICTURES, Plot, file_of, svg, terminal
from gelu_cli.old.report.plots.look import THEMES, Look


@dataclass(frozen=True, repr=False)
class Picture:
    """A picture: a notebook shows it, `save` writes it to a file, `print` draws it as text."""

    drawn: Plot

    @property
    def title(self) -> str:
        """What stands above it."""
        return self.drawn.title

    @standard_environment()
    def save(
        self,
        path: str | Path,
        *,
        size: tuple[float, float] | None = None,
        theme: str = "light",
        dpi: int = 150,
    ) -> None:
        """Write it to a file: .svg, or .png and .pdf, which matplotlib draws; `size` is in inches.

        Raises ValueError for another suffix and an unknown theme, OSError as `open` does.
        """
        kind = Path(path).suffix.lower()[1:]
        if kind not in PICTURES:
            raise UsageError(f"'{path}' is no picture; end it with .{', .'.join(PICTURES)}")
        if theme not in THEMES:
            raise unknown("theme", theme, THEMES)
        Path(path).write_bytes(file_of(self.drawn, kind, Look(THEMES[theme], size, dpi)))

    def __repr__(self) -> str:
        return f"<Picture {self.title}>"

    def __str__(self) -> str:
        """Return it as a terminal shows it."""
        return terminal.render(self.drawn, 80, 24, False, False)

    def _repr_svg_(self) -> str:
        return svg.render(self.drawn).decode()


@asked_in_python
def plot(
    forms: FormWord | Iterable[FormWord] | Verdict | Comparison | Record = (), *,
    quantities: str | Sequence[str] = (), error: str | None = None, target: FormWord = "exact",
    low: float = -4.0, high: float = 4.0, marks: str | Sequence[str] = (),
) -> Picture:  # fmt: skip
    """Return a picture of forms, by default of GELU, or of what was found of kernels.

    `quantities` are those of `gelu plot`, value and gradient by default. With `error`, "absolute"
    or "relative", the errors of the forms against the `target` are drawn, of one quantity, by
    default those of tanh and sigmoid. `marks` are "minimum", "inflection" and, of errors,
    "supremum". Every point is correctly rounded.

    Raises ValueError for an unknown name and an empty range.

    >>> picture = plot(["exact", "tanh"], quantities="value")
    >>> picture.title, picture._repr_svg_()[:5]
    ('GELU and tanh', '<?xml')
    """
    if isinstance(forms, Comparison):
        return Picture(plot_comparison(forms.found))
    if isinstance(forms, Verdict):
        return Picture(plot_sweep([forms]))
    if isinstance(forms, Record):
        return Picture(plot_sweep(forms.content.verdicts, forms.content.bound))
    usual = answer.DEFAULT_FORMS if error is None else DEFAULT_FORMS
    chosen, words = forms_of(forms) or forms_of(usual), listed("quantities", quantities)
    asked = [word if word == ALL else quantity_of(word) for word in words]
    ends = real_number("low", low), real_number("high", high)
    marked = listed("marks", marks)
    if error is None:
        names = chosen_quantities(asked or answer.DEFAULT_QUANTITIES, chosen)
        return Picture(answer.plot_forms(chosen, names, *ends, marked))
    check_names(error=error)
    quantity, *others = asked or ["value"]
    if others:
        raise UsageError("errors are drawn of one quantity; name one, quantities='value'")
    against = form_of("target", target)
    pairs = [compare(form, against, quantity) for form in chosen]
    return Picture(answer.plot_errors(pairs, error, *ends, marked))
