"""`gelu help`: what --help prints, and the guides."""

from __future__ import annotations

import sys

import click

from gelu_cli.errors import UsageError, unknown
from gelu_cli.old.cli.parameters import argument, flag


def help(
    topic: str | None = argument(
        "[TOPIC]", "A command or a guide. Default: the list of both.", choices="topics"
    ),
    every: bool = flag("--all", help="Every option of a command, as its --help-all."),
) -> None:
    """Help on a command, as its --help prints it, or a guide.

    Examples:

      gelu help

      gelu help table

      gelu help sweep --all

      gelu help lesson
    """
    from gelu_cli.old.cli.app import app
    from gelu_cli.old.cli.manual import guides
    from gelu_cli.old.cli.manual.help import printed
    from gelu_cli.old.writing.streams import on_terminal

    commands, pages = app.list_commands(), guides.pages()
    topic = topic and topic.removesuffix(".md")
    context = click.Context(app, info_name="gelu")
    if topic in commands:
        asked = app.command(topic)
        print(asked.get_help(click.Context(asked, parent=context, info_name=topic), every))
        return
    if every:
        raise UsageError("--all is for a command: gelu help sweep --all")
    if topic is None:
        print(app.get_help(context, whole=True))
        return
    if topic not in pages:
        raise unknown("topic", topic, [*commands, *pages])
    text = guides.markdown(topic)
    print(printed(guides.on_screen(text) if on_terminal(sys.stdout) else text.rstrip("\n")))
