"""What a kernel raises is the cause of our error, with its traceback, from another process too."""

import pickle
import traceback

import pytest

from gelu_cli.errors import ComputationError, UsageError
from tests.old.asked import swept
from tests.old.every import every

pytestmark = pytest.mark.usefixtures("folder")
FILES = {
    "k.py": """
import numpy as np
def inner(x): raise OSError("no table")
def fails(x):
    try:
        inner(x)
    except OSError as error:
        raise ValueError("no kernel") from error
def stops(x): raise KeyboardInterrupt
""",
    "broken.py": "\n1 / 0\n",
}


def failing(x):
    raise ValueError("no kernel")


def causes(function, **arguments):
    """Return the error of a sweep that fails, and its cause."""
    with pytest.raises(ComputationError) as raised:
        swept(function, dtype="float16", low=1, high=2, **arguments)
    return raised.value, raised.value.__cause__


def places(error):
    return [(each.filename, each.line) for each in traceback.extract_tb(error.__traceback__)]


LINE = __file__, 'raise ValueError("no kernel")'


def test_the_cause_is_the_exception_itself_from_the_line_of_the_function_on():
    error, cause = causes(failing)
    assert type(cause) is ValueError
    assert places(cause) == [LINE]
    assert "failing raised ValueError at x = 1.0: no kernel" in str(error)


def test_so_it_is_of_a_gradient_of_torch(torch):
    def fails_later(x):
        torch.tanh(x)
        return failing(x)

    _, cause = causes(fails_later, quantity="gradient", form="tanh")
    assert [places(cause)[0][1], places(cause)[-1]] == ["return failing(x)", LINE]


def test_a_function_without_lines_has_no_traceback():
    _, cause = causes(ord)
    assert (type(cause), places(cause)) == (TypeError, [])


@every("trips", [0, 2])
def test_of_another_process_it_is_the_text_of_the_traceback(trips):
    error, _ = causes("k.py:fails")
    for _ in range(trips):
        error = pickle.loads(pickle.dumps(error))
    said = str(error.__cause__)
    assert said.count("Traceback (most recent call last):") == 2  # of the ValueError, of its cause
    first, second = said.split("direct cause of the following exception")
    assert "OSError: no table" in first
    assert 'k.py", line 8, in fails\n' in second
    assert "ValueError: no kernel" in second
    assert "gelu_cli" not in said


@every(
    ("word", "place"),
    [("broken.py:f", 'broken.py", line 2, in <module>\n'), ("k.py:stops", "line 9, in stops")],
)
def test_so_it_is_of_an_import_and_an_interrupt(word, place):
    assert place in str(causes(word)[1])


def test_what_has_no_cause_has_none_after_a_trip():
    again = pickle.loads(pickle.dumps(ComputationError("late", said=["a line"])))
    assert (str(again), again.said, again.__cause__) == ("late", ["a line"], None)
    assert isinstance(pickle.loads(pickle.dumps(UsageError("no"))), ValueError)
