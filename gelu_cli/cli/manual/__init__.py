"""What the program tells about itself: help, completion scripts, the manual page, the reference."""

SHELLS = ("bash", "fish", "zsh")
"""The shells that have a completion script."""
