"""Intervals of means and of tau over clusters, and tests of pairs: what studies and reports share."""
