"""Results of kernels, compared with the exact values.

A `Question` says what results should be; `Inputs` says at which inputs. `measure` calls kernels
there and returns a `Verdict` on each and, of two kernels, their differences; `measure_results` does
the same with results that are there. A verdict is plain data; its methods find what views show.

question → truth in units of the last place (`truth`, `runs`) → one judge of arrays →
tallies that add up in any order → verdict. A process judges a `Unit` of inputs where its kernel
runs (`measure`).
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
