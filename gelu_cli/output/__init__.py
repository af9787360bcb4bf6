"""Output for people and programs: tables, pictures, messages."""
