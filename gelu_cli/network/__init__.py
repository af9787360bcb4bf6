"""Changes of a network by other results of its activations.

`changes` are those of a block W₂·f(W₁x + b₁) + b₂, by integrals; `activations` are those of a torch
module, which runs with others in their place. This alone needs torch.
"""
