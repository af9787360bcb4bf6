"""Forms, routines and parameters that explain given values.

`candidates` defines the given values, and the candidates that may explain these values.
`parameters` finds intervals of a form's parameter. `explanations` ranks the candidates, and finds
an x at which two of them differ. `mistakes.toml` lists known wrong formulas.
"""
