"""bash and zsh on a pseudo-terminal: what keys make of a line, with the scripts of completions/.

In their PATH is this gelu, and what the scripts use besides.
"""

import os
import pty
import re
import select
import shlex
import shutil
import subprocess
from pathlib import Path
from time import monotonic

from tests.old.cli.processes import GELU

ROOT = Path(__file__).parents[4]
SCRIPTS = ROOT / "completions"
DEADLINE = 30

# Besides Tab two keys are bound: one inserts every match, the other hands the line out.
ALL, LINE = b"\x18*", b"\x18l"

BASH = r"""
PS1=
bind 'set enable-bracketed-paste off'
bind 'set bell-style none'
bind '"\C-x*": insert-completions'
show() { printf '\1%s\2' "$READLINE_LINE"; READLINE_LINE= READLINE_POINT=0; }
bind -x '"\C-xl": show'
{setup}
printf '\1\2'
"""

ZSH = r"""
PS1=
unset zle_bracketed_paste
autoload -Uz compinit
compinit -D -u
{setup}
zle -C insert-all complete-word _generic
zstyle ':completion:insert-all::::' completer _all_matches _complete
zstyle ':completion:insert-all:*' insert true
bindkey '^X*' insert-all
show() { print -rn -- $'\1'$BUFFER$'\2'; BUFFER= }
zle -N show
bindkey '^Xl' show
zle-line-init() { print -n '\1\2'; zle -D zle-line-init }
zle -N zle-line-init
"""


def path_in(home):
    """Return a PATH with this gelu, `cut`, `ls` and nothing else, made in a folder."""
    (home / "bin").mkdir(exist_ok=True)
    gelu = home / "bin" / "gelu"
    gelu.write_text(f"#!/bin/sh\nPYTHONPATH='{ROOT}' exec {shlex.join(GELU)} \"$@\"\n")
    gelu.chmod(0o755)
    for name in ("cut", "ls"):
        if not (home / "bin" / name).exists():
            (home / "bin" / name).symlink_to(shutil.which(name))
    return str(home / "bin")


class Terminal:
    """An interactive shell, which stands at its home."""

    def __init__(self, words, home, **changes):
        env = {"HOME": str(home), "ZDOTDIR": str(home), "PATH": path_in(home)}
        self._keyboard, screen = pty.openpty()
        self._shell = subprocess.Popen(
            words, stdin=screen, stdout=screen, stderr=screen, cwd=home, start_new_session=True,
            env=env | {"LC_ALL": "C.UTF-8", "TERM": "dumb"} | changes,
        )  # fmt: skip
        os.close(screen)
        self._seen = b""
        self._next_line()

    def _next_line(self):
        """Return the next line that the shell hands out."""
        end = monotonic() + DEADLINE
        while not (found := re.search(rb"\x01([^\x01\x02]*)\x02", self._seen)):
            ready, _, _ = select.select([self._keyboard], [], [], max(0, end - monotonic()))
            assert ready, f"the shell said only {self._seen!r}"
            self._seen += os.read(self._keyboard, 65536)
        self._seen = self._seen[found.end() :]
        return found[1].decode()

    def press(self, line, key=b"\t"):
        """Return what a key, Tab if none is named, makes of a line."""
        os.write(self._keyboard, line.encode() + key + LINE)
        return self._next_line()

    def matches(self, line):
        """Return all that the last word of a line may become, sorted."""
        kept = line[: max(line.rfind(" "), line.rfind("=")) + 1]
        words = self.press(line, ALL).removeprefix(kept).split()
        return sorted(word.removesuffix("=") for word in words)

    def close(self):
        """End the shell."""
        self._shell.kill()
        self._shell.wait()
        os.close(self._keyboard)


def bash(home, setup=f". '{SCRIPTS}/gelu.bash'", **changes):
    """Return bash; by default it has read the script."""
    (home / ".bashrc").write_text(BASH.replace("{setup}", setup))
    words = [shutil.which("bash"), "--noprofile", "--rcfile", home / ".bashrc", "-i"]
    return Terminal(words, home, **changes)


def zsh(home, setup=f"fpath=('{SCRIPTS}' $fpath); autoload -Uz _gelu; compdef _gelu gelu"):
    """Return zsh; by default it finds the script in a folder of $fpath."""
    (home / ".zshrc").write_text(ZSH.replace("{setup}", setup))
    return Terminal([shutil.which("zsh"), "-d", "-i"], home)


SHELLS = {"bash": bash, "zsh": zsh}
