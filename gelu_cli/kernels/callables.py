"""A function of the user's own, found by MODULE:CALLABLE or FILE.py:CALLABLE."""

from __future__ import annotations

import sys
from collections.abc import Callable, Mapping
from functools import partial
from importlib import import_module
from importlib.util import module_from_spec, spec_from_file_location
from inspect import signature
from pathlib import Path
from types import ModuleType
from typing import Any

from gelu_cli.environment import SINCE_ITS_IMPORT, Guest
from gelu_cli.errors import ComputationError, GeluError, UsageError, described, unknown

EXAMPLE = "--impl MODULE:CALLABLE, e.g. torch.nn.functional:gelu or mykernel.py:gelu"


def load_callable(word: str, arguments: Mapping[str, Any], guest: Guest) -> Any:
    """Return what --impl names, with these arguments; a class is made an object of.

    What is imported and made runs in the floating-point environment of `guest`, with no regard for
    this process: call it in a worker. Raises `UsageError` where there is no such module or
    callable, or it does not take these arguments, `ComputationError` where its code fails.
    """
    home, colon, name = word.rpartition(":")
    if not colon or not home or not name:
        raise UsageError(f"'{word}' names no function: {EXAMPLE}")
    with guest.running(SINCE_ITS_IMPORT):
        function = _attempted(lambda: _found(_load(home), home, name, word), f"importing '{home}'")
        if not callable(function):
            raise UsageError(f"'{word}' is no function but {type(function).__name__}")
        # Whoever answers for its attributes by itself may fail here as well.
        _attempted(lambda: _check_arguments(function, arguments, word), f"asking '{word}'")
        if not isinstance(function, type):
            return _with_arguments(function, arguments)
        made = _attempted(lambda: function(**arguments), f"making an object of '{word}'")
    if not callable(made):
        raise UsageError(f"'{word}' is a class whose objects cannot be called")
    return made


def _attempted(work: Callable[[], Any], what: str) -> Any:
    """Return what the work returns; code that fails may raise anything, an exit too."""
    try:
        return work()
    except GeluError:
        raise
    except BaseException as error:
        raise ComputationError(f"{what} failed: {described(error)}") from None


def _found(module: ModuleType, home: str, name: str, word: str) -> Any:
    """Return what a module has by a dotted name; it may import more as it is asked."""
    found: Any = module
    for part in name.split("."):
        if not hasattr(found, part):
            inside = getattr(found, "__dict__", {})
            public = [
                each for each, value in inside.items()
                if callable(value) and not each.startswith("_")
            ]  # fmt: skip
            if not public:
                raise UsageError(f"'{word}' names no function, nothing has '{part}': {EXAMPLE}")
            raise unknown("name", part, public, where=f" in '{home}'")
        found = getattr(found, part)
    return found


def _check_arguments(function: Any, arguments: Mapping[str, Any], word: str) -> None:
    """Raise `UsageError` where the function, or the class, does not take these arguments."""
    first = () if isinstance(function, type) else (None,)
    try:
        known = signature(function)
    except (ValueError, TypeError):  # not every callable can tell
        return
    try:
        known.bind(*first, **arguments)
    except TypeError as error:
        raise UsageError(f"'{word}' cannot be called so: {error}; see --kwarg") from None


def _with_arguments(function: Any, arguments: Mapping[str, Any]) -> Any:
    if not arguments:
        return function
    bound = partial(function, **arguments)
    bound.__module__ = getattr(function, "__module__", None) or ""
    return bound


def _load(home: str) -> ModuleType:
    try:
        return _load_file(Path(home)) if home.endswith(".py") else import_module(home)
    except ModuleNotFoundError as error:
        missing = error.name or home
        raise UsageError(f"--impl {home}: there is no module '{missing}' here") from None


def _load_file(path: Path) -> ModuleType:
    if not path.is_file():
        raise UsageError(f"--impl: there is no file '{path}'")
    spec = spec_from_file_location(path.stem, path)
    if spec is None or spec.loader is None:
        raise UsageError(f"--impl: '{path}' is no Python file")
    module = module_from_spec(spec)
    sys.path.append(str(path.resolve().parent))  # modules beside it, after those installed
    spec.loader.exec_module(module)
    return module
