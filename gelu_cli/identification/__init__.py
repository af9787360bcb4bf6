"""Forms, routines and parameters that explain given values.

`given` has the values, `mistakes` the known wrong formulas, `candidates` what may explain values
and whether it does, `parameters` the intervals of parameters, `explanations` what explains the
most, and `distinguishing` the x at which two explanations differ.
"""
