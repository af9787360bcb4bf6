"""Nothing that a command line gives is ignored: it changes the answer, or is refused by its name.

The options and arguments are those of the program, so that a new one fails here until it has values
to be tried with. Each is added to command lines in every situation: views, formats, with and
without points, formats of numbers, routines and functions, pipes and terminals.
"""

from functools import cache
from itertools import product

import numpy as np
import pytest

from gelu_cli.old.cli.app import app
from gelu_cli.old.report.plots import PICTURES
from tests.old.cli.runner import Terminal, run_gelu

COMMANDS = {name: app.command(name) for name in app.list_commands()}
TERMINAL = "stdout is a terminal"
"""In a situation, beside the options."""
FLAG = ""

UNSEEN = {
    "--quiet": "it silences notes and progress, and there may be none",
    "--jobs": "it bounds the threads, and the answer does not depend on them",
}
"""Options that may change nothing, and why."""
OF_KERNELS = ("sweep", "compare", "identify")
HELD_ANYWAY = {
    "--all": (("sweep", "compare"), "every input of a small format or range is taken anyway"),
    "--timeout": (OF_KERNELS, "no call takes so long"),
    "--batch": (OF_KERNELS, "a function of single numbers returns the same in calls of any length"),
    "--device": (OF_KERNELS, "numpy has one device"),
    "--quantity": (OF_KERNELS, "a backward pass returns gradients anyway"),
    "--mean": (("sweep", "compare"), "results may all be right"),
    "--sigma": (("sweep", "compare"), "results may all be right"),
    "--ftz": (("sweep", "compare"), "a routine that does not flush is judged alike"),
    "--kwarg": (("compare",), "results may differ first at an input where it changes neither"),
    "--compute": (("compare",), "results may differ first at an input where it changes neither"),
    "--truncate": (("compare",), "results may differ first at an input where it changes neither"),
    "--flush": (("sweep", "compare"), "there may be no subnormal number inside"),
    "--infinities": (("sweep", "compare"), "they are in no region, and no criterion takes them"),
    "--packed": (("sweep", "compare"), "the kernel returns the same"),
    "--shape": (("block",), "r does not depend on the widths, which are in the facts of a table"),
    "--rows": (("identify",), "there may be one row alone"),
    "--digits": (("identify", "block"), "what figures are off, or moments, may have few digits"),
    "--worst": (("compare",), "a screen has one of each kind anyway"),
    "--dtype": (("block",), "a swap may be above the noise of every format"),
    "--column": (("identify", "check"), "a table may have one column of figures"),
    "--skip-unreadable": (("check", "table", "error"), "every cell can be read"),
}
"""Options that change nothing in some situations, of which commands, and why."""
WITH_PICTURES = ("sweep", "check", "compare")
OF_FUNCTIONS = "it is for two functions, and one of two kernels is a program"
NEVER_USED = {
    "--all": (OF_KERNELS, "to take more inputs than a sample or a small format has takes its time"),
    "--signature": (OF_KERNELS, "it is for C functions, which need a compiler"),
    "--timeout": (OF_KERNELS, "no call takes so long"),
    "--batch": (OF_KERNELS, "a function of single numbers returns the same in calls of any length"),
    "--device": (OF_KERNELS, "a library with several may not be installed"),
    "--backend": (OF_KERNELS, "the library may not be installed; then it is refused"),
    "--glu": (
        (*OF_KERNELS, "table", "check"),
        "it is in every situation in which the kernel has two inputs",
    ),
    "--packed": (OF_KERNELS, "the kernel returns the same"),
    "--dpi": (WITH_PICTURES, "it is for pictures in files, which take their time"),
    "--theme": (WITH_PICTURES, "it is for pictures in files, which take their time"),
    "--upstream": (("compare",), OF_FUNCTIONS),
    "--up": (("compare", "table"), f"{OF_FUNCTIONS}; a table of every pair is long"),
    "--gate-limit": (("compare",), OF_FUNCTIONS),
    "--up-limit": (("compare",), OF_FUNCTIONS),
    "--up-offset": (("compare",), OF_FUNCTIONS),
    "--intermediate": (("compare",), OF_FUNCTIONS),
    "--mean": (("fit",), "fits of averages take seconds, and slow tests do"),
    "--sigma": (("fit",), "fits of averages take seconds, and slow tests do"),
    "--degree": (("fit",), "fits of polynomials take seconds, and slow tests do"),
    "--published": (("fit",), "in every situation there is a form, beside which it is refused"),
    "--skip-unreadable": (("check", "table", "error"), "every cell can be read"),
    "--inputs": (("identify",), "to identify so many results takes seconds, and slow tests do"),
    "--digits": (("identify",), "what figures are off has digits of its own here"),
    "--exec": (("identify",), "in every situation there are figures or a kernel, which refuse it"),
}
"""Options of which no line here shows that they are used, of which commands, and why."""

