"""Changes of a network by other results of its activations.

`changes` computes the change of a block W₂·f(W₁x + b₁) + b₂ by integrals. `activations` finds the
activations of a torch module and runs the module with others in their place; only it needs torch.
"""
