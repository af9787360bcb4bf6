"""What `gelu fit` answers: best constants, published ones, and the code of a form."""
