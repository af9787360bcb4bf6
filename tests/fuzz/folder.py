"""A folder with files to read, good and bad, the same before each command line."""

import os
import shutil

from tests.fuzz.files import FIFO, FILES, FOLDERS, LINKS


class Folder:
    """The folder, and what a command line has changed in it."""

    def __init__(self, path):
        self.path = path
        self.path.mkdir()
        self.state = set()
        self.restore()

    def restore(self):
        """Make the folder what it was, unless it still is."""
        if self.state and not self.changes():
            return
        for path in self.path.iterdir():
            shutil.rmtree(path) if path.is_dir() and not path.is_symlink() else path.unlink()
        for name, content in FILES.items():
            (self.path / name).write_bytes(content)
        for name in FOLDERS:
            (self.path / name).mkdir()
        for name, target in LINKS.items():
            (self.path / name).symlink_to(target)
        os.mkfifo(self.path / FIFO)
        self.state = self._state()

    def changes(self):
        """Return the names of files that are new, gone or written."""
        return {name for name, _ in self.state ^ self._state()} - {"__pycache__"}

    def _state(self):
        return {
            (each.name, each.stat(follow_symlinks=False).st_mtime_ns)
            for each in os.scandir(self.path)
        }
