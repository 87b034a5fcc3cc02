"""The common parts of figures and widgets: colours, hatches, labels, boards and descriptions."""
