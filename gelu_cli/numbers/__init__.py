"""How values are found: balls of Arb, formats, rounding, points, arrays, and mpmath's word on them.

`points` has values at a point, `arrays` those of arrays, `units` both in units of a format's last
place, `reference` the definitions by which mpmath confirms a figure.
"""
