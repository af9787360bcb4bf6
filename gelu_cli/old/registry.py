"""What a folder holds is what there is: registries read from the files of a package."""

from __future__ import annotations

from collections.abc import Iterable


def module_names(path: Iterable[str]) -> list[str]:
    """Return the sorted names of the public modules in a package, given its `__path__`.

    >>> import gelu_cli.old.guests.backends as backends
    >>> "torch" in module_names(backends.__path__)
    True
    """
    from pkgutil import iter_modules

    return sorted(module.name for module in iter_modules(path) if module.name[0] != "_")
