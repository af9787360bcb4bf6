"""Forms on the real axis.

Extrema, zeros, averages and errors, each with a proof.

`suprema`, `landmarks`, `averages`, `point_errors` and `point_summary` answer; `curves` and
`covering` are what they share.
"""