EVERYWHERE = {
    "--form": ["silu", "relu"],
    "--target": ["silu", "relu"],
    "--dtype": ["float8_e4m3fn", "float8_e5m2"],
    "--range": ["1:4", "1:3"],
    "--format": ["json", "csv", "github"],
    "--output": ["new.csv", "new.txt", "new.svg", "new.xml"],
    "--no-header": [FLAG],
    "--digits": ["3", "4"],
    "--quiet": [FLAG],
    "--jobs": ["2"],
    "--all": [FLAG],
    "X": ["3"],
    "--input": ["points.csv", "more.csv", "plain.txt"],
    "--column": ["y"],
    "--quantity": ["gradient"],
    "--sigma": ["3"],
    "--samples": ["30", "40"],
    "--seed": ["1", "2", "3"],
    "--ftz": [FLAG],
    "--worst": ["1"],
    "--max-ulp": ["0"],
    "--max-abs": ["0"],
    "--max-rel": ["0"],
    "--max-noise": ["0"],
    "--mean": ["1", "3"],
    "--budget": ["strict.toml"],
    "--tighten": [FLAG],
    "--criteria": [FLAG],
    "--view": ["regions", "points", "histogram", "plot"],
    "--title": ["A title"],
    "--x-label": ["a label"],
    "--y-label": ["a label"],
    "--size": ["60x20", "6x5"],
    "--dpi": ["100"],
    "--theme": ["dark"],
    "--y-range": ["0.1:0.9"],
}
"""What options are tried with: the first value that the situation does not have, then the next."""
KERNEL_OPTIONS = {
    "--exec": ["cat", "tail -c +1"],
    "--kwarg": ["a=2"],
    "--signature": ["scalar"],
    "--timeout": ["1000"],
    "--backend": ["cupy"],
    "--device": ["cpu"],
    "--batch": ["1000"],
    "--backward": ["own"],
}
OF_GLU = {
    "--glu": [FLAG],
    "--packed": ["halves"],
    "--up": ["0.5"],
    "--gate-limit": ["1"],
    "--up-limit": ["1"],
    "--up-offset": ["1"],
    "--intermediate": ["float8_e5m2"],
}
OWN = {
    "table": {
        "--bits": [FLAG],
        "--skip-unreadable": [FLAG],
        "--keep": ["y"],
        **{name: values for name, values in OF_GLU.items() if name != "--packed"},
    },
    "error": {"--skip-unreadable": [FLAG], "--keep": ["y"]},
    "variance": {"--momentum": ["0.5"]},
    "sweep": {
        **KERNEL_OPTIONS,
        "KERNEL": ["sigmoid", "kernel.py:Flushing"],
        "--upstream": ["2"],
        "--result": ["float16"],
        "--compute": ["bfloat16"],
        "--truncate": [FLAG],
        "--flush": [FLAG],
        "--infinities": [FLAG],
        "--shapes": [FLAG],
        "--at": ["1.5"],
        **OF_GLU,
    },
    "check": {
        "FILE": ["other.json", "other.csv"],
        "--wrong": [FLAG],
        "--column": ["relu"],
        "--skip-unreadable": [FLAG],
        "--inputs": ["swapped.bin"],
        "--result": ["float8_e4m3fn"],
        **{name: values for name, values in OF_GLU.items() if name != "--up"},
    },
    "compare": {
        **KERNEL_OPTIONS,
        **OF_GLU,
        "KERNEL": ["sigmoid"],
        "--upstream": ["2"],
        "--result": ["float16"],
        "--compute": ["bfloat16"],
        "--truncate": [FLAG],
        "--flush": [FLAG],
        "--infinities": [FLAG],
    },
    "identify": {
        **KERNEL_OPTIONS,
        "X=Y": ["3=2.5", "other.csv", "kernel.py:Flushing"],
        "--glu": [FLAG],
        "--packed": ["halves"],
        "--result": ["float8_e4m3fn"],
        "--rows": ["1"],
        "--inputs": ["swapped.bin"],
        "--column": ["relu"],
    },
    "fit": {
        "FORM": ["hard"],
        "--free": ["a"],
        "--degree": ["1"],
        "--criterion": ["relative"],
        "--quantity": ["gate"],
        "--target": ["sigmoid"],
        "--range": ["1:4", "0:3"],
        "--mean": ["1"],
        "--published": [FLAG],
        "--view": ["points"],
        "--language": ["python"],
        "--dtype": ["bfloat16"],
        "--constants-in": ["bfloat16"],
    },
    "block": {
        "--target": ["softplus"],
        "--mean": ["1"],
        "--shape": ["2,3"],
        "--input": ["more.csv"],
        "--view": ["formats", "units"],
        "--glu": [FLAG],
        "--packed": ["halves"],
        "--gate-limit": ["1"],
        "--up-limit": ["1"],
        "--up-offset": ["1"],
        "--intermediate": ["bfloat16"],
    },
    "forms": {"FORM": ["silu"], "--view": ["figures", "models"]},
    "plot": {
        "FILE": ["other.json"],
        "--error": ["absolute", "relative"],
        "--mark": ["all"],
        "--points": ["points.csv"],
    },
    "completion": {"SHELL": ["fish"]},
    "help": {"TOPIC": ["table"], "--all": [FLAG]},
}
NAMED = {
    "X": "points|no pair",
    "FILE": "other.",
    "KERNEL": "kernel",
    "FORM": "hard",
    "X=Y": "pair",
    "--input": ".csv",
    "--all": "every float8_e5m2",
    "--inputs": "inputs: 'swapped.bin'|pairs: 'swapped.bin'",
    "--dtype": "float8",
    "--glu": "no pair|no column 'up'|pairs|at a pair",
    "--backend": "cupy",
}
"""What a refusal may name instead of the option, one of several."""

