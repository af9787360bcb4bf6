"""The command line: one file a subcommand, named as the subcommand; the only place with typer."""
