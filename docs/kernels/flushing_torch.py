"""PyTorch's GELU in a process that flushes subnormal numbers to 0.

gelu sweep flushing_torch.py:gelu --dtype bfloat16 --ftz
"""

import torch

torch.set_flush_denormal(True)
gelu = torch.nn.functional.gelu
