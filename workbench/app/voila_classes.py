"""What the app changes in Voila: a limit on kernels, and its handler of pages."""

from os import cpu_count
from typing import Any, Final
from weakref import WeakKeyDictionary

from jupyter_server.services.kernels.kernelmanager import AsyncMappingKernelManager
from tornado.ioloop import IOLoop
from tornado.web import authenticated
from traitlets import Float, Integer
from voila.app import Voila
from voila.tornado.handler import TornadoVoilaHandler

REFILL_DELAY: Final = 2.0
"""Seconds from a page's last byte to new ready kernels: until then the page still loads."""
RETRY_SECONDS: Final = 60
"""When a visitor who found the app full is asked to try again."""


class PageKernels(AsyncMappingKernelManager):
    """Kernels of pages; Voila's class with a pool of ready kernels is a subclass of this one.

    Attributes:
        requests: Those whose page has not been sent in full.
        requests_without_kernel: Those of them that have no kernel yet.
    """

    most_visitors = Integer(config=True, help="Pages that can be open at once.")
    abandoned_after = Float(config=True, help="Seconds that a kernel lives without its page.")

    def __init__(self, **options: Any) -> None:
        self.requests: set[PageHandler] = set()
        self.requests_without_kernel: set[PageHandler] = set()
        self._without_page_since: WeakKeyDictionary[Any, float] = WeakKeyDictionary()
        # Voila's subclass goes on from here, and starts the ready kernels.
        super().__init__(**options)  # type: ignore[no-untyped-call]

    def visitors(self) -> int:
        """Return how many pages are open or requested."""
        pools = getattr(self, "_pools", {}).values()
        tasks = [task for pool in pools for task in pool if task.done() and not task.cancelled()]
        ready = {task.result()["kernel_id"] for task in tasks if task.exception() is None}
        return len(self.requests_without_kernel) + len(set(self.list_kernel_ids()) - ready)

    def hold_refills(self) -> None:
        """Keep Voila from starting a kernel in place of each ready one that is taken."""
        self.kernel_pools_config = {"default": {"pool_size": 0}}

    def refill(self) -> None:
        """Start the ready kernels that are missing, unless half of the cores or more have requests."""
        if 2 * len(self.requests) >= (cpu_count() or 1):
            return
        pool: Any = self
        size = pool.parent.voila_configuration.default_pool_size
        self.kernel_pools_config = {"default": {"pool_size": size}}
        for page in list(pool.notebook_data):
            pool.fill_if_needed(delay=0, notebook_name=page)
        self.hold_refills()

    async def cull_kernel_if_idle(self, kernel_id: str) -> None:
        """End a kernel that has been without its page, or without use, for too long."""
        kernel: Any = self.get_kernel(kernel_id)
        now = IOLoop.current().time()
        # A kernel that works may still be at its page, which connects when it has been sent.
        if self._kernel_connections.get(kernel_id) or kernel.execution_state == "busy":
            self._without_page_since.pop(kernel, None)
        elif now - self._without_page_since.setdefault(kernel, now) >= self.abandoned_after:
            await self.shutdown_kernel(kernel_id)  # type: ignore[no-untyped-call]
            return
        await super().cull_kernel_if_idle(kernel_id)  # type: ignore[no-untyped-call]


class PageHandler(TornadoVoilaHandler):  # type: ignore[misc]
    """Sends a page with a kernel of its own, or one that says that the app is full."""

    @authenticated
    async def get(self, path: str | None = None) -> None:
        """Send a page."""
        kernels: PageKernels = self.kernel_manager
        if kernels.visitors() >= kernels.most_visitors:
            self.set_status(503)
            self.set_header("Retry-After", str(RETRY_SECONDS))
            self.finish(self.render_template("full.html", most_visitors=kernels.most_visitors))
            return
        kernels.requests.add(self)
        kernels.requests_without_kernel.add(self)
        try:
            async for html in self.get_generator(path=path):
                kernels.requests_without_kernel.discard(self)
                self.write(html)
                self.flush()
        finally:
            kernels.requests.discard(self)
            kernels.requests_without_kernel.discard(self)
            IOLoop.current().call_later(REFILL_DELAY, kernels.refill)


class App(Voila):  # type: ignore[misc]
    """Voila with this handler of pages."""

    def init_settings(self) -> dict[str, Any]:
        """Return the settings of the server, with its kernels."""
        settings: dict[str, Any] = super().init_settings()
        self.kernel_manager.hold_refills()
        return settings

    def init_handlers(self) -> list[Any]:
        """Return what answers each address."""
        return [
            tuple(PageHandler if part is TornadoVoilaHandler else part for part in handler)
            for handler in super().init_handlers()
        ]
