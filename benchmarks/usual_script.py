"""What people write without gelu: the six-point table with numpy and scipy."""

import numpy as np
from scipy.stats import norm

x = np.array([-3.0, -1.0, 0.0, 0.5, 1.0, 3.0])
u = np.sqrt(2 / np.pi) * (x + 0.044715 * x**3)
s = 1 / (1 + np.exp(-1.702 * x))
du = np.sqrt(2 / np.pi) * (1 + 3 * 0.044715 * x**2)
columns = [
    x,
    x * norm.cdf(x),
    norm.cdf(x) + x * norm.pdf(x),
    0.5 * x * (1 + np.tanh(u)),
    0.5 * (1 + np.tanh(u)) + 0.5 * x * (1 - np.tanh(u) ** 2) * du,
    x * s,
    s + 1.702 * x * s * (1 - s),
]
print("x,exact,exact_gradient,tanh,tanh_gradient,sigmoid,sigmoid_gradient")
for row in zip(*columns, strict=True):
    print(",".join(repr(float(number)) for number in row))
