"""Kernels against the exact values."""
