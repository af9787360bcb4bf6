"""`python -m gelu_cli` is `gelu`."""

from __future__ import annotations

import gc
import signal
import sys


def main() -> None:
    """Run `gelu` as a program."""
    # To start is to make many objects and no garbage: look for it less often (−5 ms).
    gc.set_threshold(50_000)
    if hasattr(signal, "SIGPIPE"):
        # A reader that has seen enough (`| head`) ends the program, silently.
        signal.signal(signal.SIGPIPE, signal.SIG_DFL)
    try:
        from gelu_cli.cli.app import run

        sys.exit(run(sys.argv[1:]))
    except KeyboardInterrupt:
        sys.exit(130)


if __name__ == "__main__":
    main()
