"""A form on the line: stretches, roots, suprema, averages, landmarks."""
