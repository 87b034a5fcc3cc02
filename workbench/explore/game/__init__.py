"""One game, and the predictions at each ply."""
