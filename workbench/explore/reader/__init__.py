"""A language model that runs in a page: its network in JavaScript, and the page where it reads a game."""
