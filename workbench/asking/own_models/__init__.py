"""Models of the workbench's own behind Inspect: the simulated tracker and the bundled language models."""
