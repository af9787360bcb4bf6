"""Parse what users type or pass: numbers, ranges, names, files."""
