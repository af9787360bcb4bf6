"""What a folder holds is what there is: registries read from the files of a package."""

from __future__ import annotations

import ast
from collections.abc import Iterable
from functools import cache


def module_names(path: Iterable[str]) -> list[str]:
    """Return the sorted names of the public modules in a package, given its `__path__`.

    >>> import gelu_cli.report.formats as formats
    >>> "csv" in module_names(formats.__path__)
    True
    """
    from pkgutil import iter_modules

    return sorted(module.name for module in iter_modules(path) if module.name[0] != "_")


@cache
def module_summary(name: str) -> str:
    """Return the first line of a module's docstring, without importing the module.

    What a module imports may be dear, and help shows the summaries of many.

    >>> module_summary("gelu_cli.registry")
    'What a folder holds is what there is: registries read from the files of a package.'
    """
    from pkgutil import get_data

    package, _, leaf = name.rpartition(".")
    source = get_data(package, f"{leaf}.py") or b""
    return (ast.get_docstring(ast.parse(source)) or "").partition("\n")[0]
