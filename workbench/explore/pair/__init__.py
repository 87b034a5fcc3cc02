"""A true and a predicted board side by side."""
