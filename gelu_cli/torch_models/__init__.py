"""Activations of the user's torch modules: finding, replacing, measuring them."""
