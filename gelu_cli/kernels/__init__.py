"""Floating-point routines, and functions of the user's own, judged against the truth."""

LARGEST_BATCH = 1 << 24
"""So many inputs a call of a user's function may have."""
