"""Results that depend on what is around an input: which are found, and which are not claimed."""

import numpy as np
import pytest

from gelu_cli.old.arithmetic.formats import FORMATS
from gelu_cli.old.formulas import find_form
from gelu_cli.old.guests.calling import Calling
from gelu_cli.old.guests.conduct import Batches
from gelu_cli.old.guests.hosted import GuestImplementation
from gelu_cli.old.guests.programs import ProgramImplementation
from gelu_cli.old.guests.python_functions import implementation_of
from gelu_cli.old.guests.surroundings import look_around, surroundings
from gelu_cli.old.sweeping.inputs import Inputs
from gelu_cli.old.sweeping.sweep import sweep
from gelu_cli.old.sweeping.truth import Question

SMALL = FORMATS["float8_e5m2"]
RELU = find_form("relu")
BINADE = Inputs(1.0, 1.9990234375)
"""1,024 float16s."""


def changing(wrong):
    """Return ReLU, but 0 for every x where a condition holds of the call."""
    return lambda x: np.zeros_like(x) if wrong(x) else relu(x)


def relu(x):
    return np.maximum(x, 0)


def tail(x):
    """ReLU, wrong in what is left of vectors of 8."""
    whole = len(x) // 8 * 8
    return np.concatenate([relu(x[:whole]), np.zeros_like(x[whole:])])


FOUND = {
    "length 1": changing(lambda x: x.size == 1),
    "length 1025": changing(lambda x: x.size == 1025),
    "unaligned": changing(lambda x: x.ctypes.data % 4),
    "strided": changing(lambda x: x.ndim == 1 and x.strides[0] > x.itemsize),
    "2-D": changing(lambda x: x.ndim == 2 and x.flags.c_contiguous),
    "reversed": changing(lambda x: x.strides[0] < 0),
    "2-D strided": changing(lambda x: x.ndim == 2 and x.strides[0] > 65 * x.itemsize),
    "2-D transposed": changing(lambda x: x.ndim == 2 and x.flags.f_contiguous),
    "shuffled": changing(lambda x: x.size == 1024 and np.any(np.diff(x) < 0)),
}


def verdict_on(function, number_format=SMALL, inputs=None):
    own = implementation_of("f", function, Calling(number_format, number_format))
    question = Question(RELU, "value", number_format)
    return sweep(own, question, inputs or Inputs(), shapes=True)


@pytest.mark.parametrize(("shape", "function"), [*FOUND.items(), ("length 1", tail)])
def test_what_depends_on_the_surroundings_is_found(shape, function):
    found = verdict_on(function, FORMATS["float16"], inputs=BINADE)
    assert found.max_ulp == 0
    changes = found.changes.largest(None)
    assert {change.shape for change in changes} == {shape}
    assert sorted(change.x for change in changes) == [1 + i / 1024 for i in range(1024)]
    assert all(change.got == 0 and change.usual == change.x for change in changes)
    assert found.changes.judged.max_ulp == 2047
    assert any("surroundings at 1,024 of 1,024 inputs, up to 2047 ULP" in n for n in found.notes)


def test_who_writes_into_the_input_of_a_short_call_is_told():
    def overwriting(x):
        if x.size == 3:
            x[0] = 7
        return relu(x)

    told = "other surroundings: length 3: it wrote into its input; let it return a new array"
    assert any(told in note for note in verdict_on(overwriting).notes)


def test_what_is_right_only_in_short_calls_is_found():
    found = verdict_on(changing(lambda x: x.size > 100))
    assert found.max_ulp > 0
    assert {change.shape for change in found.changes.largest(None)} == {"length 1"}
    assert found.changes.judged.max_ulp == 0


