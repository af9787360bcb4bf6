"""Compare results of kernels with the exact values.

A `Question` defines the expected results, `Inputs` the inputs. `measure` calls kernels and returns
a `Verdict` on each, and the differences of two compared kernels; `measure_results` returns a
verdict on results computed elsewhere. A verdict is plain data; its methods compute the views.

Steps: question → exact values in ULP (`truth`, `runs`) → errors (`judge`) → tallies, which can be
added in any order → verdict. Each `Unit` of inputs is measured in the process that runs the kernel.
"""

from gelu_cli.accuracy.judge import Result
from gelu_cli.accuracy.measure import Measured, measure, measure_results
from gelu_cli.accuracy.question import Glu, Question
from gelu_cli.accuracy.selection import Inputs, Normal
from gelu_cli.accuracy.verdict import Verdict

__all__ = [
    "Glu",
    "Inputs",
    "Measured",
    "Normal",
    "Question",
    "Result",
    "Verdict",
    "measure",
    "measure_results",
]
