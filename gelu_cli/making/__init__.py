"""Programs of forms; kernels of gated forms: searched, written, proved."""
