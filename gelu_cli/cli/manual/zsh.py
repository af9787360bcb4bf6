"""The completion script for zsh."""

from __future__ import annotations

from collections.abc import Mapping
from shlex import quote

from gelu_cli.cli.manual import Argument, Choices, Command, Option, Program, choice_sets

SCRIPT = """\
#compdef {name}
# Completion of {name} for zsh, made from the program by tools/make_manual.py.
# It starts no program of its own.

{choices}

# An element of a list with commas.
_{name}_listed() {{
    compset -P '*,'
    "$@"
}}

# A form, or after a colon one of its parameters.
_{name}_with_settings() {{
    if [[ $PREFIX != *:* ]]; then
        "$@"
        return
    fi
    local form=${{PREFIX%%:*}}
    local -a settings=({settings})
    settings=(${{${{(M)settings:#$form:*}}#*:}})
    compset -P '*:'
    compadd -S '' -a settings
}}

_{name}_commands() {{
    local -a choices=(
{commands}
    )
    _describe -t commands command choices
}}

_{name}() {{
    local curcontext=$curcontext state state_descr line
    typeset -A opt_args
    _arguments -C \\
{own}
        '1: :_{name}_commands' \\
        '*:: :->words'
    [[ $state == words ]] || return 0
    case $words[1] in
{cases}
    esac
}}

if [[ $funcstack[1] == _{name} ]]; then
    _{name} "$@"
else # read by source, not from a folder of $fpath
    compdef _{name} {name}
fi
"""

CHOICES = """\
_{name}() {{
    local -a choices=(
{items}
    )
    _describe -t {tag} {tag} choices
}}"""


def render(program: Program) -> str:
    """Return the script: a function for every set of choices, a case for every command."""
    functions = choice_sets(program)
    cases = "\n".join(_case(program, command, functions) for command in program.commands)
    return SCRIPT.format(
        name=program.name,
        choices="\n\n".join(
            CHOICES.format(name=name, tag=name.rpartition("_")[2], items=_items(choices))
            for choices, name in functions.items()
        ),
        commands=_items(
            tuple((command.name, command.summary.rstrip(".")) for command in program.commands)
        ),
        own="\n".join(f"        {_option(option, functions)} \\" for option in program.options),
        cases=cases,
        settings=" ".join(name for name, _ in program.settings),
    )


def _case(program: Program, command: Command, functions: Mapping[Choices, str]) -> str:
    lines = [_option(option, functions) for option in command.options]
    lines += [_argument(argument, functions) for argument in command.arguments]
    body = " \\\n            ".join(lines)
    return f"    {command.name})\n        _arguments -S \\\n            {body}\n        ;;"


def _option(option: Option, functions: Mapping[Choices, str]) -> str:
    told = f"[{_escaped(option.summary)}]"
    if option.metavar:
        told += f":{_escaped(option.metavar)}:{_action(option, functions)}"
    names = [name + _ending(name, option) for name in option.names]
    if option.repeatable:
        return " ".join(quote(f"*{name}{told}") for name in names)
    if len(names) == 1:
        return quote(names[0] + told)
    return f"{quote('(' + ' '.join(option.names) + ')')}{{{','.join(names)}}}{quote(told)}"


def _ending(name: str, option: Option) -> str:
    """Return how a value may follow: -f csv and -fcsv, --format csv and --format=csv."""
    if not option.metavar:
        return ""
    return "=" if name.startswith("--") else "+"


def _argument(argument: Argument, functions: Mapping[Choices, str]) -> str:
    place = "*" if argument.many else "1"
    metavar = _escaped(argument.metavar.strip("[]."))
    action = _action(argument, functions).strip() or f'_guard "^-*" {metavar}'
    return quote(f"{place}:{metavar}:{action}")  # without a guard no option would be inserted


def _action(parameter: Option | Argument, functions: Mapping[Choices, str]) -> str:
    if parameter.takes_file:
        return "_files"
    if not parameter.choices:
        return " "
    words = [f"_{functions[parameter.choices]}"]
    if parameter.takes_form:
        words.insert(0, "_gelu_with_settings")
    if isinstance(parameter, Option) and parameter.listed:
        words.insert(0, "_gelu_listed")
    return " ".join(words) if len(words) == 1 else " " + " ".join(words)  # as it is, after a space


def _items(choices: Choices) -> str:
    return "\n".join(f"        {quote(f'{name}:{text}')}" for name, text in choices)


def _escaped(text: str) -> str:
    return text.replace("\\", "\\\\").replace("[", "\\[").replace("]", "\\]").replace(":", "\\:")