FORMATS = [{"--format": name} for name in ("csv", "json", "table")]
PAGES = [*FORMATS, {TERMINAL: True}]
VIEWS = [{}, *({"--view": view} for view in ("summary", "regions", "histogram", "worst"))]
CRITERIA = [{"--criteria": FLAG, "--view": "criteria"}]
DRAWN_AS_TEXT = [{"--view": "plot"}, {"--view": "plot", TERMINAL: True}]
DOCUMENTS = [{"--format": "junit"}, {"--format": "html"}]
FILES = [{"--output": f"old.{kind}"} for kind in PICTURES]
OF_ERRORS = {"--form": "softplus", "--target": "relu"}
EIGHT_BITS = {"--dtype": "float8_e5m2", "--form": "relu", "--range": "-1e-4:4"}
ROUTINES = [
    {**EIGHT_BITS, "KERNEL": "logistic"},
    {"KERNEL": "logistic", "--range": "1:1.5", "--samples": "20"},
]
FUNCTION = {**EIGHT_BITS, "KERNEL": "kernel.py:flushing"}
IN_A_FORMAT = {"FILE": "figures.csv", "--dtype": "float8_e5m2"}
PAIRS = [
    {**EIGHT_BITS, "KERNEL": "logistic", "--exec": "cat"},
    {"KERNEL": "logistic", "--exec": "tail -c +1", "--range": "1:1.5", "--samples": "20"},
]
PAIR_VIEWS = [{}, *({"--view": view} for view in ("summary", "regions", "worst", "first"))]
EVERY_RESULT = {
    "FILE": "all.bin", "--dtype": "float8_e5m2", "--all": FLAG, "--form": "relu",
}  # fmt: skip

