"""Options and arguments as commands declare them.

    def table(digits: int | None = option("--digits", "-d", metavar="N", parse=…, help="…")):

An option is the default of a parameter, and the docstring of the function is the help. A word
becomes a typed value where it enters: `parse` returns the value, or raises `UsageError` with one
line on why it cannot. A `Group` makes one value of several options.
"""

from __future__ import annotations

import re
from collections.abc import Callable, Collection, Mapping, Sequence
from copy import copy
from typing import Any, NamedTuple, TypeVar

import click

from gelu_cli.errors import UsageError
from gelu_cli.old.cli.argv import AIM, NO_VALUE, SHIELD
from gelu_cli.old.cli.choices import Choices, choices_of, fill
from gelu_cli.old.cli.words import finite, one_of, under, whole

T = TypeVar("T")

QUESTION, KERNEL, INPUTS, JUDGING = "Question", "Kernel", "Inputs", "Judging"
OUTPUT, PICTURE, OTHER = "Output", "Picture", "Other options"
SECTIONS = (QUESTION, KERNEL, INPUTS, JUDGING, OUTPUT, PICTURE, OTHER)
"""The headings under which options stand in the help, in this order."""
USUAL = {
    "--form", "--quantity", "--dtype", "--target", "--range", "--sigma", "--free",
    "--degree", "--constants-in", "--published", "--criterion", "--error", "--mark", "--points",
    "--momentum", "--shape", "--exec", "--kwarg", "--all", "--input",
    "--inputs", "--column", "--max-ulp", "--wrong", "--rows", "--view", "--format", "--output",
    "--digits", "--title", "--size", "--theme",
}  # fmt: skip
"""The options that --help lists; --help-all has the others as well."""

UNLISTED_KERNELS = ("--impl", "--routine")
UNLISTED = (*UNLISTED_KERNELS, "--show")
"""Names that are accepted and not listed: of what KERNEL and --quantity name."""


class Word(click.ParamType):  # type: ignore[type-arg]
    """The type of every parameter: a function that makes a value of a word."""

    name = "text"

    def __init__(self, parse: Callable[[str], Any]) -> None:
        self.parse = parse

    def convert(self, value: Any, param: Any, ctx: Any) -> Any:
        """Return the value of a word; `UsageError` passes through."""
        return self.parse(value.removeprefix(SHIELD)) if isinstance(value, str) else value


class Declared(click.Parameter):
    """What options and arguments have beside what click knows of them."""

    help: str
    section = ""
    """The heading under which it stands in the help, that of its group if it has none."""
    choices = ""
    """The name of the list in `choices` that completion and manual show."""
    listed = False
    """Whether a comma separates two of its values, as in --form exact,tanh."""
    aimed = False
    """Whether it may be said for one of several kernels, as in --device:a."""
    reads_stdin = False
    """Whether `-` for it is stdin."""
    optional = ""
    """A pattern: how its value begins, where it may stand without one, as a flag does."""

    @property
    def names(self) -> list[str]:
        """The names listed of an option, the long one last; an argument has none."""
        listed = [each for each in self.opts if each not in UNLISTED]
        return sorted(listed, key=len) if self.param_type_name == "option" else []

    @property
    def label(self) -> str:
        """What messages call it: its longest name, X for the argument [X]...."""
        return self.names[-1] if self.names else str(self.metavar).strip("[].,")

    @property
    def term(self) -> str:
        """The names, and what follows them."""
        return " ".join(filter(None, (", ".join(self.names), self.metavar)))

    @property
    def meaning(self) -> str:
        """The help, with the default."""
        return fill(self.help) + self._default

    @property
    def _default(self) -> str:
        return f" Default: {self.default}." if isinstance(self.default, str) else ""

    @property
    def brief(self) -> str:
        """What the help says first, with the lists in it, and the default.

        >>> option("--of", default="value", help="What is judged: {results}. It may be both.").brief
        'What is judged: value, gradient. Default: value.'
        """
        first = re.split(r"[.;] ", fill(self.help).removesuffix("."), maxsplit=1)[0]
        return f"{first}.{self._default}"

    @property
    def is_usual(self) -> bool:
        """Whether --help lists it; what a picture looks like `gelu plot` alone lists."""
        return self.label in USUAL and self.section != PICTURE

    @property
    def summary(self) -> str:
        """What the help says first, without the lists in it.

        >>> option("--form", help="Form, may be repeated: {forms}. `gelu forms` has all.").summary
        'Form, may be repeated'
        >>> option("--size", help="Of the picture, e.g. 7x4.6.").summary
        'Of the picture'
        """
        return re.split(r", e\.g\. |[:.;](?: |$)", self.help, maxsplit=1)[0]

    @property
    def takes_file(self) -> bool:
        """Whether the value is the name of a file, or begins with one."""
        return self.metavar in ("FILE", "[FILE]...", "[KERNEL]...")

    @property
    def takes_form(self) -> bool:
        """Whether the value names a form, or begins with one."""
        return self.metavar == "[FORM]" or str(self.metavar).partition("[")[0] == "F"

    def offered(self) -> Choices:
        """Return the words that it takes, if these can be listed."""
        return choices_of(self.choices) if self.choices else []

    def under(self, section: str) -> Any:
        """Return it under another heading."""
        return self.changed(section=section)

    def changed(self, **attributes: Any) -> Any:
        """Return a copy with other attributes."""
        changed = copy(self)
        vars(changed).update(attributes)
        return changed


