"""`python -m gelu_cli` is `gelu`."""

import os
import sys


def main() -> None:
    """Run `gelu` as a program."""
    try:
        if sys.path[:1] == [os.getcwd()]:  # of `python -m`: what is installed comes first
            sys.path.append(sys.path.pop(0))
    except FileNotFoundError:  # the current folder was removed
        pass
    try:  # before all other imports, which an interrupt must not break
        from gelu_cli.old.writing.signals import end_at_interrupts

        end_at_interrupts()
    except KeyboardInterrupt:
        os._exit(130)

    import gc
    import signal

    # To start is to make many objects and no garbage: look for it less often (−5 ms).
    gc.set_threshold(50_000)
    if hasattr(signal, "SIGPIPE"):
        # A reader that has seen enough (`| head`) ends the program, silently.
        signal.signal(signal.SIGPIPE, signal.SIG_DFL)

    from gelu_cli.old.writing.streams import close_stdout, take_descriptors

    take_descriptors()

    from gelu_cli.old.cli.app import run

    code = close_stdout(run(sys.argv[1:]))
    if code == 128 + signal.SIGINT:
        os._exit(code)  # threads that are still at work are not waited for
    sys.exit(code)


if __name__ == "__main__":
    main()
