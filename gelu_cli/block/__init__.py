"""What a swap of its activation does to a feed-forward block W₂·f(W₁x + b₁) + b₂."""
