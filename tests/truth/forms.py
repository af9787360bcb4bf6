"""The forms, a line or two of mathematics each, for numbers of mpmath and for series of Arb.

Written from the definitions in the literature; nothing here comes from gelu_cli. A form is a
function of an arithmetic m, which has exp, erfc and the like, and of parameters. It returns its
pieces, functions of x, and the kinks between them. Constants are computed when a piece is called,
to the precision of that moment.
"""

DEFINITIONS = {}
"""Every form by name."""


def form(definition):
    DEFINITIONS[definition.__name__] = definition
    return definition


def quintic_tanh(m, x, c, a=None, d=0):
    a = m.root(2 / m.pi()) if a is None else a
    return x * m.logistic(2 * a * (x + c * x * x * x + d * x * x * x * x * x))


def itself(x):
    return x


def nothing(x):
    return 0 * x


@form
def exact(m):
    return [lambda x: x * m.erfc(-x / m.root(2)) / 2], []


@form
def tanh(m, c="0.044715", a=None, d="0"):
    def piece(x):
        return quintic_tanh(m, x, m.number(c), a and m.number(a), m.number(d))

    return [piece], []


@form
def tanh_taylor(m):
    return [lambda x: quintic_tanh(m, x, (4 - m.pi()) / (6 * m.pi()))], []


@form
def sigmoid(m, beta="1.702"):
    return [lambda x: x * m.logistic(m.number(beta) * x)], []


@form
def sigmoid_taylor(m):
    return [lambda x: x * m.logistic(m.root(8 / m.pi()) * x)], []


@form
def silu(m):
    return [lambda x: x * m.logistic(x)], []


@form
def softplus(m):
    return [lambda x: m.log1p(m.exp(x))], []


@form
def mish(m):
    """x·tanh(log(1 + eˣ)); the tanh is t/(t + 2), t = (1 + eˣ)² − 1."""

    def piece(x):
        t = m.exp(x) * (m.exp(x) + 2)
        return x * t / (t + 2)

    return [piece], []


@form
def noisy_relu(m, sigma="1"):
    def piece(x):
        z = x / m.number(sigma)
        density = m.exp(-z * z / 2) / m.root(2 * m.pi())
        return x * m.erfc(-z / m.root(2)) / 2 + m.number(sigma) * density

    return [piece], []


@form
def relu(m):
    return [nothing, itself], [m.number(0)]


@form
def leaky_relu(m, slope="0.01"):
    return [lambda x: m.number(slope) * x, itself], [m.number(0)]


@form
def squareplus(m, b="4"):
    return [lambda x: (x + m.root(x * x + m.number(b))) / 2], []


@form
def elu(m, alpha="1"):
    return [lambda x: m.number(alpha) * m.expm1(x), itself], [m.number(0)]


@form
def hard(m, slope="1.702"):
    end = 3 / m.number(slope)
    return [nothing, lambda x: x * (m.number(slope) * x + 3) / 6, itself], [-end, end]


@form
def igelu(m, a="-0.2888", b="-1.769"):
    def parabola(side):
        def piece(x):
            z = side * x / m.root(2) + m.number(b)
            return x * (1 + side * (m.number(a) * z * z + 1)) / 2

        return piece

    end = -m.number(b) * m.root(2)
    return [nothing, parabola(-1), parabola(1), itself], [-end, m.number(0), end]


@form
def erf_as(m, p="0.3275911", **chosen):
    a = ("0.254829592", "-0.284496736", "1.421413741", "-1.453152027", "1.061405429")
    a = [chosen.get(f"a{n}", each) for n, each in enumerate(a, 1)]

    def tail(z):
        t = 1 / (1 + m.number(p) * z)
        return sum(m.number(each) * t**n for n, each in enumerate(a, 1)) * m.exp(-z * z) / 2

    left, right = lambda x: x * tail(-x / m.root(2)), lambda x: x * (1 - tail(x / m.root(2)))
    return [left, right], [m.number(0)]


@form
def polynomial(m, A="2.775023", **chosen):  # noqa: N803
    odd = {"c1": "0.37476888", "c3": "-0.042710738", "c5": "0.0022649414", **chosen}

    def piece(x):
        terms = (m.number(each) * x ** (int(name[1:]) + 1) for name, each in odd.items())
        return x / 2 + sum(terms)

    return [nothing, piece, itself], [-m.number(A), m.number(A)]
