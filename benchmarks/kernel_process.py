"""Compute p and r of pairs that come in on standard input, with whichever ``workbench`` is found first.

`benchmarks.older_kernel` starts it as a script, once for each version of the package. A line in is
``[true FEN, predicted FEN, depth]``; a line out is ``[seconds, [p_1 .., r_1 ..]]``, the seconds
those of the processor, without packing the boards.
"""

import json
import sys
import time
from importlib import import_module
from importlib.util import find_spec

KERNEL = "workbench.environments.chess.kernel"
# Earlier versions have the functions in the package itself.
FUNCTIONS = f"{KERNEL}.kernel_functions"
kernel = import_module(FUNCTIONS if find_spec(FUNCTIONS) else KERNEL)


def main() -> None:
    """Answer each line until there are no more."""
    for line in sys.stdin:
        true, predicted, depth = json.loads(line)
        rows = kernel.pack_fens([true]), kernel.pack_fens([predicted])
        start = time.process_time()
        found = kernel.joint_profiles(*rows, depth, workers=1)
        took = time.process_time() - start
        print(json.dumps([took, [*found.precision[0], *found.recall[0]]]), flush=True)


if __name__ == "__main__":
    main()
