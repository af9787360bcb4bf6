"""Answers as people and programs read them: tables, pictures, messages."""
