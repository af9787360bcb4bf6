"""The completion script for bash, version 4 and later."""

from __future__ import annotations

from collections.abc import Iterable, Iterator
from shlex import quote

from gelu_cli.cli.manual import Command, Program

SCRIPT = """\
# Completion of {name} for bash, made from the program by tools/make_manual.py.
# It starts no program of its own.

_{name}() {{
    # readline parts --form=sigmoid:be into five words: put them together again
    local -a line=()
    local rest=$COMP_LINE part last=-1 glued
    for part in "${{COMP_WORDS[@]:0:COMP_CWORD + 1}}"; do
        glued=''
        ((last >= 0)) && [[ $rest != [[:space:]]* ]] && glued=${{line[last]: -1}}${{part:0:1}}
        if [[ $glued == *[:=]* ]]; then
            line[last]+=$part
        else
            line[++last]=$part
        fi
        rest=${{rest#"${{rest%%[![:space:]]*}}"}} # without spaces, then without the word
        rest=${{rest#"$part"}}
    done
    local word=${{line[last]}} kept=${{COMP_WORDS[COMP_CWORD]}}
    [[ $kept == [:=]* ]] && kept=''
    local cut=${{word%"$kept"}} # what stands before the part that readline replaces
    local command=${{line[1]}} option='' words='' head='' before given
    local arguments='' once='' again='' listed='' settings='' settable='' form=''
    ((last >= 2)) && option=${{line[last - 1]}}
    local assigned=''
    if [[ $word == --*=* ]]; then
        option=${{word%%=*}} head=${{word%%=*}}= word=${{word#*=}} assigned=yes
    fi
    [[ $option == --*:* ]] && option=${{option%%:*}}
    COMPREPLY=()
    if ((last == 1)); then
        words={commands}
    else
        case "$command" in
{others}
        esac
        case "$command $option" in
        *[\\<\\>]*) # the shell's own redirections
            {files}
            ;;
{values}
        *)
            [[ -z $assigned ]] || return # of a=1 nothing is known
            before=("${{line[@]:2:last - 2}}")
            if [[ " ${{before[*]}} " != *' -- '* && ($word == -* || -z $arguments) ]]; then
                words=" $once "
                for given in "${{before[@]}}"; do
                    words=${{words/" $given "/ }}
                done
                words+=$again
            elif [[ $arguments == FILE ]]; then
                {files}
            else
                words=$arguments settings=$settable
            fi
            ;;
        esac
    fi
    if [[ -n $listed && $word == *,* ]]; then
        head+=${{word%,*}}, word=${{word##*,}}
    fi
    if [[ -n $settings && $word == *:* ]]; then
        form=${{word%%:*}} head+=${{word%:*}}: word=${{word##*:}} words=''
        for given in {settings}; do
            [[ $given == "$form:"* ]] && words+=" ${{given#*:}}"
        done
        compopt -o nospace
    fi
    mapfile -t COMPREPLY < <(compgen -P "$head" -W "$words" -- "$word")
    COMPREPLY=("${{COMPREPLY[@]#"$cut"}}")
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
        others=_cases([([command.name], _others(command)) for command in program.commands], 8),
        settings=" ".join(quote(name) for name, _ in program.settings),
    )


def _values(program: Program) -> list[tuple[list[str], str]]:
    """Return what is done after options that take a value, each with its options."""
    found: dict[str, list[str]] = {}
    for command in program.commands:
        for option in command.options:
            if option.metavar:
                names = _words(name for name, _ in option.choices)
                what = FILES if option.takes_file else f"words={names}" if names else ":"
                what += " listed=yes" if names and option.listed else ""
                what += " settings=yes" if option.takes_form else ""
                found.setdefault(what, []).extend(f"{command.name} {n}" for n in option.names)
    return [(places, what) for what, places in found.items()]


def _others(command: Command) -> str:
    """Return what may stand elsewhere: arguments, options, and those that may be repeated."""
    found = {
        "arguments": _words(_argument_words(command)),
        "once": _option_words(command, repeatable=False),
        "again": _option_words(command, repeatable=True),
        "settable": "yes" if any(each.takes_form for each in command.arguments) else "",
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
