"""What `gelu plot` draws: forms, and what sweeps have found."""
