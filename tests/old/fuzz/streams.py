"""The streams of a line as a process, both sides of them: pipes, terminals, files, devices."""

import os

END = b"\4"
"""What ends input at a terminal: Ctrl-D."""


class Stream:
    """One of the descriptors 0, 1, 2 of a line, and our side of it."""

    def __init__(self, kind, content=b""):
        self.kind, self.ours, self.theirs, self.text = kind, None, None, b""
        if kind == "tty":
            self.ours, self.theirs = os.openpty()
            os.set_blocking(self.ours, False)
        elif kind in ("pipe", "silent", "broken"):
            reader, writer = os.pipe()
            self.ours, self.theirs = reader, writer
        elif kind == "file":
            self.ours = os.memfd_create("stream")
            os.write(self.ours, content)
            self.theirs = os.open(f"/proc/self/fd/{self.ours}", os.O_RDWR)
        elif kind != "closed":
            flags = {"writing": os.O_WRONLY, "full": os.O_RDWR}.get(kind, os.O_RDONLY)
            path = {"full": "/dev/full", "zeros": "/dev/zero"}.get(kind, os.devnull)
            self.theirs = os.open(path, os.O_RDWR if kind == "null" else flags)

    @classmethod
    def of_stdin(cls, kind, content):
        """Return a stream to read; what is in a pipe was written before anybody reads."""
        stream = cls(kind, content)
        if kind == "tty":
            os.write(stream.ours, content.replace(END, b"")[:1000] + b"\n" + END * 2)
        if kind in ("pipe", "silent"):
            stream.ours, stream.theirs = stream.theirs, stream.ours
            os.set_blocking(stream.ours, False)
            os.write(stream.ours, content[:65536])
            if kind == "pipe":
                stream._close_ours()
        return stream

    @classmethod
    def to_read(cls, kind):
        """Return a stream to which a line writes."""
        stream = cls(kind)
        if kind == "broken":
            stream._close_ours()
        if kind == "pipe":
            os.set_blocking(stream.ours, False)
        return stream

    def leave(self):
        """Close the line's side, which the line has."""
        if self.theirs is not None:
            os.close(self.theirs)

    def drain(self):
        """Take what has been written so far."""
        try:
            while self.ours is not None and (data := os.read(self.ours, 1 << 16)):
                self.text += data
        except OSError:  # nothing more as yet, or a terminal that nobody has open
            pass

    def finish(self):
        """Return all that was written."""
        if self.kind == "file":
            os.lseek(self.ours, 0, os.SEEK_SET)
        self.drain()
        self._close_ours()
        return self.text.replace(b"\r\n", b"\n") if self.kind == "tty" else self.text

    def _close_ours(self):
        if self.ours is not None:
            os.close(self.ours)
        self.ours = None
