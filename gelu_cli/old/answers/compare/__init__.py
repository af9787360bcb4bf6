"""What comparisons have found: of two kernels, input by input, and of two records."""
