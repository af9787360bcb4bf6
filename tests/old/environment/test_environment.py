"""Every state is seen, the standard one comes and goes, and a guest has one of its own."""

import platform
import sys
import threading
import types
from contextlib import suppress

import numpy as np
import pytest

from gelu_cli.errors import ComputationError
from gelu_cli.old import environment
from gelu_cli.old.arithmetic.format_arrays import numbers, to_bits
from gelu_cli.old.arithmetic.formats import FORMATS
from gelu_cli.old.environment import (
    FROM_THE_START,
    SINCE_A_CALL,
    SINCE_ITS_IMPORT,
    STANDARD,
    Guest,
    State,
    callers_environment,
    current_state,
    make_standard,
    standard_environment,
)
from gelu_cli.old.guests.array_functions import FunctionImplementation
from gelu_cli.old.guests.backends import backend_class
from gelu_cli.old.guests.calling import Calling
from gelu_cli.old.parallel import in_order
from tests.old.every import every

DIRECTIONS = {"": "to nearest", "u": "upward", "d": "downward", "z": "toward 0"}
FLUSHES = ["", "r", "i", "ri"] if platform.machine() in {"x86_64", "AMD64"} else ["", "ri"]
MODES = [flush + letter for flush in FLUSHES for letter in DIRECTIONS]
every_mode = every("mode", MODES)
FLUSHING = State(flushes_results=True, flushes_inputs=True)


def state_of(mode):
    return State("r" in mode, "i" in mode, DIRECTIONS[mode.strip("ri")])


@every_mode
def test_a_block_runs_in_the_standard_environment_whatever_it_was_before(library, mode):
    with library.set(mode) as before:
        found = current_state()
        with standard_environment():
            inside, caller = current_state(), callers_environment().state
            with standard_environment():
                nested = callers_environment().state
            still = current_state()
        after = library.mode()
    assert found == caller == nested == state_of(mode)
    assert inside == still == STANDARD
    assert after == before
    assert callers_environment().state == STANDARD


@every("mode", ["", "riu"])
def test_the_callers_environment_comes_back_whatever_a_function_does(library, mode):
    @standard_environment()
    def fails():
        library.functions.set_mode(b"rid")
        raise ZeroDivisionError

    with library.set(mode) as before:
        with pytest.raises(ZeroDivisionError):
            fails()
        after = library.mode()
    assert after == before


@every("mode", ["ri", "z"])
def test_threads_compute_in_the_standard_environment(library, mode):
    with library.set(mode):
        states = list(in_order(lambda _: current_state(), range(4), 2, lambda _: True))
        after = current_state()
    assert states == [STANDARD] * 4
    assert after == state_of(mode)


def test_a_guest_finds_the_environment_as_it_left_it_in_whichever_thread(library):
    """Also where it left by an exception."""

    def run(mode):
        with suppress(ZeroDivisionError), guest.running(SINCE_A_CALL):
            entered.append(current_state())
            library.functions.set_mode(mode)
            raise ZeroDivisionError
        left.append(current_state())

    entered, left = [], []
    guest = Guest()
    for mode in (b"ri", b"u", b""):
        thread = threading.Thread(target=run, args=[mode])
        thread.start()
        thread.join()
    run(b"")
    assert entered == [STANDARD, FLUSHING, state_of("u"), STANDARD]
    assert left == [STANDARD] * 4
    assert guest.seen == {
        STANDARD: FROM_THE_START, FLUSHING: SINCE_A_CALL, state_of("u"): SINCE_A_CALL,
    }  # fmt: skip


def test_a_guest_begins_in_the_environment_of_the_caller(library):
    with library.set("ri"), standard_environment():
        guest = Guest()
        with guest.running(SINCE_ITS_IMPORT):
            entered = current_state()
            with standard_environment():  # it calls gelu
                inside, caller = current_state(), callers_environment().state
        left = current_state()
    assert entered == caller == FLUSHING
    assert inside == left == STANDARD
    assert guest.seen == {FLUSHING: FROM_THE_START}


@pytest.mark.parametrize("reason", ["no effect", "no registers"])
def test_where_the_standard_cannot_be_had_nothing_is_computed(library, monkeypatch, reason):
    if reason == "no effect":
        idle = types.SimpleNamespace(fegetenv=lambda saved: 0, fesetenv=lambda saved: 0)
        monkeypatch.setattr(environment, "_c_library", lambda: idle)
    else:  # as where there is no ctypes
        monkeypatch.setitem(sys.modules, "ctypes", None)
    with library.set("ri"):
        with pytest.raises(ComputationError) as error:
            make_standard()
        with pytest.raises(ComputationError), standard_environment():
            pytest.fail("it went on")
    assert str(error.value).startswith(
        "subnormal results are flushed to 0 and subnormal inputs are taken as 0 in this process"
    )


# Beside it


@every("dtype", FORMATS)
def test_patterns_are_those_of_the_numbers(dtype):
    number_format = FORMATS[dtype]
    top = number_format.bits(number_format.largest)
    magnitudes = np.unique(np.linspace(0, top, 1000).astype(np.int64))
    signed = magnitudes | (-1 << (number_format.width - 1))  # as integers of that width have it
    for bits in (magnitudes, signed):
        x = numbers(number_format, bits)
        found = to_bits(number_format, x).view(f"i{number_format.width // 8}")
        assert (found == bits).all()


@every("quantity", ["value", "gradient"])
@every("dtype", FORMATS)
def test_pytorch_may_flush_in_all_its_threads(torch, dtype, quantity):
    """Numbers reach a function and come back unharmed."""
    number_format = FORMATS[dtype]
    carrier = np.float64 if dtype == "float64" else np.float32
    # Enough subnormal numbers to be shared among threads.
    bits = np.arange(100_000) % ((1 << (number_format.precision - 1)) - 1) + 1
    x = numbers(number_format, bits).astype(carrier)

    class Given(torch.autograd.Function):
        """x itself, and x as its own derivative."""

        @staticmethod
        def forward(context, tensor):
            context.save_for_backward(tensor)
            return tensor.clone()

        @staticmethod
        def backward(context, upstream):
            return context.saved_tensors[0].clone()

    def flushes(tensor):
        torch.set_flush_denormal(True)
        torch.ones(100_000) + 1  # in the threads as well
        return Given.apply(tensor)

    guest = Guest()
    for _ in range(2):
        calling = Calling(number_format, number_format, quantity)
        backend = backend_class("torch")("torch", number_format)
        got = FunctionImplementation("flushes", flushes, backend, calling, guest)(x)
        assert current_state() == STANDARD
        assert (got == x).all()
    assert guest.seen == {STANDARD: FROM_THE_START, FLUSHING: SINCE_A_CALL}
