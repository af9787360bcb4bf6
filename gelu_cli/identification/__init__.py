"""Forms, routines and parameters that explain given values.

`candidates` has the given values, and the candidates that may explain the values; `parameters`
finds intervals of parameters; `explanations` ranks candidates and finds an x at which two
candidates differ; `mistakes.toml` lists known wrong formulas.
"""
