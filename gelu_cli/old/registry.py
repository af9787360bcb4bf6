"""What a folder holds is what there is: registries read from the files of a package."""

from __future__ import annotations

from collections.abc import Iterable
from types import ModuleType
from typing import Any


def module_names(path: Iterable[str]) -> list[str]:
    """Return the sorted names of the public modules in a package, given its `__path__`.

    >>> import gelu_cli.old.report.formats as formats
    >>> "csv" in module_names(formats.__path__)
    True
    """
    from pkgutil import iter_modules

    return sorted(module.name for module in iter_modules(path) if module.name[0] != "_")


def module_summary(name: str) -> str:
    """Return the first line of a file, its docstring's, without importing or parsing the module.

    What a module imports may be dear, and help shows the summaries of many.

    >>> module_summary("gelu_cli.old.registry")
    'What a folder holds is what there is: registries read from the files of a package.'
    """
    from pkgutil import get_data

    package, _, leaf = name.rpartition(".")
    source = (get_data(package, f"{leaf}.py") or b"").decode()
    return source.partition("\n")[0].strip('"')


def module_words(name: str) -> str:
    """Return what a module is, in a few words for a list: its first line, begun in lower case.

    >>> module_words("gelu_cli.old.report.formats.csv")
    'comma-separated values, lossless'
    """
    summary = module_summary(name).removesuffix(".")
    return summary[:1].lower() + summary[1:]


def module_settings(module: ModuleType, names: Iterable[str]) -> dict[str, Any]:
    """Return the constants of these names, in capitals, that a module has: each is optional.

    >>> import gelu_cli.old.report.formats.csv as csv
    >>> module_settings(csv, ["header", "people"])
    {'header': True}
    """
    return {name: getattr(module, name.upper()) for name in names if hasattr(module, name.upper())}
