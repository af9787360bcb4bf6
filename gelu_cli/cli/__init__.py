"""The command line, on typer: commands parse, call one function, write."""
