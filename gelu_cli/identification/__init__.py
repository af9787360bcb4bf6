"""Forms, routines and parameters that explain given values.

`candidates` has the given values, and the candidates that may explain them; `parameters` finds
intervals of parameters; `explanations` ranks candidates and finds an x that distinguishes two;
`mistakes.toml` lists known wrong formulas.
"""
