"""Where an answer goes: terminal, pipe, file."""
