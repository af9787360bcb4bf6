"""Files are there whole or not at all."""

import os

import pytest

from gelu_cli.errors import OutputError
from gelu_cli.output.streams import opened
from tests.runner import gelu


def test_a_file_is_replaced_at_the_end_and_keeps_its_mode(tmp_path):
    path, link = tmp_path / "a.csv", tmp_path / "link"
    link.symlink_to(path)
    mask = os.umask(0o022)
    try:
        for name, mode in ((path, 0o644), (link, 0o640)):
            with opened(str(name)) as out:
                out.write(f"of {name.name}")
                out.flush()
                assert not path.exists() or path.read_text() == "of a.csv"
            assert path.read_text() == f"of {name.name}"
            assert path.stat().st_mode & 0o777 == mode
            path.chmod(0o640)
    finally:
        os.umask(mask)
    assert link.is_symlink()


def test_a_hyphen_is_stdout():
    for words in (("table", "1"), ("fit", "sigmoid", "--view", "python")):
        assert gelu(*words, "-o", "-") == gelu(*words)
    made = gelu("make", "--dtype", "float8_e5m2", "--language", "numpy", "-o", "-", "-q").out
    assert "def exact_value_float8_e5m2(xs):" in made


def test_what_fails_leaves_the_old_file_and_nothing_else(tmp_path):
    path = tmp_path / "a.csv"
    path.write_text("old")
    with pytest.raises(TypeError), opened(str(path)) as out:
        out.writelines(["new", None])
    assert path.read_text() == "old"
    assert [*tmp_path.iterdir()] == [path]
    with pytest.raises(OutputError, match="cannot write to no/a: No such file"), opened("no/a"):
        pass
    with opened(os.devnull, binary=True) as out:
        out.write(b"a device stays one")