class Option(Declared, click.Option):
    """An option of a command."""


class Argument(Declared, click.Argument):
    """What stands on the line without a name; it may be left out."""


def option(
    *names: str,
    default: str | None = None,
    metavar: str = "",
    help: str = "",
    parse: Callable[[str], Any] | None = None,
    choices: str = "",
    kind: str = "",
    many: bool = False,
    text: bool = False,
    make: Callable[[Any], Any] | None = None,
    section: str = "",
    reads_stdin: bool = False,
) -> Any:
    """Return an option with one word, or with `many`: repeated, or in a list with commas.

    `make` makes the value of all its words. Without `parse` a word is one of its `choices`, which
    `kind` names in messages. In a `text` a comma is a sign like others.
    """
    name = max(names, key=len)
    if choices:
        parse = under(name, parse or one_of(kind or name[2:], lambda: choices_of(choices)))
    listed = many and not text
    made = Option(
        [*names],
        default=default,
        multiple=many,
        metavar=f"{metavar},..." if listed else metavar,
        type=Word(parse or str),
        callback=_calling(make or (list if many else None)),
        help=help,
    )
    return made.changed(choices=choices, listed=listed, section=section, reads_stdin=reads_stdin)


def count(
    name: str, least: int, most: int, help: str, *, metavar: str = "N", section: str = ""
) -> Any:
    """Return an option that takes a whole number."""
    parse = whole(name, least, most)
    return option(name, metavar=metavar, parse=parse, section=section, help=help)


def number(name: str, metavar: str, help: str, default: str | None = None) -> Any:
    """Return an option that takes a finite number, exactly."""
    return option(name, default=default, metavar=metavar, parse=finite(name), help=help)


def flag(*names: str, help: str, section: str = "") -> Any:
    """Return an option without a word."""
    return Option([*names], is_flag=True, default=False, help=help).changed(section=section)


def flag_of_kernels(name: str, help: str) -> Any:
    """Return a flag that `aimed` may be for one of several kernels: True where it is given."""
    return option(name, parse=lambda word: True, help=help).changed(optional=NO_VALUE)


def argument(
    metavar: str,
    help: str,
    *,
    parse: Callable[[str], Any] = str,
    choices: str = "",
    reads_stdin: bool = False,
) -> Any:
    """Return an argument: any number of words if its metavar ends in dots."""
    nargs = -1 if metavar.endswith("...") else 1
    made = Argument(["words"], nargs=nargs, required=False, metavar=metavar, type=Word(parse))
    return made.changed(help=help, choices=choices, reads_stdin=reads_stdin)