def test_an_input_is_listed_once_and_its_worst_result_is_judged():
    def two(x):
        """1 too much at length 1, 2 at length 2, and 1 too little at length 3."""
        more = {1: 1, 2: 2, 3: -1}.get(x.size, 0)
        return np.where(x > 0, relu(x) + np.asarray(more, x.dtype), relu(x)).astype(x.dtype)

    found = verdict_on(two, FORMATS["float16"], inputs=Inputs(1.0, 1.5))
    changes = found.changes.largest(None)
    assert len(changes) == len({change.x for change in changes}) == 513
    assert {change.shape for change in changes} == {"length 1"}
    worst = found.changes.judged.worst[0]
    assert float(worst.ulp) == 2049  # x + 2 is rounded to a multiple of 2 ULP
    assert found.changes.shape_of(worst.x, worst.got) == "length 2"


def test_a_wrong_nan_is_the_worst_and_a_right_one_is_no_change():
    def nans(x):
        return np.where(x == 1, np.nan, relu(x)).astype(x.dtype) if x.size < 3 else relu(x)

    changes = verdict_on(nans).changes
    assert [(change.x, change.shape) for change in changes.largest(None)] == [(1.0, "length 1")]
    assert changes.shape_of(*changes.judged.failures[0][:2]) == "length 1"

    def always(x):
        return np.where(x == 1, np.nan, relu(x)).astype(x.dtype)

    assert len(verdict_on(always).changes) == 0


@pytest.mark.parametrize("dtype", ["float8_e4m3fn", "float16", "float32", "float64"])
def test_nothing_is_claimed_of_what_is_right_everywhere(dtype):
    found = verdict_on(relu, FORMATS[dtype], inputs=Inputs(1, 2, every=False, samples=1000))
    assert (len(found.changes), found.changes.largest(None)) == (0, [])
    (note,) = found.notes
    assert "do not depend on the surroundings: " in note
    assert "in 7 other surroundings" in note


def test_results_that_change_by_themselves_are_listed_and_not_blamed_on_the_surroundings():
    generator = np.random.default_rng(1)

    def random(x):
        return (relu(x) * generator.choice([1, 2], x.shape)).astype(x.dtype)

    found = verdict_on(random, inputs=Inputs(0, 4))
    changes = found.changes.largest(None)
    assert {change.shape for change in changes} == {"repeat"}
    assert len({change.x for change in changes} - {0.0}) == len(changes) > 30
    assert all(change.got / change.usual in (0.5, 2) for change in changes)
    assert any("whether they depend on the surroundings cannot be told" in n for n in found.notes)


def test_what_depends_on_the_order_of_blocks_does_not_repeat():
    previous = [0.0]

    def after_a_larger_one(x):
        """ReLU, wrong in a block that comes after one of larger numbers."""
        wrong = previous[0] > x.flat[0]
        previous[0] = x.flat[0]
        return np.zeros_like(x) if wrong else relu(x)

    number_format = FORMATS["float16"]
    calling = Calling(number_format, number_format, batch=256)
    own = implementation_of("f", after_a_larger_one, calling)
    x = np.arange(1024, 2048).astype(np.float32)
    seen = look_around(Batches(own, 256), x, np.arange(4))
    assert {seen.tried[place] for place in seen.first.tried} == {"repeat"}
    # Backwards, every block but the first comes after one of larger numbers.
    assert (seen.changing, x[seen.places].max(), set(seen.first.got)) == (768, 1791, {0})


@pytest.mark.parametrize(
    ("shape", "wrong"),
    [
        ("channels last", "not x.is_contiguous() and x.dim() == 4"),
        ("2-D strided", "x.dim() == 2 and x.stride(0) == 130"),
    ],
)
@pytest.mark.parametrize("quantity", ["value", "gradient"])
def test_what_is_wrong_in_one_layout_of_pytorch_is_found(tmp_path, shape, wrong, quantity):
    pytest.importorskip("torch")
    kernel = tmp_path / "kernel.py"
    kernel.write_text(
        f"import torch\n\ndef f(x):\n    return torch.relu(x) * (0.5 if {wrong} else 1)\n"
    )
    half = FORMATS["float16"]
    calling = Calling(half, half, quantity=quantity)
    with GuestImplementation("f", f"{kernel}:f", {}, calling) as guest:
        found = sweep(guest, Question(RELU, quantity, half), Inputs(1.0, 1.25), shapes=True)
    assert found.max_ulp == 0
    changes = found.changes.largest(None)
    assert (len(changes), {change.shape for change in changes}) == (257, {shape})
    assert all(change.got == change.usual / 2 for change in changes)


