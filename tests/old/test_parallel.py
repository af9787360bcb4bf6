"""Blocks done by several threads come out in order, and as soon as they can."""

import os
import threading

import pytest

from gelu_cli.old.parallel import available_cores, in_order
from tests.old.every import every


def big(block):
    return block >= 100


@every("jobs", [1, 2, 7])
def test_results_come_in_the_order_of_the_blocks(jobs):
    blocks = [100, 1, 2, 101, 102, 103, 3, *range(200, 260)]
    assert list(in_order(lambda block: -block, blocks, jobs, big)) == [-block for block in blocks]


@every("jobs", [2, 3])
def test_large_blocks_are_under_way_at_the_same_time(jobs):
    together = threading.Barrier(jobs, timeout=30)  # passes only if so many wait at once

    def work(block):
        together.wait()
        return block

    blocks = list(range(100, 100 + jobs))
    assert list(in_order(work, blocks, jobs, big)) == blocks


def test_a_small_block_waits_for_nothing_after_it():
    def blocks():
        yield 100
        yield 1
        pytest.fail("the next block was asked for too soon")

    done = in_order(lambda block: block, blocks(), 2, big)
    assert [next(done), next(done)] == [100, 1]
    done.close()


def test_only_so_many_blocks_are_taken_ahead():
    taken = []

    def blocks():
        for block in range(100, 200):
            taken.append(block)
            yield block

    done = in_order(lambda block: block, blocks(), 2, big)
    assert next(done) == 100
    assert len(taken) <= 2 * 2 + 1
    done.close()


def test_an_error_of_a_block_is_raised_in_its_turn():
    def work(block):
        if block == 102:
            raise ValueError("block 102")
        return block

    done = in_order(work, [100, 101, 102, 103], 2, big)
    assert [next(done), next(done)] == [100, 101]
    with pytest.raises(ValueError, match="block 102"):
        next(done)


def test_there_is_a_core_to_work_with():
    assert available_cores() >= 1


@pytest.mark.parametrize(("told", "cores"), [(7, 7), (1, 1), (None, 1)])
def test_where_the_system_gives_no_set_of_cores_it_gives_their_number(monkeypatch, told, cores):
    monkeypatch.delattr(os, "sched_getaffinity", raising=False)
    monkeypatch.setattr(os, "cpu_count", lambda: told)
    assert available_cores() == cores
