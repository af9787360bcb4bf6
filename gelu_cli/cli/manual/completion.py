"""The completion scripts for bash (version 4 and later), fish and zsh."""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Mapping
from shlex import quote

from gelu_cli.cli.manual import SHELLS
from gelu_cli.cli.manual.program import Choices, Command, Parameter, Program, choice_sets
from gelu_cli.errors import unknown


def script(shell: str, program: Program) -> str:
    """Return the script for a shell; raises `UsageError` where there is none."""
    if shell not in SHELLS:
        raise unknown("shell", shell, SHELLS)
    return {"bash": _bash, "fish": _fish, "zsh": _zsh}[shell](program)


def _call(parameter: Parameter, functions: Mapping[Choices, str], prefix: str) -> str:
    """Return the shell's call that offers choices: each function calls those named after it."""
    words = [f"{prefix}{functions[parameter.choices]}"]
    if parameter.takes_form:
        words.insert(0, f"{prefix}gelu_with_settings")
    if parameter.listed:
        words.insert(0, f"{prefix}gelu_listed")
    return " ".join(words)


# bash

BASH = """\
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


def _bash(program: Program) -> str:
    """Return a script with a case for every command, option and set of choices."""
    own = [name for option in program.options for name in option.names]
    commands = [command.name for command in program.commands]
    values: dict[str, list[str]] = {}
    for command in program.commands:
        for option in command.options:
            if option.metavar:
                places = [f"{command.name} {name}" for name in option.names]
                values.setdefault(_after(option), []).extend(places)
    return BASH.format(
        name=program.name,
        commands=quote(" ".join([*commands, *own])),
        files=FILES,
        values=_cases((places, what) for what, places in values.items()),
        others=_cases(([command.name], _elsewhere(command)) for command in program.commands),
        settings=" ".join(quote(name) for name, _ in program.settings),
    )


def _after(option: Parameter) -> str:
    """Return what is done after an option that takes a value."""
    names = _words(name for name, _ in option.choices)
    what = FILES if option.takes_file else f"words={names}" if names else ":"
    what += " listed=yes" if names and option.listed else ""
    return what + (" settings=yes" if option.takes_form else "")


def _elsewhere(command: Command) -> str:
    """Return what may stand elsewhere: arguments, options, and those that may be repeated."""
    arguments = [
        word
        for each in command.arguments
        for word in (["FILE"] if each.takes_file else [name for name, _ in each.choices])
    ]
    found = {
        "arguments": _words(arguments),
        "once": _words(n for each in command.options if not each.repeatable for n in each.names),
        "again": _words(n for each in command.options if each.repeatable for n in each.names),
        "settable": "yes" if any(each.takes_form for each in command.arguments) else "",
    }
    return " ".join(f"{name}={words}" for name, words in found.items() if words)


def _words(words: Iterable[str]) -> str:
    joined = " ".join(words)
    return quote(joined) if joined else ""


def _cases(cases: Iterable[tuple[list[str], str]]) -> str:
    margin = " " * 8
    return "\n".join(
        f"{margin}{' | '.join(map(quote, patterns))})\n{margin}    {what}\n{margin}    ;;"
        for patterns, what in cases
    )


# fish

FISH = """\
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

FISH_CHOICES = """\
function __{name}
    printf '%s\\t%s\\n' {items}
end"""


def _fish(program: Program) -> str:
    """Return a script with a line for every option of every command."""
    functions = choice_sets(program)
    choices = "\n\n".join(
        FISH_CHOICES.format(
            name=name, items=" ".join(_fish_quoted(text) for item in choices for text in item)
        )
        for choices, name in functions.items()
    )
    settings = " ".join(name for name, _ in program.settings)
    head = FISH.format(name=program.name, choices=choices, settings=settings)
    return "\n".join([head, *_fish_lines(program, functions)]) + "\n"


