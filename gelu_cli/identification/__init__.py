"""Which form, routine, format and parameter explain figures that somebody has printed or computed.

`figures` has what is given, `candidates` what may explain it, `mistakes` the known wrong formulas,
`judges` who hold one against the other, `explanations` what explains the most, `estimation` the
parameters that fit, `intervals` how these are said, and `telling` the inputs at which two
explanations differ.
"""
