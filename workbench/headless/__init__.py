"""Notebooks run without a browser: one, several, or all that make the figures."""
