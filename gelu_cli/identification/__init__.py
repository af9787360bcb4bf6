"""Which form, routine, format and parameter explain figures that somebody has printed or computed.

`figures` has what is given, `candidates` what may explain it, `mistakes` the known wrong formulas,
`explanations` what explains how much, `estimation` the parameters that fit, and `telling` the
inputs at which two explanations differ.
"""
