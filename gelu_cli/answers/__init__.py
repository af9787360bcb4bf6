"""What is asked: one question a file, each a pure function from values to a `Report`."""
