"""A form at a point and on an array, correctly rounded."""
