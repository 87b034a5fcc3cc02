"""The scatter of edit distance against p_m: density, marks and their looks."""
