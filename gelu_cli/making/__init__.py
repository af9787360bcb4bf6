"""Kernels of gated forms: searched, written, proved."""
