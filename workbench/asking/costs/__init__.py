"""The cost of asking: prices, the estimate before, the forecast during a run, and the budget."""
