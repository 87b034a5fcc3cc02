"""Where lines die, and the cost of each."""
