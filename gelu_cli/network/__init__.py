"""Changes of a network if its activations give other results.

`changes` computes the change of a block W₂·f(W₁x + b₁) + b₂ by integrals. `activations`, for which
torch has to be installed, finds the activations of a torch module and replaces their results.
"""
