"""Time the compiled kernel of an older revision and that of the working tree on the same near pairs.

Run from the repository: ``python -m benchmarks.older_kernel [REVISION]``. The older package is taken
out of git into a temporary folder; each version runs in a process and with machine code of its own,
and they take turns on every pair. `benchmarks.__main__` writes the table into README.md.
"""

import argparse
import json
import os
import subprocess
import sys
import tarfile
import tempfile
from collections.abc import Iterator
from contextlib import contextmanager
from io import BytesIO
from pathlib import Path
from typing import Final, TextIO

import numpy as np
from numpy.typing import NDArray

from benchmarks.pairs import KINDS, Pair, near_pairs, positions

ROOT: Final = Path(__file__).parents[1]
OLDER: Final = "9e62bfb67647e12480007854b9f766abf216b5dd"
"""The last revision whose kernel made and counted the boards of every joint node on the last ply."""

SIZES: Final = {4: (60, 5), 5: (24, 3), 6: (12, 1)}
"""For each depth the number of pairs, and how often each version takes its turn on a pair."""

SEED: Final = 2508


class KernelProcess:
    """A process that computes profiles with the package in one folder.

    Args:
        package: The folder that holds ``workbench``.
        cache: Where it keeps its machine code.
    """

    def __init__(self, package: Path, cache: Path) -> None:
        environment = {**os.environ, "PYTHONPATH": str(package), "NUMBA_CACHE_DIR": str(cache)}
        # -P: the folder of the script holds files that have the names of packages.
        self._process = subprocess.Popen(
            [sys.executable, "-P", str(Path(__file__).with_name("kernel_process.py"))],
            env=environment, cwd=package, text=True, stdin=subprocess.PIPE, stdout=subprocess.PIPE,
        )  # fmt: skip

    def profile(self, pair: Pair, depth: int) -> tuple[float, NDArray[np.float64]]:
        """Return the processor's seconds for a pair, and its p_1 .. p_m and r_1 .. r_m."""
        print(json.dumps([*pair, depth]), file=self._pipe(self._process.stdin), flush=True)
        line = self._pipe(self._process.stdout).readline()
        if not line:
            raise RuntimeError(
                f"expected p and r of {pair} at m = {depth}, the process ended with status "
                f"{self._process.wait()}; its message is above"
            )
        seconds, values = json.loads(line)
        return seconds, np.array(values)

    def close(self) -> None:
        """End the process."""
        self._pipe(self._process.stdin).close()
        self._process.wait()

    @staticmethod
    def _pipe(stream: TextIO | None) -> TextIO:
        assert stream is not None
        return stream


@contextmanager
def both_kernels(revision: str) -> Iterator[tuple[KernelProcess, KernelProcess]]:
    """Start the kernel of a revision and that of the working tree, both with all code compiled."""
    archive = subprocess.run(
        ["git", "archive", revision, "workbench"], cwd=ROOT, check=True, stdout=subprocess.PIPE
    )
    with tempfile.TemporaryDirectory() as name:
        folder = Path(name)
        with tarfile.open(fileobj=BytesIO(archive.stdout)) as files:
            files.extractall(folder / "older", filter="data")
        versions = [
            KernelProcess(package, folder / f"cache-{number}")
            for number, package in enumerate((folder / "older", ROOT))
        ]
        try:
            yield versions[0], versions[1]
        finally:
            for version in versions:
                version.close()


def is_known(revision: str) -> bool:
    """Return whether git has a revision, which a copy without its history has not."""
    found = subprocess.run(
        ["git", "cat-file", "-e", f"{revision}^{{commit}}"], cwd=ROOT, stderr=subprocess.DEVNULL
    )
    return found.returncode == 0


def older_and_newer_rows(
    pairs: list[Pair], revision: str, share: int = 1
) -> tuple[list[str], float]:
    """Time both kernels.

    Args:
        pairs: Near pairs; each depth takes its number from the first on.
        revision: Of the older kernel.
        share: What part of the pairs is left: one in so many.

    Returns:
        For each depth a row of the table, and the largest absolute difference of any p or r.
    """
    rows, largest = [], 0.0
    with both_kernels(revision) as versions:
        for version in versions:
            version.profile(pairs[0], 2)
        for depth, (count, repeats) in SIZES.items():
            chosen = pairs[: max(1, count // share)]
            took = np.empty((2, len(chosen)))
            for index, pair in enumerate(chosen):
                turns = [
                    [version.profile(pair, depth) for version in versions] for _ in range(repeats)
                ]
                took[:, index] = [min(turn[k][0] for turn in turns) for k in range(2)]
                largest = max(largest, np.abs(turns[0][0][1] - turns[0][1][1]).max())
            ratios = took[0] / took[1]
            low, middle, high = np.quantile(ratios, (0.25, 0.5, 0.75))
            medians = np.median(took, axis=1)
            rows.append(
                f"| {depth} | {len(chosen)} | {medians[0] * 1e3:,.2f} | {medians[1] * 1e3:,.2f} | "
                f"{medians[0] / medians[1]:.2f} | {middle:.2f} | {low:.2f} to {high:.2f} | "
                f"{took[0].sum() / took[1].sum():.2f} |"
            )
    return rows, largest


def older_and_newer(pairs: list[Pair], revision: str = OLDER, share: int = 1) -> str:
    """Return the section of the report that compares the kernel with that of a revision."""
    if not is_known(revision):
        return f"Not measured: this copy has no git history with {revision[:12]}, whose kernel is the older one."
    rows, largest = older_and_newer_rows(pairs, revision, share)
    return f"""| m | pairs | older, median ms | now, median ms | ratio of medians | median of ratios | middle half of the ratios | ratio of sums |
| --- | --- | --- | --- | --- | --- | --- | --- |
{chr(10).join(rows)}

The older kernel is that of revision {revision[:12]}, taken out of git for this run. Both take turns on each pair, on one
thread; the least of several processor times counts. The largest difference of any p or r is {largest:.1e}."""


def same_side(near: dict[str, list[Pair]]) -> list[Pair]:
    """Return near pairs of all kinds in turn, but for those with another side to move.

    Those share no move, and their walk ends at its root.
    """
    kinds = [pairs for kind, pairs in near.items() if kind != KINDS[-1]]
    return [pair for group in zip(*kinds, strict=False) for pair in group]


def main() -> None:
    """Print the comparison with a revision."""
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("revision", nargs="?", default=OLDER, metavar="REVISION")
    parser.add_argument("--share", type=int, default=1, help="one in so many of the pairs")
    options = parser.parse_args()
    fens, _ = positions(400, SEED)
    print(older_and_newer(same_side(near_pairs(fens, SEED)), options.revision, options.share))


if __name__ == "__main__":
    main()
