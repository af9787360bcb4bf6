"""Answers as a person or a program reads them: tables, files, pictures, messages."""
