"""The functions of ``import workbench``: each takes texts or frames, and gives what the next one takes."""
