"""Boards of chess that no game has: reached at random, or with a mistake."""
