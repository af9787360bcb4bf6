"""Random expressions on any arithmetic, and the arithmetic that says what they are worth."""

from hypothesis import strategies as st

from tests.truth.mpmath import M, ratio, softplus

FUNCTIONS = {
    "exp": lambda a, x: a.exp(x),
    "expm1": lambda a, x: a.expm1(x),
    "erfc": lambda a, x: a.erfc(x),
    "softplus": lambda a, x: a.softplus(x),
    "σ(x)": lambda a, x: a.logistics(x)[0],
    "σ(−x)": lambda a, x: a.logistics(x)[1],
}
NUMBERS = st.fractions(-40, 40, max_denominator=10**6)


class Truth:
    """The same arithmetic on plain mpmath numbers, of more digits than any interval here."""

    pi, exp, sqrt = M.pi, staticmethod(M.exp), staticmethod(M.sqrt)
    expm1, erfc, softplus = map(staticmethod, (M.expm1, M.erfc, softplus))
    rational = staticmethod(ratio)

    def logistics(self, x):
        return 1 / (1 + M.exp(-x)), 1 / (1 + M.exp(x))


STEPS = {
    **{name: lambda a, x, y, f=f: f(a, x) for name, f in FUNCTIONS.items()},
    "x + y": lambda a, x, y: x + y,
    "x − y": lambda a, x, y: x - y,
    "y − x": lambda a, x, y: y - x,
    "x·y": lambda a, x, y: x * y,
    "x/y": lambda a, x, y: x / y,
    "y/(1 + x²)": lambda a, x, y: y / (1 + x**2),
    "−x": lambda a, x, y: -x,
    "x³": lambda a, x, y: x**3,
    "√(1 + x²)": lambda a, x, y: a.sqrt(1 + x**2),
    "2x": lambda a, x, y: 2 * x,
    "3 − x": lambda a, x, y: 3 - x,
    "1/(2 + x²)": lambda a, x, y: 1 / (2 + x**2),
    "x/π": lambda a, x, y: x / a.pi,
}

expressions = st.lists(st.tuples(st.sampled_from(list(STEPS)), NUMBERS), max_size=6)
