"""Changes of a network if its activations give other results.

`changes` computes the change of a block W₂·f(W₁x + b₁) + b₂ by integrals. `activations` finds the
activations of a torch module and runs the module with other results of them; it alone needs torch.
"""
