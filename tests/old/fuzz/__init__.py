"""Command lines that nobody would write, and what must hold of each."""
