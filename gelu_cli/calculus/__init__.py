"""Forms on the real axis.

Extrema, zeros, averages and errors, each with a proof.

`suprema`, `landmarks`, `averages` and `point_errors` answer; `curves` and
`covering` are what they share.
"""
