"""Activations of the user's torch modules: find, replace, measure them."""
