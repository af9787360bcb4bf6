"""What the program tells about itself: help, completion, the manual page, the reference."""
