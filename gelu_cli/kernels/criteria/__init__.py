"""What other people's checks say of results: the checks, and the figures that they need."""
