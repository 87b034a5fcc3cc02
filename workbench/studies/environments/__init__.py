"""The same measure in several environments."""
