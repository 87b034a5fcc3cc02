"""Studies of the bundled language models: how tracking emerges, and what their hidden states hold."""
