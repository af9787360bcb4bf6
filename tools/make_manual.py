"""Make what the program tells about itself: completion scripts, manual page and references.

    python tools/make_manual.py

writes completions/, docs/gelu.1, docs/reference.md and docs/api.md anew. A test
compares them with the program.
"""

from pathlib import Path

from gelu_cli.old.cli.manual.completion import script
from gelu_cli.old.cli.manual.pages import manual_page, reference
from gelu_cli.old.cli.manual.program import describe
from tools import api_page

ROOT = Path(__file__).parents[1]
FILES = {
    "completions/gelu.bash": lambda program: script("bash"),
    "completions/_gelu": lambda program: script("zsh"),
    "completions/gelu.fish": lambda program: script("fish"),
    "docs/gelu.1": manual_page,
    "docs/reference.md": reference,
}
API = "docs/api.md"


def texts() -> dict[Path, str]:
    """Return the text of every file."""
    program = describe()
    of_the_program = {path: render(program) for path, render in FILES.items()}
    return {ROOT / path: text for path, text in {**of_the_program, API: api_page.render()}.items()}


if __name__ == "__main__":
    for path, text in texts().items():
        path.parent.mkdir(exist_ok=True)
        path.write_text(text, encoding="utf-8", newline="\n")
