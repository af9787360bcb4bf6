"""Arrays of numbers of over 100 bits, each with a bound on its error."""
