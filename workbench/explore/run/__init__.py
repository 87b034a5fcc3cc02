"""The scores of a run as a table and a scatter."""
