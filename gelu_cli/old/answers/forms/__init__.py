"""Which forms are there, what is known of one of them, and which models compute it?"""