BESIDE_INPUTS = {
    "FILE": "all.bin", "--dtype": "float8_e5m2", "--inputs": "x.bin", "--form": "relu",
}  # fmt: skip

SITUATIONS = {
    "table": [
        [{"--form": "relu", "X": "0.3"}],
        [{}, {"--dtype": "float8_e5m2"}, {"--dtype": "float8_e5m2", "--bits": FLAG},
         {"--digits": "20"}],
        PAGES,
    ],
    "table of a column": [
        [{"--form": "relu", "--input": "points.csv", "--column": "x"}], [{}, {TERMINAL: True}],
    ],
    "table of a GLU": [
        [{"--form": "silu", "--glu": FLAG, "X": "3,2"}], [{}, {"--dtype": "float8_e4m3fn"}],
    ],
    "table of every number": [
        [{"--form": "relu", "--all": FLAG, "--dtype": "float8_e5m2"}], PAGES,
    ],
    "error": [
        [OF_ERRORS],
        [{"--samples": "20"}, {"--samples": "20", "--view": "histogram"},
         {"X": "1.5", "--view": "summary"}, {"X": "1.5", "--view": "regions"},
         {}, {"--view": "summary"}, {"--view": "regions"}, {"X": "1.5"},
         {"X": "1.5", "--view": "points"},
         {"--input": "points.csv", "--column": "x"}],
        PAGES,
    ],
    "locate": [[{"--form": "silu"}], PAGES],
    "variance": [[{"--form": "softplus"}], [{}, {"--samples": "20"}], PAGES],
    "sweep": [ROUTINES, VIEWS, PAGES],
    "sweep within a budget": [[{**ROUTINES[0], "--budget": "strict.toml"}], PAGES],
    "sweep by criteria": [ROUTINES[:1], CRITERIA, FORMATS],
    "sweep of a program": [[{**EIGHT_BITS, "--form": "silu", "--exec": "cat"}], PAGES],
    "sweep of a function": [[FUNCTION], VIEWS, PAGES],
    "sweep of a backward pass": [
        [{**EIGHT_BITS, "KERNEL": "kernel.py:backward", "--backward": "own"}], [{}, *PAGES],
    ],
    "sweep of a GLU": [
        [{**EIGHT_BITS, "--form": "silu", "KERNEL": "kernel.py:glu", "--glu": FLAG}],
        [{}, {"--view": "regions"}, {"--view": "worst"}],
    ],
    "sweep at an input": [
        [{"--dtype": "float8_e5m2", "KERNEL": "logistic", "--at": "-3:-1:0.25"}], PAGES,
    ],
    "sweep drawn": [ROUTINES, DRAWN_AS_TEXT],
    "sweep in one piece": [ROUTINES, DOCUMENTS],
    "compare": [PAIRS, PAIR_VIEWS, PAGES],
    "compare with a function": [
        [{**EIGHT_BITS, "KERNEL": "kernel.py:flushing", "--exec": "cat"}], PAIR_VIEWS, PAGES,
    ],
    "compare with a backward pass": [
        [{**EIGHT_BITS, "KERNEL": "kernel.py:backward", "--exec": "cat", "--backward": "own"}],
        [{}, *PAGES],
    ],
    "compare drawn": [PAIRS, DRAWN_AS_TEXT],
    "check": [[{"FILE": "figures.csv"}], PAGES],
    "check of two columns": [[{"FILE": "two.csv"}], FORMATS[:1]],
    "check in a format": [[IN_A_FORMAT], VIEWS, PAGES],
    "check of a GLU": [[{"FILE": "glu.csv", "--glu": FLAG}], FORMATS[:1]],
    "check of a GLU in a format": [
        [{"FILE": "glu.csv", "--glu": FLAG, "--dtype": "float8_e5m2"}], [{}, {"--view": "worst"}],
    ],
    "check of a GLU beside inputs": [
        [{"FILE": "swapped.bin", "--inputs": "pairs.bin", "--glu": FLAG, "--dtype": "float8_e5m2"}],
        [{"--form": "silu"}],
    ],
    "check within a budget": [[{**IN_A_FORMAT, "--budget": "strict.toml"}], PAGES],
    "check by criteria": [[IN_A_FORMAT], CRITERIA, FORMATS],
    "check of every result": [[EVERY_RESULT], VIEWS, PAGES],
    "check beside inputs": [[BESIDE_INPUTS], VIEWS, PAGES],
    "check of a record": [[{"FILE": "record.json"}], VIEWS, PAGES],
    "check of a record, drawn": [[{"FILE": "record.json"}], DRAWN_AS_TEXT],
    "check drawn": [[IN_A_FORMAT, EVERY_RESULT], DRAWN_AS_TEXT],
    "check in one piece": [[EVERY_RESULT, IN_A_FORMAT], DOCUMENTS],
    "identify": [[{"X=Y": "2=1", "--dtype": "float8_e5m2"}], FORMATS[:2]],
    "identify a figure": [[{"X=Y": "1=0.84"}], FORMATS[:2]],
    "identify a table": [[{"X=Y": "two.csv"}], FORMATS[2:]],
    "identify every result": [
        [{"X=Y": "all.bin", "--dtype": "float8_e5m2", "--all": FLAG}], FORMATS[:1],
    ],
    "identify results beside inputs": [
        [{"X=Y": "all.bin", "--dtype": "float8_e5m2", "--inputs": "x.bin"}], FORMATS[:1],
    ],
    "identify a kernel": [
        [{"X=Y": "kernel.py:flushing", "--dtype": "float8_e5m2"}], FORMATS[:1],
    ],
    "fit": [[{"FORM": "tanh", "--range": "0:2"}], [{}, {"--view": "points"}], PAGES[1:]],
    "fit as code": [[{"FORM": "tanh", "--range": "0:2", "--view": "code"}], [{}, *PAGES[:1]]],
    "fit of an average": [[{"FORM": "sigmoid", "--criterion": "rms"}], FORMATS[:1]],
    "fit of a polynomial": [[{"FORM": "polynomial", "--degree": "3"}], FORMATS[:1]],
    "block": [
        [{"--form": "elu", "--target": "relu"}],
        [{}, {"--samples": "20", "--shape": "24,96"}],
        PAGES,
    ],
    "block of formats": [[{"--view": "formats", "--target": "relu"}], PAGES],
    "block of gates": [[{"--glu": FLAG, "--form": "sigmoid"}], FORMATS[:1]],
    "block of gates and ups": [
        [{"--glu": FLAG, "--form": "sigmoid", "--input": "pairs.npy", "--packed": "interleaved"}],
        FORMATS[:1],
    ],
    "block of pre-activations": [
        [{"--input": "points.csv", "--column": "x"}],
        [{"--form": "sigmoid"}, {"--form": "sigmoid", "--view": "units"}, {"--view": "formats"},
         {"--view": "moments"}],
        PAGES,
    ],
    "plot": [
        [{"--form": "mish"}], [{}, {"--error": "absolute"}, {"--error": "relative"}],
        [{}, {TERMINAL: True}, {"--output": "old.txt"},
         {"--format": "text", "--output": "old.dat"}],
    ],
    "plot in a file": [[{"--form": "mish"}], [{"--output": "new.png"}]],
    "plot of a record": [
        [{"FILE": "record.json"}], [{}, {TERMINAL: True}, {"--output": "old.txt"}],
    ],
    "forms": [PAGES],
    "forms of one in full": [
        [{"FORM": "relu"}], [{}, {"--view": "figures"}, {"--view": "models"}], PAGES,
    ],
    "forms and models": [[{"--view": "models"}], PAGES],
    "completion": [[{"SHELL": "bash"}]],
    "help": [[{}, {"TOPIC": "locate"}]],
}  # fmt: skip
"""By command, and what else: the parts of which a situation is made, one choice of each."""
DRAWN = {
    "sweep in a picture": [[*ROUTINES, FUNCTION], FILES[:1]],
    "compare in a picture": [PAIRS[:1], FILES[:1]],
    "check in a picture": [[IN_A_FORMAT, EVERY_RESULT], FILES[:1]],
    "block in a picture": [
        [{"--form": "sigmoid"}, {"--form": "sigmoid", "--samples": "20"}, {"--view": "formats"}],
        PAGES,
    ],
    "block of pre-activations in a picture": [
        [{"--input": "points.csv", "--column": "x"}],
        [{"--form": "sigmoid"}, {"--form": "sigmoid", "--view": "units"}, {"--view": "formats"},
         {"--view": "moments"}],
        PAGES,
    ],
    "plot in every file": [
        [{"--form": "mish"}], [{}, {"--error": "absolute"}],
        [*FILES, {"--format": "svg"}],
    ],
}  # fmt: skip
"""Those with pictures by matplotlib, which take their time."""

