"""The best constants of a form, with proof; here what a fit may make least, for help, by name."""

CRITERIA = {
    "sup": "the largest |error| on the range",
    "relative": "the largest |error|/|target| there",
    "rms": "√E error² for X ~ N(M, S²)",
    "mean": "E |error| for X ~ N(M, S²)",
}

QUANTITIES = ("value", "gradient", "gate")
"""What of a form may be fitted."""
