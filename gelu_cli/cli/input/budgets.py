"""What --budget and --tighten name: bounds in a file, which there may be yet to be."""

from __future__ import annotations

import os
from typing import TYPE_CHECKING

from gelu_cli.errors import UsageError

if TYPE_CHECKING:
    from gelu_cli.kernels.budgets import Budget


def read_budget(path: str | None, tighten: bool) -> Budget | None:
    """Return the budget in a file, an empty one where --tighten is to make the file.

    Raises `UsageError`, which names file and line, for one that cannot be read or meant.

    >>> read_budget(None, tighten=True)
    Traceback (most recent call last):
        ...
    gelu_cli.errors.UsageError: --tighten writes to a budget; add --budget FILE
    """
    if path is None:
        if tighten:
            raise UsageError("--tighten writes to a budget; add --budget FILE")
        return None
    from gelu_cli.kernels.budgets import Budget, load_budget

    if not path or path == "-":
        raise UsageError("--budget needs the name of a file")
    if tighten and not os.path.lexists(path):
        if not os.path.isdir(os.path.dirname(os.path.realpath(path))):
            raise UsageError(f"--budget '{path}': there is no such folder")
        return Budget.of("", path)
    return load_budget(path)