def _calling(make: Callable[[Any], Any] | None) -> Callable[[Any, Any, Any], Any] | None:
    return None if make is None else lambda context, parameter, value: make(value)


def showing(*names: str, shown: Callable[[Any], str], help: str) -> Any:
    """Return a flag that prints something of the context and ends the program."""

    def show(context: Any, parameter: Any, wanted: bool) -> None:
        if wanted:
            print(shown(context))
            context.exit()

    made = Option(
        [*names], is_flag=True, is_eager=True, expose_value=False, callback=show, help=help
    )
    return made.changed(section=OTHER)


HELP: Any = showing(
    "--help",
    "-h",
    shown=lambda context: context.command.get_help(context),
    help="Show the options most used, and exit.",
)
HELP_ALL: Any = showing(
    "--help-all",
    shown=lambda context: context.command.get_help(context, True),
    help="Show every option, in full, and exit.",
)


def distinct(values: Collection[T]) -> list[T]:
    """Return each of some values once, in order."""
    return list(dict.fromkeys(values))


class Aimed(NamedTuple):
    """The value of an option, and what follows the colon of its name, if anything does."""

    suffix: str | None
    value: Any


def aimed(each: Any, help: str | None = None) -> Any:
    """Return an option that may be said for all kernels or, each time, for one of them.

    Its values are `Aimed`. Its help is that of the option it is made of, if no other is given.
    """

    def parse(word: str) -> Aimed:
        suffix, separator, value = word.rpartition(AIM)
        return Aimed(suffix if separator else None, each.type.parse(value))

    return each.changed(
        type=Word(parse),
        multiple=True,
        callback=None,
        listed=False,
        aimed=True,
        metavar=each.metavar.removesuffix(",..."),
        help=help or each.help,
    )


class Group:
    """Options that make one value: `make` is called with the value of each by its name.

    Of a NamedTuple whose fields have options as defaults, these are the options. Those `without`
    which it is made have the values that stand for nothing given.
    """

    def __init__(
        self,
        make: Callable[..., Any],
        options: Mapping[str, Any] | None = None,
        *,
        section: str = QUESTION,
        without: Collection[str] = (),
    ) -> None:
        declared: Mapping[str, Any] = options or make._field_defaults  # type: ignore[attr-defined]
        self.options = {
            name: each.under(each.section or section)
            for name, each in declared.items()
            if name not in without
        }
        self._make = make
        self._left_out = {
            name: False if getattr(each, "is_flag", False) else None
            for name, each in declared.items()
            if name in without
        }

    @property
    def labels(self) -> list[str]:
        """What messages call the options."""
        return [each.label for each in self.options.values()]

    def of(self, values: Mapping[str, Any]) -> Any:
        """Return what is made of the values of all options of a command."""
        return self._make(**{name: values[name] for name in self.options}, **self._left_out)


class Given(NamedTuple):
    """The options and arguments that a command line gives, by the names that help has for them."""

    names: Sequence[str]

    def refuse(self, *names: str, purpose: str, remedy: str) -> None:
        """Raise `UsageError` if one of these is given, as it is for another purpose.

        >>> Given(["--form", "--seed"]).refuse("--seed", purpose="--samples N", remedy="add it")
        Traceback (most recent call last):
            ...
        gelu_cli.errors.UsageError: --seed is for --samples N; add it, or leave --seed out
        """
        for name in self.names:
            if name in names:
                raise UsageError(f"{name} is for {purpose}; {remedy}, or leave {name} out")

    def refuse_other_views(
        self, shown: Collection[str], views: Mapping[str, Collection[str]]
    ) -> None:
        """Raise `UsageError` if an option is given that none of the views shown uses.

        `views` has the views that use an option, for each option that some of them do not use.
        """
        for name, used_by in views.items():
            if not set(shown) & set(used_by):
                other = f"--view {', '.join(used_by)}, not for {', '.join(shown)}"
                self.refuse(name, purpose=other, remedy="change the view")


GIVEN: Any = object()
"""As the default of a parameter: what the line gives, and what is a default."""
