"""The examples that the help of the commands shows."""

from gelu_cli.old.cli.app import app
from tests.old.cli.runner import gelu

COMMANDS = app.list_commands()
WITH_ANSWERS = [command for command in COMMANDS if command not in ("completion", "help")]


def examples(command):
    """Return the words of each example after `gelu`, quick to run: on 8 bits instead of 16.

    Results of 8 bits identify nothing: nearly every form explains them.
    """
    lines = [line.partition(" > ")[0] for line in gelu(command, "--help").out.splitlines()]
    number_format = "bfloat16" if command == "identify" else "float8_e5m2"
    quick = [line.replace("bfloat16", number_format) for line in lines]
    return [line.split()[1:] for line in quick if line.startswith("    gelu ")]
