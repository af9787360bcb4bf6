"""PyTorch's GELU in a process that flushes subnormal numbers to 0, for `gelu sweep --impl`."""

import torch

torch.set_flush_denormal(True)
gelu = torch.nn.functional.gelu
