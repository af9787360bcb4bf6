"""Do gradients belong to the values beside them: are both explained by one function?"""

from __future__ import annotations

from collections.abc import Sequence

from gelu_cli.identification.judges import Explanation


def belongs(values: Sequence[Explanation], gradients: Sequence[Explanation]) -> str:
    """Return in words whether what explains values best, and gradients, is one function.

    Both lists are best first; all that explain as many as the first of them count.
    """
    best_values, best_gradients = (
        [each.candidate for each in found if each.agree == found[0].agree and each.agree]
        for found in (values, gradients)
    )
    if not (best_values and best_gradients):
        return ""
    functions = {each.form.label for each in best_values if each.quantity == "value"}
    common = [
        each.form.label
        for each in best_gradients
        if each.quantity == "gradient" and each.form.label in functions
    ]
    whole = all(found[0].agrees.all() for found in (values, gradients))
    hedge = "" if whole else ", as far as most figures tell"
    if common:
        return f"the gradients belong to the values: both are those of {common[0]}{hedge}"
    first, second = best_values[0].label, best_gradients[0].label
    return (
        f"the gradients do not belong to the values: the values are those of {first}, the "
        f"gradients those of {second}{hedge}"
    )
