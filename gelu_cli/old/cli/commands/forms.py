"""`gelu forms`: what there is to evaluate."""

from __future__ import annotations

from typing import TYPE_CHECKING

from gelu_cli.errors import UsageError
from gelu_cli.old.cli import options
from gelu_cli.old.cli.parameters import GIVEN, Given, argument
from gelu_cli.old.reading.names import names_form, parse_form

if TYPE_CHECKING:
    from gelu_cli.old.writing.destinations import Output

OF_ALL = ("forms", "functions", "models")
SHOWN_OF_ONE = ("about", "figures")
OF_ONE = (*SHOWN_OF_ONE, "models")


def forms(
    name: str | None = argument(
        "[FORM]",
        "The form to describe in full, by any of its names, with parameters or without "
        "(quick_gelu, tanh:a=0.8), or by a model that computes it (gemma).",
        choices="forms_by_any_name",
    ),
    output: Output = options.output(
        options.view(
            "forms_views",
            "Which table: {forms_views}. Default: forms; with FORM about, and a terminal shows "
            "figures as well.",
        )
    ),
    given: Given = GIVEN,
) -> None:
    """The forms: definitions, parameters, names in frameworks.

    With FORM one form in full: what it is, its derivatives at 0, limits, minimum, inflection
    points, its distance from GELU, and which models compute it. --view models has a source for
    each of these; --view functions has what else kernels are judged against, erf say. The name of a
    model stands for the form that it computes; the beginning of several names lists these models.

    Examples:

      gelu forms --format markdown

      gelu forms gelu_new

      gelu forms gemma

      gelu forms --view models
    """
    from gelu_cli.old.answers.forms import listing
    from gelu_cli.old.answers.plot import picture_of
    from gelu_cli.old.formulas import typed_form
    from gelu_cli.old.formulas.models import models_named

    view = output.view
    if name is None:
        if view is not None and view not in OF_ALL:
            raise UsageError(f"--view {view} is of one form; name it, as in gelu forms tanh")
        given.refuse("--digits", purpose="the figures of one form", remedy="name it")
        output.write(getattr(listing, view or "forms")())
        return
    if view is not None and view not in OF_ONE:
        raise UsageError(f"--view {view} has all forms; leave '{name}' out, or change the view")
    named = models_named(name) if name and not names_form(name) else []
    form = typed_form(named[0].form) if named else parse_form(name)
    several = len(named) > 1 and named[0].name.lower() != name.lower()
    if several and view in SHOWN_OF_ONE:
        names = ", ".join(each.name for each in named)
        raise UsageError(f"--view {view} is of one form, and '{name}' is the beginning of {names}")
    shown = ["models"] if several else output.shown(SHOWN_OF_ONE)
    given.refuse_other_views(shown, {"--digits": ["figures"]})
    if several or view == "models":
        output.write(listing.models(named=named) if named else listing.models(form))
        return
    from gelu_cli.old.answers.forms.figures import figures  # for which mpmath is loaded

    views = {
        "about": lambda: listing.about(form, named),
        "figures": lambda: figures(form, digits=output.digits),
    }
    output.write_views(views, lambda: picture_of([form], ["value", "gradient"]))
