"""What a command line gives: an answer uses all of it, or refuses what it does not use."""

from __future__ import annotations

from collections.abc import Collection, Iterable, Mapping
from typing import Any

from gelu_cli.errors import UsageError


class Given:
    """The options and arguments that a command line gives, by the names that help has for them."""

    def __init__(self, names: Iterable[str]) -> None:
        self.names = list(names)

    @classmethod
    def in_context(cls, context: Any) -> Given:
        """Return what is given in a context of typer, in the order of the help."""
        return cls(
            name_of(parameter)
            for parameter in context.command.params
            if context.get_parameter_source(parameter.name).name == "COMMANDLINE"
        )

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


def name_of(parameter: Any) -> str:
    """Return what a parameter of typer is called: its longest name, X for the argument [X]...."""
    if parameter.param_type_name == "argument":
        return str(parameter.metavar).strip("[].")
    return str(max(parameter.opts, key=len))
