"""The estimators compared: bias, variance, and the samples they need."""
