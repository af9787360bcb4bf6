"""The command line, on typer: a command parses its options, calls one function, writes."""
