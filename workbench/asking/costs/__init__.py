"""What asking costs: prices, the estimate before, the forecast on the way, and the budget."""
