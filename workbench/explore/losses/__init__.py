"""Where lines die, and what they cost."""
