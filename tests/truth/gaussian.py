"""Expectations for X ~ N(mean, sigma²) with a tiny or a huge sigma.

A narrow distribution depends on the first terms of a form's Taylor series, a wide one on ReLU, the
limit of every form far out. The relative size of what is neglected is sigma² or |mean|/sigma².
"""

from tests.truth.mpmath import FORMS, M, ratio


def with_gains(*moments):
    """Return moments of f and f′, and 1/√ of Var f, E f² and E f′²."""
    return *moments, *(1 / M.sqrt(moments[k]) for k in (5, 4, 0))


def of_relu(mean, sigma):
    """Return the moments of ReLU, in the order of gelu's columns, by their closed forms."""
    m, s = ratio(mean), ratio(sigma)
    above, below, density = M.ncdf(m / s), M.ncdf(-m / s), s * M.npdf(m / s)
    f = m * above + density
    square = (m**2 + s**2) * above + m * density
    return with_gains(above, above, above * below, f, square, square - f**2)


def of_taylor(name, mean, sigma):
    """Return the moments of a smooth form by f, f′ and f″ at the mean."""
    m, s = ratio(mean), ratio(sigma)
    f, slope, bend = (M.diff(FORMS[name], m, n) for n in range(3))
    variances = (bend * s) ** 2, (slope * s) ** 2
    return with_gains(slope**2, slope, variances[0], f, f**2 + variances[1], variances[1])
