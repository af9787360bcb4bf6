"""A small network, trained here, so that its pre-activations are a network's."""

from functools import cache

import numpy as np
from scipy.special import ndtr

INPUTS, HIDDEN, CLASSES = 16, 64, 4
STEPS, BATCH, RATE = 1500, 64, 0.2


def gelu(h):
    return h * ndtr(h)


def gelu_gradient(h):
    return ndtr(h) + h * np.exp(-h * h / 2) / np.sqrt(2 * np.pi)


@cache
def trained_preactivations(rows, seed=0):
    """Return what a network's hidden units see, (rows, HIDDEN).

    One hidden layer with GELU learns by plain stochastic gradient descent on the cross entropy
    which of four functions of its inputs, each the larger of two linear ones, is largest.
    """
    draws = np.random.default_rng(seed)
    teacher = draws.standard_normal((2, INPUTS, CLASSES))

    def examples(count):
        x = draws.standard_normal((count, INPUTS))
        return x, np.argmax(np.maximum(x @ teacher[0], x @ teacher[1]), axis=1)

    w1 = draws.standard_normal((INPUTS, HIDDEN)) * np.sqrt(2 / INPUTS)
    w2 = draws.standard_normal((HIDDEN, CLASSES)) * np.sqrt(1 / HIDDEN)
    b1, b2 = np.zeros(HIDDEN), np.zeros(CLASSES)
    for _ in range(STEPS):
        x, label = examples(BATCH)
        h = x @ w1 + b1
        y = gelu(h)
        scores = y @ w2 + b2
        chances = np.exp(scores - scores.max(axis=1, keepdims=True))
        chances /= chances.sum(axis=1, keepdims=True)
        chances[np.arange(BATCH), label] -= 1
        upstream = chances / BATCH
        back = upstream @ w2.T * gelu_gradient(h)
        w2 -= RATE * (y.T @ upstream)
        b2 -= RATE * upstream.sum(axis=0)
        w1 -= RATE * (x.T @ back)
        b1 -= RATE * back.sum(axis=0)
    x, _ = examples(rows)
    return x @ w1 + b1
