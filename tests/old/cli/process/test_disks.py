"""Disks that are full, read-only or forbidden: one line, and the old file stays whole."""

import os
import shutil
import subprocess
from contextlib import contextmanager

import pytest

from tests.old.cli.processes import GELU, RELU, assert_one_line, environment, run, shell

MUCH = ["table", "0:1:/5000", "--form", "relu"]


@contextmanager
def mounted(folder, options):
    """A file system of its own on a folder."""
    command = ["mount", "-t", "tmpfs", "-o", options, "tmpfs", str(folder)]
    if os.geteuid() != 0 or not shutil.which("mount"):
        pytest.skip("only root may mount")
    done = subprocess.run(command, capture_output=True, check=False)
    if done.returncode:
        pytest.skip(f"mount: {done.stderr.decode().strip()}")
    try:
        yield folder
    finally:
        subprocess.run(["umount", "-l", str(folder)], check=True)


def assert_old_file_alone(folder, name):
    assert [path.name for path in folder.iterdir()] == [name]
    assert (folder / name).read_text() == "old\n"


def test_a_disk_that_fills_leaves_the_old_file_whole(tmp_path):
    with mounted(tmp_path, "size=64k"):
        (tmp_path / "a.csv").write_text("old\n")
        done = run(*MUCH, "-o", "a.csv", cwd=tmp_path)
        assert_one_line(done, 3, b"cannot write 'a.csv'", b"No space left on device")
        assert_old_file_alone(tmp_path, "a.csv")


@pytest.mark.parametrize("name", ["a.csv", "a.txt"])
def test_a_file_that_grows_too_large_leaves_the_old_one(tmp_path, name):
    (tmp_path / name).write_text("old\n")
    done = shell("", *MUCH, "-o", name, prefix="ulimit -f 8;", cwd=tmp_path)
    assert_one_line(done, 3, f"cannot write '{name}'".encode())
    assert_old_file_alone(tmp_path, name)


def test_a_read_only_folder_is_one_line_and_3(tmp_path):
    with mounted(tmp_path, "ro"):
        done = run(*RELU, "-o", "a.csv", cwd=tmp_path)
        assert_one_line(done, 3, b"cannot write 'a.csv'", b"Read-only file system")


def test_a_folder_that_may_not_be_written_is_one_line_and_3(tmp_path):
    # Root writes anywhere, unless it gives up just that.
    bound = ["setpriv", "--bounding-set=-dac_override"] if os.geteuid() == 0 else []
    if bound and subprocess.run(["sh", "-c", f"{' '.join(bound)} true"], check=False).returncode:
        pytest.skip("root cannot give up writing anywhere: setpriv does not work here")
    tmp_path.chmod(0o555)
    done = subprocess.run(
        [*bound, *GELU, *RELU, "-o", "a.csv"],
        cwd=tmp_path, env=environment(), capture_output=True, check=False,
    )  # fmt: skip
    assert_one_line(done, 3, b"cannot write 'a.csv'", b"Permission denied")
    assert list(tmp_path.iterdir()) == []
