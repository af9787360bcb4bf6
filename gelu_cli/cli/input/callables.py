"""A function of the user's own, found by MODULE:CALLABLE or FILE.py:CALLABLE."""

from __future__ import annotations

import sys
from collections.abc import Mapping
from contextlib import redirect_stdout
from functools import partial
from importlib import import_module
from importlib.util import module_from_spec, spec_from_file_location
from pathlib import Path
from types import ModuleType
from typing import Any

from gelu_cli.environment import SINCE_ITS_IMPORT, Guest
from gelu_cli.errors import UsageError, unknown

EXAMPLE = "--impl MODULE:CALLABLE, e.g. torch.nn.functional:gelu or mykernel.py:gelu"


def load_callable(word: str, arguments: Mapping[str, Any], guest: Guest) -> Any:
    """Return what --impl names, with these arguments; a class is made an object of.

    What is imported and made runs in the floating-point environment of `guest`.
    Raises `UsageError` where there is no such module or callable, or importing it fails.
    """
    home, colon, name = word.rpartition(":")
    if not colon or not home or not name:
        raise UsageError(f"'{word}' names no function: {EXAMPLE}")
    # stdout is for the answer alone
    with redirect_stdout(sys.stderr), guest.running(SINCE_ITS_IMPORT):
        function = _found(_load(home), home, name, word)
    if not callable(function):
        raise UsageError(f"'{word}' is no function but {type(function).__name__}")
    if isinstance(function, type):
        with guest.running(SINCE_ITS_IMPORT):
            return _made(function, arguments, word)
    return _with_arguments(function, arguments)


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


def _with_arguments(function: Any, arguments: Mapping[str, Any]) -> Any:
    if not arguments:
        return function
    bound = partial(function, **arguments)
    bound.__module__ = getattr(function, "__module__", None) or ""
    return bound


def _made(kind: type, arguments: Mapping[str, Any], word: str) -> Any:
    try:
        made = kind(**arguments)
    except Exception as error:
        raise UsageError(f"'{word}' cannot be made: {type(error).__name__}: {error}") from None
    if not callable(made):
        raise UsageError(f"'{word}' is a class whose objects cannot be called")
    return made


def _load(home: str) -> ModuleType:
    try:
        if home.endswith(".py"):
            return _load_file(Path(home))
        sys.path.insert(0, "")  # modules beside the user, as python -m finds them
        try:
            return import_module(home)
        finally:
            sys.path.remove("")
    except ModuleNotFoundError as error:
        missing = error.name or home
        raise UsageError(f"--impl {home}: there is no module '{missing}' here") from None
    except UsageError:
        raise
    except (Exception, SystemExit) as error:
        raise UsageError(f"importing '{home}' failed: {type(error).__name__}: {error}") from None


def _load_file(path: Path) -> ModuleType:
    if not path.is_file():
        raise UsageError(f"--impl: there is no file '{path}'")
    spec = spec_from_file_location(path.stem, path)
    if spec is None or spec.loader is None:
        raise UsageError(f"--impl: '{path}' is no Python file")
    module = module_from_spec(spec)
    sys.path.insert(0, str(path.resolve().parent))
    try:
        spec.loader.exec_module(module)
    finally:
        sys.path.pop(0)
    return module
