"""Names that examples use; files and examples that pytest leaves out."""

from importlib.util import find_spec

import pytest

NEED_TORCH = ["gelu_cli/network/activations.py", "gelu_cli/api/model.py"]

collect_ignore = [] if find_spec("torch") else NEED_TORCH


def pytest_collection_modifyitems(items):
    """Run the examples of public functions where these are defined, not in the package."""
    package = "gelu_cli/__init__.py::"
    items[:] = [
        each
        for each in items
        if not each.nodeid.startswith(package) or each.nodeid == f"{package}gelu_cli"
    ]


@pytest.fixture(autouse=True, scope="session")
def _names(doctest_namespace):
    """Let examples of inner functions use forms and formats without an import."""
    from gelu_cli.formulas import find_form
    from gelu_cli.numbers import FORMATS, find_format

    doctest_namespace.update(
        find_form=find_form, find_format=find_format, FORMATS=FORMATS, FLOAT64=FORMATS["float64"]
    )
