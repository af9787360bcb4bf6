"""What may follow on a command line at a press of Tab, and the scripts by which shells ask.

A script calls `gelu __complete WORD…` with the words after `gelu` up to the cursor, the last as far
as it is typed. It gets a line for each word that may stand there instead, with a tab and what the
word means, or `FILES` where the name of a file is due.
"""

from __future__ import annotations

import re
from collections.abc import Iterator, Mapping, Sequence

from gelu_cli.errors import unknown
from gelu_cli.old.cli.choices import Choices, settings
from gelu_cli.old.cli.manual.program import described
from gelu_cli.old.cli.parameters import Declared

FILES = "<files>"
REDIRECTION = re.compile(r"[\d&]*[<>]+")

BASH = """\
# Completion of gelu for bash, which asks gelu itself.

_gelu() {
    local line=${COMP_LINE:0:COMP_POINT} kept=${COMP_WORDS[COMP_CWORD]}
    local -a words
    read -ra words <<<"$line"
    [[ $line == *[[:space:]] ]] && words+=('')
    mapfile -t COMPREPLY < <(command "$1" __complete "${words[@]:1}" 2>/dev/null | cut -f 1)
    if [[ ${COMPREPLY[0]} == '<files>' ]]; then
        compopt -o default
        COMPREPLY=()
    fi
    [[ ${COMPREPLY[0]} == *= ]] && compopt -o nospace
    [[ $kept == [:=]* ]] && kept=''
    kept=${words[-1]%"$kept"} # what stands before the part that readline replaces
    COMPREPLY=("${COMPREPLY[@]#"$kept"}")
}

complete -F _gelu gelu
"""

FISH = """\
# Completion of gelu for fish, which asks gelu itself.

function __gelu_complete
    set -l words (commandline -opc) (commandline -ct)
    set -l offered (command $words[1] __complete $words[2..-1] 2>/dev/null)
    if test "$offered[1]" = '<files>'
        set -l head (string match -r '^--[^=]*=' -- $words[-1])
        for path in (__fish_complete_path (string replace -r '^--[^=]*=' '' -- $words[-1]))
            printf '%s\\n' "$head$path"
        end
    else
        printf '%s\\n' $offered
    end
end

complete -c gelu -f -a '(__gelu_complete)'
"""

ZSH = """\
#compdef gelu
# Completion of gelu for zsh, which asks gelu itself.

_gelu() {
    local -a offered plain open
    local -a before=("${(@)words[2,CURRENT-1]}")
    local line word
    offered=("${(@f)$(command $words[1] __complete "$before[@]" "$PREFIX" 2>/dev/null)}")
    if [[ $offered[1] == '<files>' ]]; then
        compset -P '--*='
        _files
        return
    fi
    for line in $offered; do
        word=${${line%%$'\\t'*}//:/\\\\:}:${line#*$'\\t'}
        if [[ $line == *=$'\\t'* ]]; then open+=("$word"); else plain+=("$word"); fi
    done
    _describe -t words word plain -- open -S ''
}

if [[ $funcstack[1] == _gelu ]]; then
    _gelu "$@"
else # read by source, not from a folder of $fpath
    compdef _gelu gelu
fi
"""

SCRIPTS: Mapping[str, str] = {"bash": BASH, "fish": FISH, "zsh": ZSH}


def script(shell: str) -> str:
    """Return the script for a shell: bash from version 4 on, fish or zsh.

    Raises `UsageError` where there is none.
    """
    if shell not in SCRIPTS:
        raise unknown("shell", shell, SCRIPTS)
    return SCRIPTS[shell]


def completions(words: Sequence[str]) -> Iterator[tuple[str, str]]:
    """Yield what the last of some words may become, with what it means; `FILES` stands for files.

    >>> list(completions(["table", "--dtype=bf"]))
    [('--dtype=bfloat16', '16 bits, 8 significant')]
    >>> [word for word, _ in completions(["table", "--form", "relu,elu:"])]
    ['relu,elu:alpha=']
    >>> list(completions(["table", "-o", ""]))
    [('<files>', '')]
    """
    for word, meaning in _offered(words):
        if word == FILES or word.startswith(words[-1]):
            yield word, meaning


def _offered(words: Sequence[str]) -> Iterator[tuple[str, str]]:
    """Yield more than `completions`: also words that do not begin with the last one."""
    from gelu_cli.old.cli.app import app

    *before, word = words
    if not before:
        is_option = word.startswith("-")
        yield from _options(described(app).options, ()) if is_option else app.summaries()
        return
    if before[0] not in app.list_commands():
        return
    command = described(app.command(before[0]))
    by_name = {name: option for option in command.options for name in option.names}
    last = before[-1].partition(":")[0] if before[-1].startswith("--") else before[-1]
    ended = "--" in before[1:]
    listed = any(each.takes_file or each.choices for each in command.arguments)
    name, assigned, _ = word.partition("=")
    name = name.partition(":")[0]
    if REDIRECTION.fullmatch(before[-1]):
        yield FILES, ""
    elif not ended and assigned and name.startswith("--"):
        if name in by_name and by_name[name].metavar:
            yield from _values(by_name[name], word)
    elif not ended and last in by_name and by_name[last].metavar:
        yield from _values(by_name[last], word)
    elif not ended and (word.startswith("-") or not listed):
        yield from _options(command.options, before)
    else:
        for argument in command.arguments:
            yield from _values(argument, word)


def _options(options: Sequence[Declared], given: Sequence[str]) -> Iterator[tuple[str, str]]:
    """Yield the names of options, of those that are given only what may be repeated."""
    for option in options:
        for name in option.names:
            if option.multiple or name not in given:
                yield name, option.summary


def _values(parameter: Declared, word: str) -> Iterator[tuple[str, str]]:
    """Yield what the value in a word may be: `VALUE`, `--option=VALUE`, or `ONE,VALUE` in a list.

    After the colon of a form these are its parameters.
    """
    choices: Choices = parameter.offered()
    if parameter.takes_file and not any(name.startswith(word) for name, _ in choices):
        yield FILES, ""
        return
    head = "".join(re.findall(r"^--[^=]*=", word)[:1])
    value = word.removeprefix(head)
    if parameter.listed and "," in value:
        head, value = word[: word.rindex(",") + 1], value.rpartition(",")[2]
    if parameter.takes_form and ":" in value:
        form = f"{value.partition(':')[0]}:"
        head = word[: word.rindex(":") + 1]
        choices = [
            (name.removeprefix(form), about) for name, about in settings() if name.startswith(form)
        ]
    for name, about in choices:
        yield head + name, about
