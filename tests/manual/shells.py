"""Real shells, asked what they offer at the end of a line."""

import os
import pty
import re
import select
import shutil
import subprocess
from pathlib import Path
from time import monotonic

import pytest

ROOT = Path(__file__).parents[2]
SCRIPTS = {shell: ROOT / "completions" / name for shell, name in
           {"bash": "gelu.bash", "fish": "gelu.fish", "zsh": "_gelu"}.items()}  # fmt: skip
SECONDS = 30

BASH = r"""
source "$SCRIPT"
COMP_LINE=$1 COMP_POINT=${#1}
# As readline parts a line, at spaces and at = and :
read -ra parts <<< "$(sed 's/\([=:]\)/ \1 /g' <<< "$1")"
COMP_WORDS=("${parts[@]}")
[[ $1 == *[' '] ]] && COMP_WORDS+=('')
COMP_CWORD=$((${#COMP_WORDS[@]} - 1))
compopt() { [[ "$*" == '-o default' ]] && compgen -f -- "${COMP_WORDS[COMP_CWORD]}"; }
_gelu
printf '%s\n' "${COMPREPLY[@]}"
"""

# Every match goes through compadd; what it would insert is printed instead.
ZSH = r"""
autoload -Uz compinit
fpath=("$FOLDER" $fpath)
compinit -u -d "$FOLDER/dump"
zstyle ':completion:*' verbose yes
zstyle ':completion:*' list-separator '#'
LISTMAX=100000
bindkey '^I' complete-word
compadd() {
    local -a found
    if ((! ${@[(I)-[OAD]*]})); then # those only ask what would match
        builtin compadd -O found "$@"
    fi
    print -rl -- ${found/#/<<<} > /dev/tty
    builtin compadd "$@"
}
PS1='READY'
"""


def needs(shell):
    if not shutil.which(shell):
        pytest.skip(f"{shell} is not installed")


def offered(shell, line, folder):
    """Return what a shell offers to complete a line with, sorted, without descriptions."""
    needs(shell)
    return sorted(set(ASK[shell](line, folder)))


def environment(folder):
    """An environment in which no Python is found, but the tools of the shells are."""
    tools = folder / "tools"
    if not tools.exists():
        tools.mkdir()
        for name in ("sed", "uname", "mkdir", "cat", "stty", "tty"):
            (tools / name).symlink_to(shutil.which(name))
    return {"PATH": str(tools), "HOME": str(folder), "TERM": "dumb", "LANG": "C.UTF-8"}


def ask_bash(line, folder):
    env = {**environment(folder), "SCRIPT": str(SCRIPTS["bash"])}
    command = [shutil.which("bash"), "--norc", "-c", BASH, "bash", line]
    done = subprocess.run(command, env=env, cwd=folder, capture_output=True, text=True, check=True)
    assert done.stderr == ""
    return done.stdout.split()


def ask_fish(line, folder):
    script = f"source {SCRIPTS['fish']}; complete -C {line!r}"
    command = [shutil.which("fish"), "--no-config", "-c", script]
    done = subprocess.run(
        command, env=environment(folder), cwd=folder, capture_output=True, text=True, check=True
    )
    return [each.partition("\t")[0].rpartition("=")[2] for each in done.stdout.splitlines()]


def ask_zsh(line, folder):
    shutil.copy(SCRIPTS["zsh"], folder / "_gelu")
    setup = folder / "zshrc"
    setup.write_text(ZSH)
    env = {**environment(folder), "FOLDER": str(folder)}
    process, terminal = pty.fork()
    if process == 0:
        os.chdir(folder)
        os.execve(shutil.which("zsh"), ["zsh", "-f", "-i"], env)
    try:
        os.write(terminal, f"source {setup}\n".encode())
        read_until(terminal, "READY")
        os.write(terminal, f"{line}\t".encode())
        os.write(terminal, b"\x15print -r DO'NE'\n")
        text = read_until(terminal, "DONE")
    finally:
        os.close(terminal)
        os.waitpid(process, 0)
    return re.findall(r"<<<([^\r\n]+)", text)


def read_until(terminal, sign):
    """Return what a terminal shows until a sign appears on it."""
    shown, end = b"", monotonic() + SECONDS
    while sign.encode() not in shown:
        ready, _, _ = select.select([terminal], [], [], max(0, end - monotonic()))
        assert ready, f"no {sign} in {shown!r}"
        shown += os.read(terminal, 65536)
    return shown.decode(errors="replace")


ASK = {"bash": ask_bash, "fish": ask_fish, "zsh": ask_zsh}
