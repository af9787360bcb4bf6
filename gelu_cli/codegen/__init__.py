"""A form as a function in C or Python, in which nothing cancels."""
