"""Programs of forms: they are compiled, run, and judged against the form itself."""

import re
import shutil
import subprocess
from fractions import Fraction
from types import SimpleNamespace

import numpy as np
import pytest

from gelu_cli.arithmetic.formats import FORMATS
from gelu_cli.code import COMPUTED_IN, LANGUAGES, code_of
from gelu_cli.code.constants import Constant, below, rest
from gelu_cli.errors import UsageError
from gelu_cli.forms import all_forms, find_form
from gelu_cli.kernels.backends import find_backend
from gelu_cli.kernels.functions import Calling
from gelu_cli.kernels.functions.arrays import FunctionImplementation
from gelu_cli.kernels.functions.symbols import SymbolImplementation
from gelu_cli.kernels.inputs import Inputs
from gelu_cli.kernels.sweep import sweep
from gelu_cli.kernels.truth import Question
