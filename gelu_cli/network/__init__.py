"""Changes of a network by other results of its activations.

`changes` are those of a block W₂·f(W₁x + b₁) + b₂, by integrals. `probe` finds the activations of a
torch module, `effects` replaces them; these two need torch.
"""
