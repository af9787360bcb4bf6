"""The examples that the help of the commands shows."""

import typer

from gelu_cli.cli.app import app
from tests.cli.runner import gelu

COMMANDS = list(typer.main.get_command(app).commands)
WITH_ANSWERS = [command for command in COMMANDS if command != "completion"]


def examples(command):
    """Return the words of each example after `gelu`, quick to run: on 8 bits instead of 16."""
    lines = [line.partition(" > ")[0] for line in gelu(command, "--help").out.splitlines()]
    quick = [line.replace("bfloat16", "float8_e5m2") for line in lines]
    return [line.split()[1:] for line in quick if line.startswith("    gelu ")]