def test_a_buffer_for_all_results_is_no_change():
    buffers = {}

    def same_buffer(x):
        return np.maximum(x, 0, out=buffers.setdefault(x.shape, np.empty_like(x)))

    assert len(verdict_on(same_buffer, FORMATS["float16"], inputs=BINADE).changes) == 0


def test_what_a_function_does_not_take_is_told_and_no_failure():
    def even(x):
        if x.size % 2 or not x.flags.c_contiguous:
            raise ValueError("even and contiguous")
        return relu(x)

    found = verdict_on(even, FORMATS["float64"], inputs=Inputs(1, 2, False, samples=1000))
    told = [note for note in found.notes if "it fails in other surroundings: lengths 1, 3" in note]
    assert told
    assert "strided, reversed, 2-D, 2-D strided, 2-D transposed" in told[0]
    assert told[0].endswith("ValueError: even and contiguous")
    assert (len(found.changes), found.max_ulp, found.failure) == (0, 0, None)


def test_lengths_go_around_vectors_and_powers_of_two():
    names = [each.name for each in surroundings(("lengths", "in place"), FORMATS["float32"])]
    lengths = [int(name.split()[1]) for name in names if name.startswith("length")]
    assert lengths[:33] == [*range(1, 34)]
    assert lengths[33:] == [2**k + d for k in range(6, 13) for d in (-1, 0, 1)]
    assert names[-2:] == ["in place", "shuffled"]


# Functions in C, and programs


def verdict_on_symbol(compiled, name, signature="array"):
    calling = Calling(FORMATS["float32"], FORMATS["float32"], signature=signature)
    with GuestImplementation(name, f"{compiled.library}:{name}", {}, calling) as guest:
        question = Question(RELU, "value", FORMATS["float32"])
        return sweep(guest, question, Inputs(1, 1 + 255 * 2.0**-23), shapes=True)


@pytest.mark.parametrize(
    ("name", "shape", "factor"),
    [("doubles_if_unaligned", "result unaligned", 2), ("forgets_in_place", "in place", 0)],
)
def test_what_is_wrong_with_a_c_function_in_other_places_is_found(compiled, name, shape, factor):
    found = verdict_on_symbol(compiled, name)
    assert found.max_ulp == 0
    changes = found.changes.largest(None)
    assert {change.shape for change in changes} == {shape}
    assert len(changes) == found.total.inputs
    assert all(change.got == factor * change.x for change in changes)


@pytest.mark.parametrize(("name", "signature"), [("relus32", "array"), ("relu32", "scalar")])
def test_a_c_function_that_is_right_everywhere_is_not_blamed(compiled, name, signature):
    assert len(verdict_on_symbol(compiled, name, signature).changes) == 0


def test_a_crash_in_other_surroundings_leaves_the_rest(compiled):
    found = verdict_on_symbol(compiled, "crashes_if_unaligned")
    assert (len(found.changes), found.max_ulp, found.complete) == (0, 0, True)
    assert str(found.failure) == (
        "crashes_if_unaligned was given 256 inputs, from 1.0 to 1.0000303983688354, when its "
        "process ended: Aborted (in other surroundings: unaligned)"
    )


def test_a_program_is_given_another_order():
    program = ProgramImplementation("cat", Calling(SMALL, SMALL))
    found = sweep(program, Question(RELU, "value", SMALL), Inputs(0, 4), shapes=True)
    assert len(found.changes) == 0
    assert any("in 1 other surrounding" in note for note in found.notes)
