"""The compiled twin for chess: exact profiles and estimators at the speed of machine code.

Its moves are exactly those that python-chess generates, on every board that python-chess reads,
well-formed or not, but for boards with a promoted king (``K~``), which it refuses. Its functions are in
`workbench.environments.chess.kernel.kernel_functions`; nothing above this package knows numba, and
importing it does not import numba: the first call does.
"""
