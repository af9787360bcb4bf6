"""Tab: what may follow on a line, and in real shells, key by key."""

import shutil
import subprocess
from contextlib import closing
from pathlib import Path

import pytest

from gelu_cli.old.cli.manual.completion import FILES, completions
from gelu_cli.old.cli.manual.program import describe
from tests.old.cli.manual.shells import SCRIPTS, SHELLS, path_in
from tests.old.cli.runner import gelu

BASH_COMPLETION = Path("/usr/share/bash-completion/bash_completion")
COMMANDS = describe().commands


def needs(shell):
    if not shutil.which(shell):
        pytest.skip(f"{shell} is not installed")


@pytest.fixture(scope="module", params=SHELLS)
def terminal(request, tmp_path_factory):
    needs(request.param)
    home = tmp_path_factory.mktemp(request.param)
    (home / "published.csv").touch()
    (home / "two words.csv").touch()
    with closing(SHELLS[request.param](home)) as terminal:
        yield terminal


COMPLETED = {
    "gelu er": "gelu error ",
    "gelu --ver": "gelu --version ",
    "gelu table --bi": "gelu table --bits ",
    "gelu table --dtype bf": "gelu table --dtype bfloat16 ",
    "gelu table --dtype=bf": "gelu table --dtype=bfloat16 ",
    "gelu table --form=ta": "gelu table --form=tanh",
    "gelu table -3 -1 --fo": "gelu table -3 -1 --form",
    "gelu table -3 -inf --no": "gelu table -3 -inf --no-header ",
    "gelu table -3:3:1 -q --quantity gr": "gelu table -3:3:1 -q --quantity gradient ",
    "gelu table -3": "gelu table -3",
    "gelu error --range -1:1 --qui": "gelu error --range -1:1 --quiet ",
    "gelu check pub": "gelu check published.csv ",
    "gelu check -- pub": "gelu check -- published.csv ",
    "gelu check tw": "gelu check two\\ words.csv ",
    "gelu table 1 -o pub": "gelu table 1 -o published.csv ",
    "gelu table 1 --output=pub": "gelu table 1 --output=published.csv ",
    "gelu table 1 > pub": "gelu table 1 > published.csv ",
    "gelu table pub": "gelu table pub",
    "gelu table --digits pub": "gelu table --digits pub",
    "gelu completion z": "gelu completion zsh ",
    "gelu sweep --kwarg approximate=": "gelu sweep --kwarg approximate=",
    "gelu sweep --kwarg approximate=t": "gelu sweep --kwarg approximate=t",
    "gelu table --form sigmoid:beta=": "gelu table --form sigmoid:beta=",
    "gelu table --form sigmoid:": "gelu table --form sigmoid:beta=",
    "gelu table --form=sigmoid:b": "gelu table --form=sigmoid:beta=",
    "gelu table --form quick_gelu:": "gelu table --form quick_gelu:beta=",
    "gelu table --form exact,elu:al": "gelu table --form exact,elu:alpha=",
    "gelu table --form fitted,tanh:a=0.8:d": "gelu table --form fitted,tanh:a=0.8:d=",
    "gelu table --form quick_g": "gelu table --form quick_gelu ",
    "gelu table --form exact,quick_g": "gelu table --form exact,quick_gelu ",
    "gelu table --form=exact,tanh,sil": "gelu table --form=exact,tanh,silu ",
    "gelu table 1 --quantity value,gate,cu": "gelu table 1 --quantity value,gate,curvature ",
    "gelu error --target quick_g": "gelu error --target quick_gelu ",
    "gelu fit tanh:": "gelu fit tanh:",  # a, c or d
    "gelu fit sigmoid:": "gelu fit sigmoid:beta=",
    "gelu sweep --dtype bfloat16,fl": "gelu sweep --dtype bfloat16,fl",  # takes one
    "gelu help comp": "gelu help comp",
    "gelu help ta": "gelu help table ",
    "true; gelu er": "true; gelu error ",
    "gelu table --all=": "gelu table --all=",
    "gelu sweep pub": "gelu sweep published.csv ",
}


def test_tab_completes_every_line(terminal):
    assert {line: terminal.press(line) for line in COMPLETED} == COMPLETED


@pytest.mark.parametrize(
    "line",
    [
        *["gelu er", "gelu table --dtype=bf", "gelu table --form exact,elu:al", "gelu check tw"],
        *["gelu table --form=sigmoid:b", "gelu table 1 --output=pub", "gelu table --digits pub"],
    ],
)
def test_tab_completes_a_line(terminal, line):
    assert terminal.press(line) == COMPLETED[line]


def test_tab_completes_a_word_that_others_follow(terminal):
    back = 3 * b"\x02"
    assert terminal.press("gelu er -1", back + b"\t").split() == ["gelu", "error", "-1"]
    assert terminal.press("gelu table --bi -1", back + b"\t").split()[2:] == ["--bits", "-1"]


def test_a_long_option_is_completed_with_or_without_its_sign(terminal):
    assert terminal.press("gelu error -1 --vi").rstrip(" =") == "gelu error -1 --view"


def test_an_option_is_offered_once_unless_it_may_be_repeated(terminal):
    assert terminal.matches("gelu table --bits --bi") == ["--bi"]
    assert terminal.matches("gelu table --digits 5 --dig") == ["--dig"]
    assert terminal.matches("gelu table --form exact --form tanh --fo") == ["--form", "--format"]


def test_after_two_dashes_there_are_no_options(terminal):
    assert terminal.matches("gelu table -- --fo") == ["--fo"]


