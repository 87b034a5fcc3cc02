"""What figures and widgets share: colours, hatches, labels, boards and descriptions."""
