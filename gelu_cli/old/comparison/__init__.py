"""Two kernels beside each other, and what other people's criteria say of results."""
