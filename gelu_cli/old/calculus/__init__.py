"""A form on the line: stretches, roots, suprema, comparisons, averages, moments, landmarks."""
