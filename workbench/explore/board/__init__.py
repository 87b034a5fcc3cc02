"""One board: drawn, edited, read from text."""