KERNEL = """
import numpy as np

def flushing(x, a=1.0):
    y = np.maximum(x, 0) * np.asarray(1.25 * a, x.dtype)
    return np.where(np.abs(y) < 2.0**-14, 0, y).astype(x.dtype)

def backward(upstream, x):
    return np.where(x > 0, 1.25 * upstream, 0 * upstream).astype(x.dtype)

def glu(gate, up=None):
    gate, up = np.split(gate, 2) if up is None else (gate, up)
    return (1.25 * gate.astype(float) / (1 + np.exp(-gate.astype(float))) * up).astype(gate.dtype)

class Flushing:
    def __call__(self, x):
        return flushing(x, 1.5)
"""
STRICT = """
[[bound]]
max_ulp = 0
[[bound]]
result = "float16"
max_ulp = 0
[[bound]]
result = "float8_e4m3fn"
max_ulp = 0
""" + "".join(
    f"""
[[bound]]
kernel = "{kernel}"
dtype = "float8_e5m2"
target = "relu"
quantity = "value"
max_ulp = 0
"""
    for kernel in ("logistic", "relu")
)
"""A budget of which --tighten leaves every byte."""
FIGURES = "x,relu\n1,1.25\n2,2\n1.5,3\n3e-5,0\n"


@pytest.fixture(scope="module")
def folder(tmp_path_factory):
    folder = tmp_path_factory.mktemp("options")
    (folder / "points.csv").write_text("x,y\n1.3,2.3\n")
    (folder / "more.csv").write_text("x,y\n-3,2\n")
    (folder / "plain.txt").write_text("3 4\n")
    (folder / "figures.csv").write_text(FIGURES)
    (folder / "other.csv").write_text(FIGURES.replace("3\n", "4\n"))
    # The relu of every float8_e5m2, with some errors; what is subnormal is flushed.
    relu = [0 if n < 4 or 0x80 <= n <= 0xFC else n ^ (n % 16 == 5) for n in range(256)]
    (folder / "two.csv").write_text("x,relu,relu_gradient\n1,1.00,1.0\n-2,0.00,0.0\n")
    (folder / "all.bin").write_bytes(bytes(relu))
    (folder / "strict.toml").write_text(STRICT)
    (folder / "glu.csv").write_text("x,up,silu\n3,2,5\n-2,0.5,-0.125\n3e-5,1,0\n")
    (folder / "pairs.bin").write_bytes(bytes(n % 124 for n in range(512)))
    (folder / "x.bin").write_bytes(bytes(range(256)))
    np.save(folder / "pairs.npy", np.arange(-6.0, 6.0).reshape(3, 4) / 3)
    (folder / "swapped.bin").write_bytes(bytes([*range(60, 256), *range(60)]))
    (folder / "kernel.py").write_text(KERNEL)
    with pytest.MonkeyPatch.context() as patch:
        patch.chdir(folder)
        patch.setenv("COLUMNS", "200")
        for name, routine in (("record", "logistic"), ("other", "erfc")):
            words = f"{routine} --dtype float8_e5m2 --form relu --range 1:4"
            run_gelu("sweep", *words.split(), "-o", f"{name}.json")
        yield folder


