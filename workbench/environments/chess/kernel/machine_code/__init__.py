"""What numba compiles, and how it is compiled, kept and loaded; all else of the kernel is Python."""
