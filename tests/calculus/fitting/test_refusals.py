"""What has no best constants is refused in one line, which says why and what would be right."""

from math import inf

import pytest

from gelu_cli import best_constants
from gelu_cli.calculus.fitting.names import CRITERIA, QUANTITIES
from gelu_cli.cli import choices
from gelu_cli.errors import UsageError

WHOLE = {"low": -inf, "high": inf}
CASES = [
    ("silu", [], {}, "'silu' has no parameters: it is a member of sigmoid; fit sigmoid"),
    ("tanh_taylor", [], {}, "it is a member of tanh; fit tanh"),
    ("relu", [], {}, "'relu' has no parameters to fit; these have: tanh, sigmoid"),
    ("exact", [], {}, "'exact' has no parameters to fit"),
    ("tahn", [], {}, "unknown form 'tahn'; did you mean 'tanh'?"),
    ("tanh", ["beta"], {}, "unknown parameter 'beta' of 'tanh'; choose from c, a, d"),
    ("tanh", ["a"], {"fixed": {"a": "0.8"}}, "a is set in 'tanh:a=0.8' and free by --free"),
    ("tanh", ["c", "c"], {}, "--free names c more than once"),
    ("tanh", ["c", "c"], {"criterion": "rms"}, "--free names c more than once"),
    ("tanh", [], {"criterion": "maximum"}, "unknown criterion 'maximum'"),
    ("tanh", [], {"quantity": "gradeint"}, "unknown quantity 'gradeint'; did you mean 'gradient'?"),
    ("tanh", [], {"quantity": "curvature"}, "unknown quantity 'curvature'; choose from value, "),
    ("sigmoid", [], {"quantity": "gate", "target": "softplus"}, "'softplus' has no gate"),
    ("tanh", ["c"], {"low": 1.0, "high": 1.0}, "the range 1:1 is empty"),
    ("tanh", ["c"], {"low": 2.0, "high": -2.0}, "the range 2:-2 is empty"),
    ("tanh", ["c"], {"sigma": 0.0}, "sigma must be positive"),
    ("tanh", ["d"], WHOLE, "d of 'tanh' has no best value on the whole line"),
    ("tanh", ["a", "c", "d"], {"low": 0.0, "high": inf}, "take a range, like --range -4:4"),
    ("tanh", ["c"], {"criterion": "relative"}, "the relative error is 1 or has no bound"),
    ("sigmoid", [], {"criterion": "relative"}, "is infinite whatever beta is; take a range"),
    ("tanh", ["a", "c"], {"low": -1e-3, "high": 1e-3}, "too small to tell a and c apart"),
    ("sigmoid", [], {"low": 0.0, "high": 1e-12}, "too small to tell beta apart; take a wider one"),
    ("elu", [], {}, "the largest error, 0.16997, does not depend on alpha"),
    ("sigmoid", [], {"target": "elu"}, "does not depend on beta: no constants are best"),
    ("sigmoid", [], {"target": "softplus"}, "the largest error, 0.693147, does not depend on beta"),
    ("sigmoid", [], {"target": "softplus", "low": -3.0, "high": -1.0}, "does not depend on beta"),
    pytest.param("hard", [], {"quantity": "gradient", "low": 1.0}, "the same whatever slope is",
                 marks=pytest.mark.slow),
    ("sigmoid", [], {"target": "relu"}, "beta has no best value: the error falls as it goes to ∞"),
]  # fmt: skip


@pytest.mark.parametrize(("form", "free", "settings", "message"), CASES)
def test_what_has_no_best_constants_is_refused(form, free, settings, message):
    with pytest.raises(UsageError) as refusal:
        best_constants(form, free, **settings)
    said = str(refusal.value)
    assert message in said
    assert "\n" not in said


def test_what_help_offers_is_what_is_taken():
    assert tuple(name for name, _ in choices.fitted_quantities()) == QUANTITIES
    assert choices.criteria() == list(CRITERIA.items())
