"""The program `gelu`; `python -m gelu_cli` runs it, too."""

import os
import re
import signal
import sys

NEGATIVE = re.compile(r"-(?=\.?\d|inf|nan)", re.IGNORECASE)


def main() -> None:
    """Run the command line; print an error and exit with the error's code."""
    from gelu_cli.cli import app
    from gelu_cli.errors import GeluError
    from gelu_cli.kernels.environment import standard_environment

    if hasattr(signal, "SIGPIPE"):
        signal.signal(signal.SIGPIPE, signal.SIG_DFL)  # end silently when a pipe closes
    signal.signal(signal.SIGTERM, lambda *_: sys.exit(128 + signal.SIGTERM))  # so `finally` runs
    if sys.stdout is None:  # closed by the shell (>&-): let writes fail, as on a full disk
        sys.stdout = os.fdopen(os.open(os.devnull, os.O_RDONLY), "w")
    for name in ("COLUMNS", "LINES"):  # rich would take ² for a number, and fail
        if not os.environ.get(name, "0").isdecimal():
            del os.environ[name]
    # Typer takes -3, with a hyphen, for an option, but −3, with a minus sign, for a value.
    words = [f"−{word[1:]}" if NEGATIVE.match(word) else word for word in sys.argv[1:]]
    try:
        with standard_environment():
            app(words, prog_name="gelu")
    except GeluError as error:
        message = "\n".join([*getattr(error, "said", ()), str(error)])
        for word, typed in zip(words, sys.argv[1:], strict=True):
            message = message.replace(word, typed)
        fail(message, error.exit_code)
    except MemoryError:
        fail("not enough memory; take fewer points or inputs", 4)
    except OSError as error:
        fail(f"cannot write to stdout: {error.strerror}", 3)


def fail(message: str, code: int) -> None:
    """Print a message on stderr and exit, even if stdout cannot be flushed."""
    from gelu_cli.output.streams import say

    for line in message.splitlines():
        say(line)
    try:
        sys.stdout.flush()
    except OSError:
        os.dup2(os.open(os.devnull, os.O_WRONLY), 1)  # else the flush at exit fails again
    sys.exit(code)


if __name__ == "__main__":
    main()
