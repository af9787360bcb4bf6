"""Input of users: numbers, ranges, names, files."""
