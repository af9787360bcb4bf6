"""What a worker makes in the tests: an object that does good and bad things on request."""

import contextlib
import ctypes
import os
import pickle
import subprocess
import sys
import time

from gelu_cli.errors import UsageError
from gelu_cli.old.guests.workers.channel import HEADER


class Servant:
    def __init__(self, name):
        if isinstance(name, Exception):
            raise name
        self._name = name
        self._count = 0

    def name(self):
        return self._name

    def process(self):
        return os.getpid()

    def count(self):
        self._count += 1
        return self._count

    def echo(self, thing):
        return thing

    def obey(self, order):
        """Do what the first word of an order says, and return the order."""
        what, *arguments = order.split()
        if what != "nothing":
            getattr(self, what)(*arguments)
        return order

    def wait(self, fifo):
        """Wait for whoever releases."""
        open(fifo).close()

    def release(self, fifo, then="nothing"):
        """Release one who waits, as soon as there is one, and do another thing."""
        open(fifo, "w").close()
        self.obey(then)

    def judged(self, word, x):
        """Return the results of a function, as the process of a guest finds them."""
        from gelu_cli.old.arithmetic.formats import FORMATS
        from gelu_cli.old.guests.calling import Calling
        from gelu_cli.old.guests.hosted import _Hosted

        float32 = FORMATS["float32"]
        return _Hosted(word, word, {}, Calling(float32, float32)).called("__call__", x)

    def refuse(self, text):
        raise UsageError(text)

    def fail(self, kind, text):
        raise kind(text)

    def leave(self):
        os._exit(3)

    def abort(self):
        os.abort()

    def crash(self):
        ctypes.string_at(0)

    def disturb(self, data, then="nothing"):
        """Write to every descriptor, and do another thing."""
        for descriptor in range(3, 20):
            with contextlib.suppress(OSError):
                os.write(descriptor, data)
        self.obey(then)

    def reply(self, reply, length=0, then="nothing"):
        """Write what looks like a reply of so many bytes more, and do another thing.

        It is not wanted: the worker itself replies when this returns.
        """
        frame = pickle.dumps(([], pickle.dumps(reply)))
        self.disturb(HEADER.pack(b"a mark  ", len(frame) + length) + frame, then)

    def hang(self):
        while True:
            time.sleep(100)

    def child(self):
        return subprocess.Popen([sys.executable, "-c", "import time; time.sleep(1000)"]).pid

    def leave_a_child_behind(self):
        """A copy of the process keeps its socket open."""
        if os.fork():
            os._exit(5)
        self.hang()

    def read(self):
        return sys.stdin.read()

    def write(self):
        print("print")
        os.write(1, b"descriptor\n")
        subprocess.run(["echo", "child"], check=True)

    def import_path(self):
        return sys.path
