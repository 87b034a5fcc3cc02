"""A true and a predicted state of any environment side by side."""
