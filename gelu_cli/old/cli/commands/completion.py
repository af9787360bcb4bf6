"""`gelu completion`: scripts that complete commands, options and choices in a shell."""

from __future__ import annotations

import sys

from gelu_cli.errors import UsageError
from gelu_cli.old.cli.parameters import argument


def completion(
    shell: str | None = argument("SHELL", "The shell: {shells}.", choices="shells"),
) -> None:
    """Print the completion script of a shell.

    Where gelu was installed with the rest of the system, shells have found it already. Otherwise
    put it where they look (mkdir -p makes the folder) and begin a new shell; in zsh the folder has
    to be in $fpath before compinit is called.

    Examples:

      gelu completion bash > ~/.local/share/bash-completion/completions/gelu

      gelu completion zsh > ~/.zfunc/_gelu

      gelu completion fish > ~/.config/fish/completions/gelu.fish
    """
    from gelu_cli.old.cli.manual.completion import SCRIPTS, script

    if shell is None:
        raise UsageError(f"no shell; give one of {', '.join(SCRIPTS)}")
    sys.stdout.buffer.write(script(shell).encode())  # in UTF-8, whatever the terminal has