def _fish_lines(program: Program, functions: Mapping[Choices, str]) -> Iterator[str]:
    def line(condition: str, *words: str) -> str:
        condition = _fish_quoted(f"__{program.name}_{condition}")
        return " ".join(["complete", "-c", program.name, "-n", condition, *words])

    for option in program.options:
        yield line("no_command", *_fish_option(option, functions))
    for command in program.commands:
        about = _fish_quoted(command.summary.rstrip("."))
        yield line("no_command", "-a", command.name, "-d", about)
    for command in program.commands:
        yield ""
        for argument in command.arguments:
            if argument.takes_file:
                yield line(f"command {command.name}", "-F")
            elif argument.choices:
                yield line(f"command {command.name}", *_fish_choices(argument, functions))
        for option in command.options:
            yield line(f"command {command.name}", *_fish_option(option, functions))


def _fish_option(option: Parameter, functions: Mapping[Choices, str]) -> Iterator[str]:
    for name in option.names:
        yield "-l" if name.startswith("--") else "-s"
        yield name.lstrip("-")
    if option.takes_file:
        yield from ("-r", "-F")
    elif option.metavar:
        yield from ("-x", *(_fish_choices(option, functions) if option.choices else ()))
    yield from ("-d", _fish_quoted(option.summary))


def _fish_choices(parameter: Parameter, functions: Mapping[Choices, str]) -> tuple[str, str]:
    return "-a", _fish_quoted(f"({_call(parameter, functions, '__')})")


def _fish_quoted(text: str) -> str:
    return "'" + text.replace("\\", "\\\\").replace("'", "\\'") + "'"


# zsh

ZSH = """\
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

ZSH_CHOICES = """\
_{name}() {{
    local -a choices=(
{items}
    )
    _describe -t {tag} {tag} choices
}}"""


def _zsh(program: Program) -> str:
    """Return a script with a function for every set of choices, a case for every command."""
    functions = choice_sets(program)
    cases = "\n".join(_zsh_case(command, functions) for command in program.commands)
    return ZSH.format(
        name=program.name,
        choices="\n\n".join(
            ZSH_CHOICES.format(name=name, tag=name.rpartition("_")[2], items=_zsh_items(choices))
            for choices, name in functions.items()
        ),
        commands=_zsh_items(
            tuple((command.name, command.summary.rstrip(".")) for command in program.commands)
        ),
        own="\n".join(f"        {_zsh_option(option, functions)} \\" for option in program.options),
        cases=cases,
        settings=" ".join(name for name, _ in program.settings),
    )


def _zsh_case(command: Command, functions: Mapping[Choices, str]) -> str:
    lines = [_zsh_option(option, functions) for option in command.options]
    lines += [_zsh_argument(argument, functions) for argument in command.arguments]
    body = " \\\n            ".join(lines)
    return f"    {command.name})\n        _arguments -S \\\n            {body}\n        ;;"


def _zsh_option(option: Parameter, functions: Mapping[Choices, str]) -> str:
    told = f"[{_escaped(option.summary)}]"
    if option.metavar:
        told += f":{_escaped(option.metavar)}:{_action(option, functions)}"
    # A value may follow as in -f csv and -fcsv, --format csv and --format=csv.
    long, short = ("=", "+") if option.metavar else ("", "")
    names = [name + (long if name.startswith("--") else short) for name in option.names]
    if option.repeatable:
        return " ".join(quote(f"*{name}{told}") for name in names)
    if len(names) == 1:
        return quote(names[0] + told)
    return f"{quote('(' + ' '.join(option.names) + ')')}{{{','.join(names)}}}{quote(told)}"


def _zsh_argument(argument: Parameter, functions: Mapping[Choices, str]) -> str:
    place = "*" if argument.metavar.endswith("...") else "1"
    metavar = _escaped(argument.metavar.strip("[]."))
    action = _action(argument, functions).strip() or f'_guard "^-*" {metavar}'
    return quote(f"{place}:{metavar}:{action}")  # without a guard no option would be inserted


def _action(parameter: Parameter, functions: Mapping[Choices, str]) -> str:
    if parameter.takes_file:
        return "_files"
    if not parameter.choices:
        return " "
    call = _call(parameter, functions, "_")
    return f" {call}" if " " in call else call  # after a space zsh adds no words of its own


def _zsh_items(choices: Choices) -> str:
    return "\n".join(f"        {quote(f'{name}:{text}')}" for name, text in choices)


def _escaped(text: str) -> str:
    return text.replace("\\", "\\\\").replace("[", "\\[").replace("]", "\\]").replace(":", "\\:")
