"""Compare results of kernels with the exact values.

A `Question` defines the expected results, `Inputs` defines the inputs. `measure` calls kernels and
returns a `Verdict` on each kernel; `measure_results` returns a verdict on given results.

The process that runs a kernel on a `Unit` of inputs also computes the exact values in ULP (`truth`,
`runs`), the errors (`judge`) and their tallies. `measure` adds the tallies, in any order.
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
