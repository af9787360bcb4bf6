"""Programs of forms; kernels of gated forms with proved error bounds."""
