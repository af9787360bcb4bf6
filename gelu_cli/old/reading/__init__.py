"""Words and bytes become values."""
