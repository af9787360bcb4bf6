"""What constants are the best ones, and how good are those in print?"""
