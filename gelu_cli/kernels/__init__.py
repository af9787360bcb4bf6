"""Floating-point routines, and functions of the user's own, judged against the truth."""
