"""Budgets: bounds that the figures of kernels have to keep, by kernel, format and region."""

from __future__ import annotations

import os
from collections.abc import Sequence
from dataclasses import dataclass, replace
from difflib import get_close_matches
from math import inf
from pathlib import Path

from gelu_cli.errors import UsageError, briefly
from gelu_cli.old.arithmetic.formats import Format
from gelu_cli.old.budgets.entries import AT_INFINITY, Entry, Names, largest_error, parse_budget
from gelu_cli.old.budgets.figures import KernelFigures, figures_of
from gelu_cli.old.budgets.judging import Checked, Judgement, judge
from gelu_cli.old.environment import standard_environment
from gelu_cli.old.sweeping.verdict import Verdict

__all__ = ["BoundedVerdict", "Budget", "Checked", "Judgement", "Names", "load_budget"]


LONGEST = 1_000_000
"""In bytes: what is longer was not written as a budget."""


@dataclass(frozen=True)
class Budget:
    r"""Bounds by kernel, format, target, quantity and region, and failures that are known.

    `Budget.of(text)` reads TOML: docs/budgets.md says what is in it.

    >>> budget = Budget.of("[[bound]]\nmax_ulp = 0.5")
    >>> import numpy as np
    >>> from gelu_cli import sweep
    >>> verdict = sweep(lambda x: np.maximum(x, 0), dtype="float16", form="relu")
    >>> bool(verdict.within(budget))
    True
    """

    file: str
    text: str
    entries: Sequence[Entry]

    @classmethod
    def of(cls, text: str, file: str = "budget") -> Budget:
        r"""Return the budget that a text in TOML holds; `file` is its name in messages.

        Raises ValueError, which names the line, for anything that cannot be meant.

        >>> Budget.of("[[bound]]\nmax_ulps = 2")
        Traceback (most recent call last):
            ...
        gelu_cli.errors.UsageError: budget:2: unknown key 'max_ulps'; did you mean 'max_ulp'?
        """
        if not isinstance(text, str):
            raise TypeError(f"a budget must be a text in TOML, not {briefly(text)}")
        return cls(file, text, parse_budget(text, file))

    def judge(self, figures: KernelFigures) -> Judgement:
        """Return what it says of the figures of a kernel; raises ValueError if that is nothing."""
        judgement = judge(self.entries, figures)
        if not (judgement.checked or judgement.unknown):
            raise UsageError(self._no_bound(figures.names))
        return judgement

    def tightened(self, *verdicts: Verdict) -> Budget:
        """Return it with its bounds lowered to what verdicts found, as --tighten writes it.

        Bounds are never raised; a kernel without a bound of its own gets one. `text` is the TOML.

        >>> import numpy as np
        >>> from gelu_cli import sweep
        >>> verdict = sweep(lambda x: np.maximum(x, 0), dtype="float16", form="relu")
        >>> "max_ulp = 0" in Budget.of("").tightened(verdict).text
        True
        """
        from gelu_cli.old.budgets.tightening import tightened

        new = tightened(self, [*map(figures_of, verdicts)])
        return Budget.of(new.text, self.file)

    def refuse_if_all_are_strangers(
        self, kernels: Sequence[tuple[Names, Format]], low: float = -inf, high: float = inf
    ) -> None:
        """Raise `UsageError` if no entry is for any of the kernels in a range of x.

        That is a misspelt name most of the time.
        """
        strangers = self.strangers(kernels, low, high)
        if len(strangers) == len(kernels):
            raise UsageError(self._no_bound(strangers[0]))

    def strangers(
        self, kernels: Sequence[tuple[Names, Format]], low: float = -inf, high: float = inf
    ) -> list[Names]:
        """Return the kernels for which no entry is in a range of x."""

        def is_for(entry: Entry, names: Names, number_format: Format) -> bool:
            if not entry.matches(names):
                return False
            ends = [region.ends for region in entry.scope(number_format) - {AT_INFINITY}]
            return any(first <= high and low <= last for first, last in ends)

        return [
            names
            for names, number_format in kernels
            if not any(is_for(entry, names, number_format) for entry in self.entries)
        ]

    def _no_bound(self, names: Names) -> str:
        known = [entry.match["kernel"] for entry in self.entries if "kernel" in entry.match]
        near = [] if names.kernel in known else get_close_matches(names.kernel, known, n=1)
        meant = f"; did you mean {names.kernel} by '{near[0]}'?" if near else ""
        return f"no bound of {self.file} is for {names}{meant}"


def load_budget(path: str | os.PathLike[str]) -> Budget:
    """Return the budget in a TOML file, as `gelu sweep --budget` reads it.

    Raises ValueError, which names file and line, for one that cannot be read or meant.

    >>> load_budget("missing.toml")
    Traceback (most recent call last):
        ...
    gelu_cli.errors.UsageError: cannot read 'missing.toml': No such file or directory
    """
    if not isinstance(path, str | os.PathLike):
        raise TypeError(f"a budget must be a Budget or the name of a file, not {briefly(path)}")
    file = os.fspath(path)
    try:
        with Path(file).open("rb") as stream:
            content = stream.read(LONGEST + 1)
        if len(content) > LONGEST:
            raise UsageError(f"'{file}' is no budget: it has over {LONGEST:,} bytes")
        return Budget.of(content.decode(), file)
    except UnicodeDecodeError as error:
        line = error.object.count(b"\n", 0, error.start) + 1
        raise UsageError(f"{file}:{line}: this is no TOML: it is not UTF-8") from None
    except OSError as error:
        raise UsageError(f"cannot read '{file}': {error.strerror or error}") from None


def current_budget(path: str) -> Budget:
    """Return the budget in a file as it is now, an empty one where there is no file yet.

    Raises ValueError as `load_budget` does.
    """
    return load_budget(path) if os.path.lexists(path) else Budget.of("", path)


class BoundedVerdict(Verdict):
    """A verdict that says whether bounds are kept: what `gelu_cli.sweep` returns."""

    @standard_environment()
    def within(
        self,
        budget: Budget | str | os.PathLike[str] | None = None,
        *,
        max_ulp: float | None = None,
    ) -> Judgement:
        r"""Return whether results keep a largest error in ULP and a budget, or the one in a file.

        The result is true if every bound is kept; a wrong NaN or infinity exceeds every `max_ulp`.
        It has the `breaches`, each with what was found and with the file and the line of the bound,
        and the known failures that have `vanished`; as a text it is the breaches.

        Raises ValueError, which names file and line, for a budget that cannot be read or meant, or
        of which no bound is for these results, and where there is no bound at all.

        >>> import numpy as np
        >>> from gelu_cli import Budget, sweep
        >>> def relu(x):
        ...     return np.maximum(x, 0)
        >>> verdict = sweep(relu, dtype="float16", form="silu")
        >>> print(verdict.within(Budget.of("[[bound]]\nwrong_zero = 9", "budget.toml")))
        budget.toml:2: relu: wrong_zero 19732 exceeds 9
        >>> print(verdict.within(max_ulp=2))
        relu: max_ulp 2048 at x = -0.0019550323486328125 exceeds 2
        """
        figures = figures_of(self)
        said = []
        if budget is not None:
            bounds = budget if isinstance(budget, Budget) else load_budget(budget)
            said.append(bounds.judge(figures))
        if max_ulp is not None:
            said.append(judge([largest_error(max_ulp, figures.names)], figures))
        if not said:
            raise UsageError("nothing bounds the results; give a budget, or max_ulp=2")
        return replace(said[0], checked=[each for part in said for each in part.checked])