def options_of(command):
    """Return the names of the options and arguments of a command, as the program has them."""
    params = COMMANDS[command].params
    listed = {each.label for each in params if each.names or each.param_type_name == "argument"}
    return listed - {"--help", "--help-all"}


def values_of(command):
    return {**EVERYWHERE, **OWN.get(command, {})}


def words_of(situation):
    for name, value in situation.items():
        if name.startswith("-"):
            yield name
        if name != TERMINAL and value != FLAG:
            yield value


def outcome(folder, command, situation):
    """Return all that a command line leaves: exit code, stdout, stderr, files."""
    before = set(folder.iterdir())
    stream = {"stdout": Terminal} if TERMINAL in situation else {}
    answer = run_gelu(command, *words_of(situation), **stream)
    files = {}
    for path in set(folder.iterdir()) - before - {folder / "__pycache__"}:
        files[path.name] = path.read_bytes()
        path.unlink()
    return answer, files


def changed_lines(situation, option, values):
    """Yield situations in which an option is given, has another value, or is left out."""
    yield from ({**situation, option: v} for v in values if v != situation.get(option))
    if option in situation:
        yield {name: value for name, value in situation.items() if name != option}


class Walk:
    """Command lines in situations, each run once, and what is wrong."""

    def __init__(self, folder, command):
        self.folder, self.command = folder, command
        self.wrong = {}
        self.without = cache(self._without)

    def options(self):
        return sorted(options_of(self.command) - set(UNSEEN))

    def add(self, situation, option):
        """Add an option to a line; return whether it is used."""
        became = self._what_becomes_of(situation, option)
        if became == "used":
            return True
        if became != "refused" and not is_among(HELD_ANYWAY, self.command, option):
            self.wrong[" ".join([self.command, *words_of(situation)]), option] = became
        return False

    def _without(self, *situation):
        answer, files = outcome(self.folder, self.command, dict(situation))
        assert answer.code in (0, 1), (situation, answer.err)
        return answer, files

    def _what_becomes_of(self, situation, option):
        refused = False
        for line in changed_lines(situation, option, values_of(self.command)[option]):
            answer, files = outcome(self.folder, self.command, line)
            if answer.code == 2 and option in line:
                names = option, *NAMED.get(option, option).split("|")
                if not any(name in answer.err for name in names):
                    return f"{line[option]} is refused without a name: {answer.err}"
                refused = True
            elif (answer, files) != self.without(*situation.items()):
                return "used"
        # A value that changes nothing beside one that is refused asks for what holds anyway.
        return "refused" if refused else "changes nothing"


