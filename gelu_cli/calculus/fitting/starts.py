"""Where searches begin: at the constants in use, and around them."""

from __future__ import annotations

import random

from gelu_cli.calculus.fitting.families import Family

STARTS = 8
"""Searches from so many places, where nothing proves that one is enough."""

TRIES = 3
"""So many of the best searches are refined, until one can be."""

SPREAD = 1.0
"""Starts are up to so many octaves away from the constants in use."""


def starts_of(family: Family) -> list[list[float]]:
    """Return the constants in use, and others around them: of each, evenly spread octaves."""
    usual = [float(family.form.settings[name]) for name in family.free]
    chance, others = random.Random(0), STARTS - 1
    octaves = [SPREAD * (2 * k / others - 1) for k in range(STARTS) if k != others // 2]
    shuffled = [chance.sample(octaves, others) for _ in usual]
    return [usual, *([value * 2**octave for value, octave in zip(usual, each, strict=True)]
                     for each in zip(*shuffled, strict=True))]  # fmt: skip
