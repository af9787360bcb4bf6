"""The truth comes from arrays with bounds, wherever these tell what it rounds to."""

from unittest import mock

import numpy as np
import pytest

from gelu_cli.arithmetic.formats import FORMATS
from gelu_cli.forms import find_form
from gelu_cli.kernels import truth
from gelu_cli.kernels.truth import Question, truth_at


@pytest.mark.parametrize("quantity", ["value", "gradient"])
@pytest.mark.parametrize("form", ["exact", "silu"])
def test_the_bounds_settle_every_float64(form, quantity):
    """An anchor and a rest of about its size, too: where |x| is near 1 the rests make a unit."""
    x = np.random.default_rng(1).uniform(-12, 12, 2000)
    question = Question(find_form(form), quantity, FORMATS["float64"])
    with mock.patch.object(truth, "_one_truth", side_effect=AssertionError):
        found = truth_at(question, x)
    assert (np.abs(found.low) <= 0.5).all()
    assert found.want[:5].tolist() == [question.want(point) for point in x[:5].tolist()]
