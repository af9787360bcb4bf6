"""What `gelu error` answers: over a whole line, at points, and over all of many points."""
