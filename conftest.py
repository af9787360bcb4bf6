"""What pytest leaves out: what needs torch, if it is not here, and examples that it finds twice."""

from importlib.util import find_spec

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
