"""One test for all of its parameters: thousands of items cost pytest more than the tests."""

import inspect
from functools import wraps

import pytest


def every(names, values, ids=None):
    """Call a test with each value, as `pytest.mark.parametrize` does, in one item."""
    listed = [name.strip() for name in names.split(",")] if isinstance(names, str) else names
    rows = [dict(zip(listed, row if len(listed) > 1 else [row], strict=True)) for row in values]

    def of(test):
        @wraps(test)
        def looped(**others):
            skipped = []
            for row in rows:
                try:
                    test(**row, **others)
                except pytest.skip.Exception as error:
                    skipped.append(error)
                except BaseException as error:
                    error.add_note(f"with {row}")
                    raise
            if len(skipped) == len(rows):
                raise skipped[0]

        signature = inspect.signature(test)
        kept = [each for each in signature.parameters.values() if each.name not in listed]
        looped.__signature__ = signature.replace(parameters=kept)
        return looped

    return of
