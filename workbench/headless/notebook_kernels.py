"""The Jupyter kernels of a run, tracked so that all of them can be ended at once.

A kernel has its own process group, which a Ctrl-C in the terminal does not reach; the code that
starts kernels has to end them. A kernel whose parent is killed ends itself within a second, and so
do the workers of its pools, see `workbench.worker_processes`.
"""

import os
import signal
from threading import Lock
from typing import Any

from jupyter_client.manager import AsyncKernelManager

from workbench.worker_processes import ONE_THREAD


class RunningKernels:
    """The kernels that were started here and still run."""

    def __init__(self) -> None:
        self._lock = Lock()
        self._managers: list[AsyncKernelManager] = []
        self._ended = False

    def manager_class(self) -> type[AsyncKernelManager]:
        """Return a class of kernel managers whose kernels count as started here."""
        kernels = self

        class CountedKernelManager(AsyncKernelManager):
            async def start_kernel(self, **options: Any) -> None:  # type: ignore[override]
                # Notebooks run side by side: more threads would wait for each other.
                options["env"] = {**(options.get("env") or os.environ), **ONE_THREAD}
                await super().start_kernel(**options)
                kernels._add(self)

        return CountedKernelManager

    def end(self) -> None:
        """Kill every kernel with its child processes, and each that is started from now on."""
        with self._lock:
            self._ended = True
            for manager in self._managers:
                _kill(manager)

    def _add(self, manager: AsyncKernelManager) -> None:
        with self._lock:
            self._managers.append(manager)
            if self._ended:
                _kill(manager)


def _kill(manager: AsyncKernelManager) -> None:
    provisioner: Any = manager.provisioner
    # Without a process it has ended and been waited for: its number may be another's by now.
    process = provisioner.process if provisioner is not None else None
    if process is None or process.poll() is not None:
        return
    if hasattr(os, "killpg"):
        os.killpg(provisioner.pgid, signal.SIGKILL)
    else:
        process.kill()
