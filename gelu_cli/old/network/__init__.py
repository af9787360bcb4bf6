"""Changes of a feed-forward block W₂·f(W₁x + b₁) + b₂ by form or format."""
