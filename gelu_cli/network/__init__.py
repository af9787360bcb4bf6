"""Changes of a block W₂·f(W₁x + b₁) + b₂ by another form or format.

`change` measures the change of the output and of the gradient, `noise` the rounding noise of a
format, with which changes are compared.
"""
