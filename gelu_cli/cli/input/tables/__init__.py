"""Tables in text: CSV and its like, Markdown, objects of JSON, pairs on the command line."""
