"""Which form, routine, format and parameter explain figures that somebody has printed or computed.

`figures` has what is given, `mistakes` the known wrong formulas, `candidates` what may explain the
figures and whether it does, `estimation` the parameters that fit, `explanations` what explains the
most, and `telling` the inputs at which two explanations differ.
"""
