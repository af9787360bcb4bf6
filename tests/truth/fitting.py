"""Best constants a second time: the equations of the optimum, solved by mpmath.

Members are the gates of the literature, with parameters that are numbers of mpmath's.
"""

from tests.truth.mpmath import M

ROOT_2 = M.sqrt(2)


def normal_gate(x):
    return M.ncdf(x)


def sigmoid(x, beta):
    return 1 / (1 + M.exp(-beta * x))


def tanh(x, a, c, d=0):
    return (1 + M.tanh(a * (x + c * x**3 + d * x**5))) / 2


def tanh_of_published_scale(x, c):
    return tanh(x, M.sqrt(2 / M.pi), c)


def hard(x, slope):
    return (slope * x + 3) / 6


def igelu(x, a, b):
    return 1 + a * (x / ROOT_2 + b) ** 2 / 2


def tail_of_erf(x, *a, p="0.3275911"):
    t = 1 / (1 + M.mpf(p) * x / ROOT_2)
    return 1 - sum(c * t**n for n, c in enumerate(a, 1)) * M.exp(-x * x / 2) / 2


def polynomial(x, *values):
    odd = values[:-1]  # the last one is the edge A
    return M.mpf(1) / 2 + sum(c * x ** (2 * n + 1) for n, c in enumerate(odd))


def levelled(gate, values, extrema, *, power=1, more=None):
    """Return the values, extrema and error at which errors at extrema alternate with one size.

    The error is x^power·(gate − Φ) for x > 0. `more` returns further points, which are no extrema,
    for the values and the error: pairs of an error and how often the sign has changed until there.
    """
    n, m = len(values), len(extrema)

    def error(x, values):
        return x**power * (gate(x, *values) - normal_gate(x))

    def equations(*unknown):
        values, places, height = unknown[:n], unknown[n : n + m], unknown[-1]
        rest = more(error, values) if more else []
        heights = [(error(x, values), k) for k, x in enumerate(places)] + rest
        return [
            *(each - (-1) ** k * height for each, k in heights),
            *(M.diff(lambda t: error(t, values), x) for x in places),
        ]

    start = [*values, *extrema, error(M.mpf(extrema[0]), values)]
    with M.workdps(60):
        found = list(M.findroot(equations, list(map(M.mpf, start)), tol=1e-100))
    return found[:n], found[n : n + m], abs(found[-1])


def flattest(gate, value, x):
    """Return the value and x at which the gradient's error is stationary in both.

    An error that is largest at one point alone is least where a change of the value has no effect.
    """

    def error(x, value):
        return M.diff(lambda t: t * (gate(t, value) - normal_gate(t)), x)

    def equations(value, x):
        return M.diff(lambda v: error(x, v), value), M.diff(lambda t: error(t, value), x)

    with M.workdps(40):
        return list(M.findroot(equations, (M.mpf(value), M.mpf(x)), tol=1e-40))


def least_mean_square(gate, value, *, mean=0, sigma=1, kinks=None):
    """Return the value with the least E (x·(gate − Φ))², X ~ N(mean, sigma²): its derivative is 0.

    `kinks` returns those of the gate.
    """

    def slope(value):
        def integrand(t):
            x = mean + sigma * t
            change = M.diff(lambda v: gate(x, v), value)
            return x * x * (gate(x, value) - normal_gate(x)) * change * M.npdf(t)

        cuts = [(cut - mean) / sigma for cut in (kinks(value) if kinks else [M.mpf(0)])]
        return M.quad(integrand, sorted([M.mpf(-12), *cuts, M.mpf(12)]))

    with M.workdps(22):
        return M.findroot(slope, (M.mpf(value), M.mpf(value) * (1 + M.mpf(10) ** -6)), tol=1e-36)
