"""Forms as sources; kernels of gated forms: searched, written, proved."""
