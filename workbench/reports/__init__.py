"""A run as one page, and its numbers in a form that others can read."""
