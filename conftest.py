"""What pytest does not collect: modules and examples that need torch, if it is not here."""

from importlib.util import find_spec

NEED_TORCH = ["gelu_cli/torch_models", "gelu_cli/api/model.py"]

collect_ignore = [] if find_spec("torch") else NEED_TORCH
