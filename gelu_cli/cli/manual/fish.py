"""The completion script for fish."""

from __future__ import annotations

from collections.abc import Iterator, Mapping

from gelu_cli.cli.manual import Argument, Choices, Command, Option, Program, choice_sets

HEAD = """\
# Completion of {name} for fish, made from the program by tools/make_manual.py.
# It starts no program of its own.

function __{name}_no_command
    test (count (commandline -opc)) -eq 1
end

function __{name}_command
    set -l words (commandline -opc)
    test (count $words) -ge 2; and test $words[2] = $argv[1]
end

# What stands before the last comma of a list.
function __{name}_list_head
    commandline -ct | string replace -r '^--[^=]*=' '' | string match -r '.*,'
end

# Elements of a list with commas: what a function offers, each after those that are there.
function __{name}_listed
    set -l head (__{name}_list_head)
    $argv | string replace -r '^' "$head"
end

# Forms, or after a colon the parameters of one.
function __{name}_with_settings
    set -l word (commandline -ct | string replace -r '^--[^=]*=' '' | string replace -r '.*,' '')
    if not string match -q '*:*' -- $word
        $argv
        return
    end
    set -l form (string replace -r ':.*' '' -- $word)
    set -l head (string match -r '.*:' -- $word)
    for setting in {settings}
        if string match -q "$form:*" -- $setting
            string replace "$form:" $head -- $setting
        end
    end
end

{choices}

complete -c {name} -f
"""

CHOICES = """\
function __{name}
    printf '%s\\t%s\\n' {items}
end"""


def render(program: Program) -> str:
    """Return the script: a line for every option of every command."""
    functions = choice_sets(program)
    choices = "\n\n".join(
        CHOICES.format(name=name, items=_items(choices)) for choices, name in functions.items()
    )
    settings = " ".join(name for name, _ in program.settings)
    head = HEAD.format(name=program.name, choices=choices, settings=settings)
    return "\n".join([head, *_lines(program, functions)]) + "\n"


def _lines(program: Program, functions: Mapping[Choices, str]) -> Iterator[str]:
    none = f"__{program.name}_no_command"
    for option in program.options:
        yield _line(program, none, *_option(option, functions))
    for command in program.commands:
        yield _line(program, none, "-a", command.name, "-d", _quoted(command.summary.rstrip(".")))
    for command in program.commands:
        yield ""
        yield from _command_lines(program, command, functions)


def _command_lines(
    program: Program, command: Command, functions: Mapping[Choices, str]
) -> Iterator[str]:
    condition = f"__{program.name}_command {command.name}"
    for argument in command.arguments:
        if argument.takes_file:
            yield _line(program, condition, "-F")
        elif argument.choices:
            yield _line(program, condition, "-a", _asked(argument, functions))
    for option in command.options:
        yield _line(program, condition, *_option(option, functions))


def _line(program: Program, condition: str, *words: str) -> str:
    return " ".join(["complete", "-c", program.name, "-n", _quoted(condition), *words])


def _option(option: Option, functions: Mapping[Choices, str]) -> Iterator[str]:
    for name in option.names:
        yield "-l" if name.startswith("--") else "-s"
        yield name.lstrip("-")
    if option.takes_file:
        yield from ("-r", "-F")
    elif option.metavar:
        yield "-x"
        if option.choices:
            yield from ("-a", _asked(option, functions))
    yield from ("-d", _quoted(option.summary))


def _asked(parameter: Option | Argument, functions: Mapping[Choices, str]) -> str:
    words = [f"__{functions[parameter.choices]}"]
    if parameter.takes_form:
        words.insert(0, "__gelu_with_settings")
    if isinstance(parameter, Option) and parameter.listed:
        words.insert(0, "__gelu_listed")
    return _quoted(f"({' '.join(words)})")


def _items(choices: Choices) -> str:
    return " ".join(_quoted(text) for item in choices for text in item)


def _quoted(text: str) -> str:
    return "'" + text.replace("\\", "\\\\").replace("'", "\\'") + "'"