@pytest.mark.parametrize("command", COMMANDS, ids=lambda command: command.name)
def test_every_option_and_every_choice_is_offered(command):
    names = [name for option in command.options for name in option.names]
    assert [word for word, _ in completions([command.name, "-"])] == names
    for option in command.options:
        for name in option.names if option.metavar else ():
            offered = [word for word, _ in completions([command.name, name, ""])]
            assert offered == ([FILES] if option.takes_file else [w for w, _ in option.offered()])


def test_every_command_is_offered(terminal):
    assert {command.name for command in COMMANDS} <= set(terminal.matches("gelu "))


def test_all_options_of_a_command_are_offered_in_a_shell(terminal):
    (table,) = (command for command in COMMANDS if command.name == "table")
    names = {name for option in table.options for name in option.names}
    assert set(terminal.matches("gelu table -")) == names
    formats = [name for option in table.options if option.names[-1] == "--format"
               for name, _ in option.offered()]  # fmt: skip
    assert terminal.matches("gelu table --format ") == sorted(formats)


def test_bash_finds_the_script_where_bash_completion_looks(tmp_path):
    needs("bash")
    if not BASH_COMPLETION.exists():
        pytest.skip("bash-completion is not installed")
    folder = tmp_path / "share" / "bash-completion" / "completions"
    folder.mkdir(parents=True)
    shutil.copy(SCRIPTS / "gelu.bash", folder / "gelu")
    found = {"XDG_DATA_DIRS": str(tmp_path / "share")}
    with closing(SHELLS["bash"](tmp_path, f". {BASH_COMPLETION}", **found)) as terminal:
        assert terminal.press("gelu table -1 --dtype=bf") == "gelu table -1 --dtype=bfloat16 "


@pytest.mark.parametrize("shell", SHELLS)
def test_what_gelu_prints_may_be_sourced(shell, tmp_path):
    needs(shell)
    (tmp_path / "script").write_text(gelu("completion", shell).out, encoding="utf-8")
    with closing(SHELLS[shell](tmp_path, ". ~/script")) as terminal:
        assert terminal.press("gelu er") == "gelu error "


@pytest.mark.parametrize("breaks", ["${COMP_WORDBREAKS//:}", "${COMP_WORDBREAKS//[:=]}"])
def test_bash_may_part_words_as_its_user_wants(breaks, tmp_path):
    needs("bash")
    setup = f"COMP_WORDBREAKS={breaks}; . '{SCRIPTS}/gelu.bash'"
    with closing(SHELLS["bash"](tmp_path, setup)) as terminal:
        assert terminal.press("gelu table --dtype=bf") == "gelu table --dtype=bfloat16 "
        line = "gelu table --form=exact,sigmoid:b"
        assert terminal.press(line) == "gelu table --form=exact,sigmoid:beta="
        assert terminal.press("gelu table -o a=b --form sigmoid:b").endswith(" sigmoid:beta=")


# fish


def offered(folder, *lines):
    """Return for each line what may come, sorted, without descriptions."""
    script = f"source '{SCRIPTS}/gelu.fish'\n" + "\n".join(
        f"complete -C '{line}'; echo ----" for line in lines
    )
    env = {"HOME": str(folder), "PATH": path_in(folder), "TERM": "dumb", "LC_ALL": "C.UTF-8"}
    done = subprocess.run(
        [shutil.which("fish"), "--no-config", "-c", script],
        env=env,
        cwd=folder,
        capture_output=True,
        check=True,
    )
    parts = done.stdout.decode().split("----\n")[:-1]
    words = [[line.partition("\t")[0] for line in part.splitlines()] for part in parts]
    return [sorted({word.removeprefix("--form=") for word in each}) for each in words]


OFFERED_BY_FISH = {
    "gelu er": ["error"],
    "gelu table --form=ta": ["tanh", "tanh_fn", "tanh_taylor"],
    "gelu table --form ta": ["tanh", "tanh_fn", "tanh_taylor"],
    "gelu table --form exact,ta": ["exact,tanh", "exact,tanh_fn", "exact,tanh_taylor"],
    "gelu table --form=exact,elu,quick_g": ["exact,elu,quick_gelu"],
    "gelu table --form sigmoid:": ["sigmoid:beta="],
    "gelu table --form exact,quick_gelu:b": ["exact,quick_gelu:beta="],
    "gelu table --form=tanh:a=0.8:": ["tanh:a=0.8:a=", "tanh:a=0.8:c=", "tanh:a=0.8:d="],
    "gelu fit sigmoid:": ["sigmoid:beta="],
    "gelu help ta": ["table"],
    "gelu sweep --dtype bf": ["bfloat16"],
    "gelu sweep --dtype float32,bf": [],
    "gelu table -3 -1 --fo": ["--form", "--format"],
    "gelu table -3 -1e-3 -f js": ["json", "jsonl"],
    "gelu error --range -3:3 --view ": ["all", "histogram", "points", "regions", "summary"],
    "gelu check ker": ["kernel.bin", "kernel.csv"],
    "gelu table -o kernel.b": ["kernel.bin"],
    "gelu completion ": ["bash", "fish", "zsh"],
    "gelu table --digits ": [],
    "gelu sweep --format table --bi": [],
}


def test_fish_completes_a_line(tmp_path):
    needs("fish")
    (tmp_path / "kernel.bin").touch()
    (tmp_path / "kernel.csv").touch()
    assert (
        dict(zip(OFFERED_BY_FISH, offered(tmp_path, *OFFERED_BY_FISH), strict=True))
        == OFFERED_BY_FISH
    )


def test_fish_offers_every_command(tmp_path):
    needs("fish")
    assert {command.name for command in COMMANDS} == set(offered(tmp_path, "gelu ")[0])