LONG = {
    "sweep of a function": {"--backward", "--kwarg", "--shapes"},
    "sweep of a backward pass": {"--backward", "--upstream"},
    "sweep of a GLU": {"--gate-limit", "--intermediate", "--up", "--up-limit", "--up-offset"},
    "compare with a function": {"--backward", "--kwarg"},
    "identify a figure": {"X=Y", "--quantity"},
    "identify a table": {"--column"},
    "identify a kernel": {"--backward", "--kwarg"},
}
"""Situations in which a line starts a process or identifies much; what is used there alone."""
SLOW = {
    "identify every result", "identify results beside inputs", "compare with a backward pass",
    "fit of an average", "fit of a polynomial",
}  # fmt: skip
"""Situations in which a line takes seconds; they are tried by the slow test."""


def every(parts):
    """Return all situations that the parts make."""
    return [{name: value for each in choice for name, value in each.items()}
            for choice in product(*parts)]  # fmt: skip


def some(parts):
    """Return situations in which every choice of each part is seen, and no more than it takes."""
    return [{name: value for part in parts for name, value in part[i % len(part)].items()}
            for i in range(max(map(len, parts)))]  # fmt: skip


def names_of(command):
    return [name for name in SITUATIONS if name.partition(" ")[0] == command]


def quick_names_of(command):
    return [name for name in names_of(command) if name not in {*LONG, *SLOW}]


