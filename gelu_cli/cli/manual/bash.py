"""The completion script for bash, version 4 and later."""

from __future__ import annotations

from collections.abc import Iterable, Iterator
from shlex import quote

from gelu_cli.cli.manual import Command, Program

SCRIPT = """\
# Completion of {name} for bash, made from the program by tools/make_manual.py.
# It starts no program of its own.

_{name}() {{
    local word=${{COMP_WORDS[COMP_CWORD]}} option=${{COMP_WORDS[COMP_CWORD - 1]}}
    local command=${{COMP_WORDS[1]}} words='' prefix='' before given
    local arguments='' once='' again='' assigned=''
    COMPREPLY=()
    if [[ $word == '=' ]]; then # bash parts --form=ta into three words
        word='' assigned=yes
    elif [[ $option == '=' ]]; then
        option=${{COMP_WORDS[COMP_CWORD - 2]}} assigned=yes
    elif [[ $word == --*=* ]]; then # unless it is told not to
        option=${{word%%=*}} prefix=${{word%%=*}}= word=${{word#*=}} assigned=yes
    fi
    if ((COMP_CWORD == 1)); then
        words={commands}
    else
        case "$command $option" in
        *[\\<\\>]*) # the shell's own redirections
            {files}
            ;;
{values}
        *)
            [[ -z $assigned ]] || return # of a=1 nothing is known
            case "$command" in
{others}
            esac
            before=("${{COMP_WORDS[@]:2:COMP_CWORD - 2}}")
            if [[ " ${{before[*]}} " != *' -- '* && ($word == -* || -z $arguments) ]]; then
                words=" $once "
                for given in "${{before[@]}}"; do
                    words=${{words/" $given "/ }}
                done
                words+=$again
            elif [[ $arguments == FILE ]]; then
                {files}
            else
                words=$arguments
            fi
            ;;
        esac
    fi
    mapfile -t COMPREPLY < <(compgen -P "$prefix" -W "$words" -- "$word")
}}

complete -F _{name} {name}
"""

FILES = "compopt -o default"


def render(program: Program) -> str:
    """Return the script: every command, option and choice, by cases."""
    own = [name for option in program.options for name in option.names]
    commands = [command.name for command in program.commands]
    return SCRIPT.format(
        name=program.name,
        commands=quote(" ".join([*commands, *own])),
        files=FILES,
        values=_cases(_values(program), 8),
        others=_cases([([command.name], _others(command)) for command in program.commands], 12),
    )


def _values(program: Program) -> list[tuple[list[str], str]]:
    """Return what is done after options that take a value, each with its options."""
    found: dict[str, list[str]] = {}
    for command in program.commands:
        for option in command.options:
            if option.metavar:
                names = _words(name for name, _ in option.choices)
                what = FILES if option.takes_file else f"words={names}" if names else ":"
                found.setdefault(what, []).extend(f"{command.name} {n}" for n in option.names)
    return [(places, what) for what, places in found.items()]


def _others(command: Command) -> str:
    """Return what may stand elsewhere: arguments, options, and those that may be repeated."""
    found = {
        "arguments": _words(_argument_words(command)),
        "once": _option_words(command, repeatable=False),
        "again": _option_words(command, repeatable=True),
    }
    return " ".join(f"{name}={words}" for name, words in found.items() if words)


def _argument_words(command: Command) -> Iterator[str]:
    for argument in command.arguments:
        yield from ["FILE"] if argument.takes_file else (name for name, _ in argument.choices)


def _option_words(command: Command, repeatable: bool) -> str:
    options = (option for option in command.options if option.repeatable == repeatable)
    return _words(name for option in options for name in option.names)


def _words(words: Iterable[str]) -> str:
    joined = " ".join(words)
    return quote(joined) if joined else ""


def _cases(cases: Iterable[tuple[list[str], str]], indent: int) -> str:
    margin = " " * indent
    return "\n".join(
        f"{margin}{' | '.join(map(quote, patterns))})\n{margin}    {what}\n{margin}    ;;"
        for patterns, what in cases
    )
