"""The published approximations of GELU, from their sources, in mpmath, each in a line or two.

`SETS` has each by name, with the places where its pieces meet. Nothing here comes from gelu_cli.
"""

import struct

from tests.truth.mpmath import FORMS, M, ratio

SETS = {}


def published(*kinks):
    def register(function):
        SETS[function.__name__] = function, kinks
        return function

    return register


def series(x, *coefficients):
    """Return the polynomial with these coefficients, lowest power first."""
    return M.fsum(ratio(c) * x**n for n, c in enumerate(coefficients))


def of_erf(x, erf):
    return x * (1 + erf) / 2


def mirrored(x, right):
    """Return x·Φ(x) from Φ on the right, a function of |x|."""
    phi = right(abs(x))
    return x * (phi if x >= 0 else 1 - phi)


def logistic(constants):
    """Return x·σ(ax + bx³), a and b computed to the precision of the moment."""

    def function(x):
        a, b = constants(ratio)
        return x / (1 + M.exp(-a * x - b * x**3))

    return function


def scale():
    return 2 * M.sqrt(2 / M.pi)


LOGISTIC = {
    "megatron": lambda r: (2 * r("0.79788456"), 2 * r("0.79788456") * r("0.044715")),
    "onnx_fastgelu": lambda r: (2 * r("0.797885"), 2 * r("0.035677")),
    "ascend": lambda r: (r("1.595769122"), r("1.595769122") * r("0.0455399241")),
    "mlx_2023": lambda r: (r("1.60033"), r("1.60033") * r("0.0433603")),
    "bowling_2009": lambda r: (r("1.5976"), r("0.07056")),
    "cook_2025": lambda r: (r("8/5"), 0),
    "su_2020": lambda r: (scale(), 2 * r("0.035677337314877385")),
    "novigrad": lambda r: (2 * M.sqrt(r("2/5")), 2 * M.sqrt(r("2/5")) * r("0.044715")),
    "swapped_constants": lambda r: (2 * r("0.044715"), r("0.044715") * scale()),
    "quick_gelu": lambda r: (r("1.702"), 0),
    "mlx_2023_fast": lambda r: (r("1.773"), 0),
    "camilli_1994": lambda r: (r("1.7"), 0),
    "same_variance": lambda r: (M.pi / M.sqrt(3), 0),
    "tocher_1963": lambda r: (scale(), 0),
}
SETS |= {name: (logistic(constants), ()) for name, constants in LOGISTIC.items()}

FORMS_OF = {
    "page_1977": ("tanh", ()),
    "as_7_1_26": ("erf_as", (0,)),
    "i_bert": ("igelu", ("-2.50174379", 0, "2.50174379")),
    "h_gelu": ("hard", ("-1500/851", "1500/851")),
}
SETS |= {name: (FORMS[form], kinks) for name, (form, kinks) in FORMS_OF.items()}


@published(0)
def as_7_1_25(x):
    t = 1 / (1 + ratio("0.47047") * abs(x) / M.sqrt(2))
    tail = series(t, 0, "0.3480242", "-0.0958798", "0.7478556") * M.exp(-x * x / 2)
    return of_erf(x, M.sign(x) * (1 - tail))


@published(0)
def as_7_1_27(x):
    d = series(abs(x) / M.sqrt(2), 1, "0.278393", "0.230389", "0.000972", "0.078108")
    return of_erf(x, M.sign(x) * (1 - 1 / d**4))


@published(0)
def as_7_1_28(x):
    a = "1 0.0705230784 0.0422820123 0.0092705272 0.0001520143 0.0002765672 0.0000430638"
    d = series(abs(x) / M.sqrt(2), *a.split())
    return of_erf(x, M.sign(x) * (1 - 1 / d**16))


@published(0)
def as_26_2_16(x):
    b = "0 0.4361836 -0.1201676 0.9372980"
    t = 1 / (1 + ratio("0.33267") * abs(x))
    return mirrored(x, lambda z: 1 - M.npdf(z) * series(t, *b.split()))


@published(0)
def as_26_2_17(x):
    b = "0 0.319381530 -0.356563782 1.781477937 -1.821255978 1.330274429"
    t = 1 / (1 + ratio("0.2316419") * abs(x))
    return mirrored(x, lambda z: 1 - M.npdf(z) * series(t, *b.split()))


def xnnpack(clamp, p, q):
    def function(x):
        inside = x * series(x * x, *p.split()) / series(x * x, *q.split())
        return of_erf(x, inside if abs(x) < ratio(clamp) else M.sign(x))

    return function


F32 = (
    "0.79788452387 0.06697217375 0.0093065137044 3.2973114867e-4 1.260978388e-5 4.5835321316e-8",
    "1 0.25060352683 0.028431978077 0.0018622842617 7.2267655923e-5 1.1988805682e-6",
)
F16 = "0.79763203859 0.1539786756 0.0045998394489", "1 0.35756936669 0.042862996459"
for name, clamp, polynomials in (
    ("xnnpack_12_10", "5.1638283730", F32),
    ("xnnpack_12_10_no_fma", "5.1158981323", F32),
    ("xnnpack_6_4", "3.5", F16),
    ("xnnpack_6_4_no_fma", "3.2890625", F16),
):
    SETS[name] = xnnpack(clamp, *polynomials), (f"-{clamp}", clamp)


