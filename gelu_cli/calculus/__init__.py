"""Extrema, zeros, averages and errors of forms, each with a proof.

`suprema`, `landmarks`, `averages` and `point_errors` use `curves` and `covering`.
"""
