"""Random points are numpy's draws, whatever the blocks."""

import numpy as np

from gelu_cli.calculus.random_points import normal_points
from gelu_cli.values.points import BULK


def test_the_blocks_are_one_draw_of_numpys():
    count = 2 * BULK + 100
    blocks = [block.numbers() for block in normal_points(1.5, 2.0, count, seed=9)]
    assert [*map(len, blocks)] == [BULK, BULK, 100]
    want = np.random.Generator(np.random.PCG64(9)).normal(1.5, 2.0, count)
    assert [x for block in blocks for x in block] == want.tolist()
