"""What another form, or a narrower format, changes in a feed-forward block W₂·f(W₁x + b₁) + b₂."""
