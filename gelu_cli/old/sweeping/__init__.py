"""Floating-point routines, and functions of the user's own, judged against the truth."""

LARGEST_BATCH = 1 << 24
"""The most inputs of one call of a user's function."""