def is_among(table, command, option):
    commands, _ = table.get(option, ((), ""))
    return command in commands


def in_turn(walk, name, option):
    """Return some situations, in another order for each option; one where it is used in none."""
    situations = some(SITUATIONS[name])
    start = walk.options().index(option) % len(situations)
    turned = [*situations[start:], *situations[:start]]
    return turned[:1] if is_among(NEVER_USED, walk.command, option) else turned


def test_every_option_of_the_program_has_values_to_try():
    assert {command for command in COMMANDS if names_of(command)} == set(COMMANDS)
    for command in COMMANDS:
        assert options_of(command) <= {*values_of(command), *UNSEEN}, command
        assert set(OWN.get(command, {})) <= options_of(command)
    assert {*EVERYWHERE, *UNSEEN} <= set.union(*map(options_of, COMMANDS))


@pytest.fixture(scope="module")
def walks(folder):
    return {command: Walk(folder, command) for command in COMMANDS}


@pytest.fixture
def walk(walks, command):
    """A command's walk, which knows what is printed without the option."""
    for name in quick_names_of(command):
        for situation in some(SITUATIONS[name]):
            walks[command].without(*situation.items())
    return walks[command]


@pytest.mark.parametrize(
    ("command", "option"),
    [(command, option) for command in COMMANDS
     for option in sorted(options_of(command) - set(UNSEEN))],
)  # fmt: skip
def test_an_option_is_used_or_refused(walk, command, option):
    """It is tried in some situations of each name until it is used."""
    used = [any(walk.add(situation, option) for situation in in_turn(walk, name, option))
            for name in quick_names_of(command)]  # fmt: skip
    assert not {line: became for line, became in walk.wrong.items() if line[1] == option}
    elsewhere = any(option in LONG.get(name, ()) for name in names_of(command))
    assert any(used) or elsewhere or is_among(NEVER_USED, command, option)


@pytest.mark.parametrize("name", LONG)
def test_an_option_is_used_or_refused_where_a_line_takes_its_time(folder, name):
    command = name.partition(" ")[0]
    walk = Walk(folder, command)
    options = [each for each in walk.options() if not is_among(NEVER_USED, command, each)]
    used = {each for each in options if walk.add(in_turn(walk, name, each)[0], each)}
    assert not walk.wrong
    assert used >= LONG[name]


@pytest.mark.slow
@pytest.mark.parametrize("name", {**SITUATIONS, **DRAWN})
def test_no_option_is_ignored_in_any_situation(folder, name):
    if name in DRAWN:
        pytest.importorskip("matplotlib")
    walk = Walk(folder, name.partition(" ")[0])
    for situation, option in product(every({**SITUATIONS, **DRAWN}[name]), walk.options()):
        walk.add(situation, option)
    assert not walk.wrong
