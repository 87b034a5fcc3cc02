"""One game, and what was believed of it at each ply."""
