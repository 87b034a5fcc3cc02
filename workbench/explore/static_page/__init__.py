"""A pair of boards as one HTML file that needs no Python and no network."""
