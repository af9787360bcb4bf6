"""`gelu completion`: scripts that complete commands, options and choices in a shell."""

from __future__ import annotations

import typer

from gelu_cli.cli import choices, entries
from gelu_cli.errors import UsageError


def completion(
    shell: str | None = entries.argument(
        metavar="SHELL", autocompletion=choices.shells, help="The shell: {shells}."
    ),
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
    from gelu_cli.cli.app import app as program
    from gelu_cli.cli.manual import SHELLS
    from gelu_cli.cli.manual.completion import script
    from gelu_cli.cli.manual.program import describe

    if shell is None:
        raise UsageError(f"no shell; give one of {', '.join(SHELLS)}")
    text = script(shell, describe(program))
    typer.echo(text.encode(), nl=False)  # in UTF-8, whatever the terminal has
