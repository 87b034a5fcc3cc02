"""The commands that ask models."""