@published("-5.65685424949238019521", "5.65685424949238019521")
def eigen_erf(x):
    z = x / M.sqrt(2)
    p = (
        "-1.60960333262415e-02 -2.95459980854025e-03 -7.34990630326855e-04 -5.69250639462346e-05 "
        "-2.10102402082508e-06 2.77068142495902e-08 -2.72614225801306e-10"
    )
    q = (
        "-1.42647390514189e-02 -7.37332916720468e-03 -1.68282697438203e-03 -2.13374055278905e-04 "
        "-1.45660718464996e-05"
    )
    inside = z * series(z * z, *p.split()) / series(z * z, *q.split())
    return of_erf(x, inside if abs(z) < 4 else M.sign(z))


@published(-5, 5)
def onednn_erf(x):
    words = (
        "0x3f4c4228 0xbe082bc7 0x3ca3621f 0xbb1b7399 0x3970b255 0xb79b0914 0x35a776e9 0xb3969b11 "
        "0x315d4a4f 0xaf013b2c 0x2c67ddb2 0xa998c963 0x268a7927 0xa3198977 0x1f1c83fd"
    )
    c = [struct.unpack("<f", struct.pack("<I", int(word, 16)))[0] for word in words.split()]
    return of_erf(x, x * series(x * x, *c) if abs(x) < 5 else M.sign(x))


def between(low, high, coefficients):
    def function(x):
        if not ratio(low) <= x < ratio(high):
            return max(M.zero, x)
        return x * (ratio("0.5") + x * series(x * x, *coefficients.split()))

    return function


WEIGHTED_13 = (
    ".39894227818 -.066361041488 .0097720050615 -.0010717806322 8.1812159812e-5 -3.8082057209e-6 "
    "7.9821413868e-8"
)
for name, low, high, coefficients in (
    (
        "tt_metal_15",
        "-3",
        "3",
        ".3989383512 -.06646870751 .009938328774 -.001161210602 "
        "1.049019822e-4 -6.925923839e-6 2.924021994e-7 -5.785760528e-9",
    ),
    (
        "tt_metal_13",
        "-3",
        "3",
        ".3989379361 -.06644114224 .009881129978 -.001120736963 "
        "9.164031378e-5 -4.721944427e-6 1.119074048e-7",
    ),
    (
        "tt_metal_15_weighted",
        "-3.125",
        "2.78125",
        ".39894151688 -.066479682922 .0099489670247 "
        "-.0011655492708 1.0574820044e-4 -7.0036203397e-6 2.9501944709e-7 -5.776938039e-9",
    ),
):
    SETS[name] = between(low, high, coefficients), (low, high)


@published("-5.54259443", "-3.125", "2.78125")
def tt_metal_2026(x):
    if x >= ratio("-3.125"):
        return between("-3.125", "2.78125", WEIGHTED_13)(x)
    if x <= ratio("-5.54259443"):
        return M.zero
    tail = "3.0369991064e-01 9.5413386822e-02 1.3809983619e-02 7.5950479368e-04"
    return x * M.exp(-x * x / 2) * series(x, *tail.split())


INNER = [".49866379", ".41314081", "-.03048313", "-.05281024", ".0122792"]
OUTER = [".58216001", ".44656975", "-.18027954", ".03253934", "-.00221304"]


@published("-2.5", 0, "2.5")
def tt_metal_quartic(x):
    return mirrored(x, lambda z: series(z, *INNER) if z < ratio("2.5") else 1)


@published(-5, "-2.5", 0, "2.5", 5)
def tt_metal_quartics(x):
    return mirrored(
        x, lambda z: 1 if z >= 5 else series(z, *INNER) if z < ratio("2.5") else series(z, *OUTER)
    )


@published(-4, "-1.95", 3)
def puma(x):
    if x < -4 or x > 3:
        return max(M.zero, x)
    if x < ratio("-1.95"):
        return series(
            x,
            "-.5054031199708174",
            "-.42226581151983866",
            "-.11807612951181953",
            "-.011034134030615728",
        )
    return series(
        x,
        ".008526321541038084",
        ".5",
        ".3603292692789629",
        0,
        "-.037688200365904236",
        0,
        ".0018067462606141187",
    )


def quartic(cut):
    c = (
        ".001620808531841547 -.03798164612714154 .5410550166368381 -.18352506127082727 "
        ".020848611754127593"
    )

    def function(x):
        return x / 2 + series(abs(x), *c.split()) if abs(x) <= ratio(cut) else max(M.zero, x)

    return function


SETS["bolt"] = quartic("2.7"), ("-2.7", 0, "2.7")
SETS["bumblebee"] = quartic("3"), (-3, 0, 3)


def table(slopes, intercepts):
    def half(text):
        return struct.unpack("<e", struct.pack("<e", float(text)))[0]

    def function(x):
        row = sum(abs(x) >= ratio(end) for end in ("0.5", 1, "1.5", 2, 3))
        return x / 2 + ratio(half(slopes[row])) * abs(x) + ratio(half(intercepts[row]))

    return function


ENDS = (-3, -2, "-1.5", -1, "-0.5", 0, "0.5", 1, "1.5", 2, 3)
SLOPES, INTERCEPTS = ".1928 .4939 .6188 .6099 .5402 .5", "-.00010443 -.1604 -.2796 -.2635 -.1194 0"
SETS["tt_metal_table"] = table(SLOPES.split(), INTERCEPTS.split()), ENDS
SETS["tt_metal_table_refitted"] = (
    table([".1594238", *SLOPES.split()[1:]], ["0", *INTERCEPTS.split()[1:]]),
    ENDS,
)
