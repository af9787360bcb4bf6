"""What --budget and --tighten name: bounds in a file, which there may be yet to be."""

from __future__ import annotations

import os
from typing import TYPE_CHECKING

from gelu_cli.errors import UsageError

if TYPE_CHECKING:
    from gelu_cli.budgets import Budget


def read_budget(path: str | None, tighten: bool, output: str | None = None) -> Budget | None:
    """Return the budget in a file, an empty one where --tighten is to make the file.

    Raises `UsageError`, which names file and line, for one that cannot be read or meant, and where
    the answer is to be written to the same file.

    >>> read_budget(None, tighten=True)
    Traceback (most recent call last):
        ...
    gelu_cli.errors.UsageError: --tighten writes to a budget; add --budget FILE
    """
    if path is None:
        if tighten:
            raise UsageError("--tighten writes to a budget; add --budget FILE")
        return None
    from gelu_cli.budgets import current_budget, load_budget

    if not path or path == "-":
        raise UsageError("--budget needs the name of a file")
    if output and os.path.realpath(output) == os.path.realpath(path):
        raise UsageError(f"--output '{output}' is the file of --budget; name another one")
    if tighten and not os.path.isdir(os.path.dirname(os.path.realpath(path))):
        raise UsageError(f"--budget '{path}': there is no such folder; make it first")
    return current_budget(path) if tighten else load_budget(path)
