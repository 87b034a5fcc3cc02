"""The kernels of pages: the limit, the end of abandoned ones, and when ready ones are replaced."""

import asyncio
from types import SimpleNamespace

import pytest

pytest.importorskip("voila")

from traitlets.config import Config
from voila.configuration import VoilaConfiguration
from voila.voila_kernel_manager import voila_kernel_manager_factory

from workbench.app import voila_classes
from workbench.app.app_server import AppSettings, ServedRun, configuration
from workbench.app.voila_classes import App, PageKernels

PAGE = "page.ipynb"


class ReadyPages(voila_kernel_manager_factory(PageKernels, True, 2)):
    """Voila's pool of two ready kernels, with numbers in place of kernels."""

    numbers = iter(range(1000))
    running: set[str]

    async def _initialize(self, notebook_path, kernel_id=None, **options):
        number = str(next(self.numbers))
        self.running.add(number)
        self.notebook_data.setdefault(notebook_path, {"kernel_ids": set()})
        rendered = SimpleNamespace(rendered_cache=[])
        task = asyncio.get_running_loop().create_future()
        return {"kernel_id": number, "renderer": rendered, "task": task}

    def list_kernel_ids(self):
        return list(self.running)


def settings(tmp_path, **given):
    given = AppSettings(port=0, ready=2, **given)
    return configuration(given, 1, tmp_path, ServedRun(tmp_path, None, ""))


async def ready_pages(tmp_path):
    (tmp_path / PAGE).touch()
    ReadyPages.running = set()
    app = App(config=settings(tmp_path))
    app.voila_configuration = VoilaConfiguration(parent=app)
    pages = ReadyPages(parent=app)
    pages.hold_refills()
    await asyncio.sleep(0.05)
    assert pages.get_pool_size(PAGE) == len(pages.running) == 2
    return pages


@pytest.fixture(autouse=True)
def two_cores(monkeypatch):
    monkeypatch.setattr(voila_classes, "cpu_count", lambda: 2)


def test_ready_kernels_are_no_visitors_until_one_is_taken(tmp_path):
    async def visits():
        pages = await ready_pages(tmp_path)
        assert pages.visitors() == 0
        pages.requests_without_kernel.add("a request")
        assert pages.visitors() == 1
        await pages.get_rendered_notebook(PAGE)
        pages.requests_without_kernel.clear()
        assert pages.visitors() == 1

    asyncio.run(visits())


def test_a_ready_kernel_is_replaced_once_nobody_waits_for_a_core(tmp_path, monkeypatch):
    async def visits():
        pages = await ready_pages(tmp_path)
        await pages.get_rendered_notebook(PAGE)
        await asyncio.sleep(0.05)
        # Voila itself has a second one under way.
        assert pages.get_pool_size(PAGE) == 1
        pages.requests.add("a request")
        pages.refill()
        assert pages.get_pool_size(PAGE) == 1
        monkeypatch.setattr(voila_classes, "cpu_count", lambda: 4)
        pages.refill()
        assert pages.get_pool_size(PAGE) == 2
        monkeypatch.setattr(voila_classes, "cpu_count", lambda: 2)
        await pages.get_rendered_notebook(PAGE)
        pages.requests.clear()
        pages.refill()
        assert pages.get_pool_size(PAGE) == 2
        await asyncio.sleep(0.05)

    asyncio.run(visits())


@pytest.mark.slow
@pytest.mark.parametrize("idle_minutes", [0, 60])
def test_a_kernel_without_its_page_ends_and_one_with_it_stays(tmp_path, idle_minutes):
    config = settings(tmp_path, idle_minutes=idle_minutes)
    assert config.PageKernels.abandoned_after + 2 * config.PageKernels.cull_interval <= 120
    config.merge(Config({"PageKernels": {"abandoned_after": 0.2, "cull_interval": 1}}))

    async def vanish():
        kernels = PageKernels(config=config, root_dir=str(tmp_path))
        ids = [await kernels.start_kernel() for _ in range(2)]
        try:
            for kernel in ids:
                kernels.notify_connect(kernel)
            kernels.notify_disconnect(ids[0])
            deadline = asyncio.get_running_loop().time() + 60
            while len(kernels.list_kernel_ids()) == 2:
                assert asyncio.get_running_loop().time() < deadline
                await asyncio.sleep(0.1)
            assert kernels.list_kernel_ids() == [ids[1]]
        finally:
            await kernels.shutdown_all(now=True)

    asyncio.run(vanish())


def test_a_page_that_works_or_comes_back_in_time_keeps_its_kernel(tmp_path):
    async def visits():
        kernels = PageKernels(config=settings(tmp_path), abandoned_after=0.1)
        kernels._kernels["one"] = kernel = SimpleKernel()
        kernels._kernel_connections["one"] = 0
        ended = []
        kernels.shutdown_kernel = lambda kernel_id: asyncio.sleep(0, ended.append(kernel_id))
        for busy, connections in ((True, 0), (False, 0), (False, 1), (False, 0)):
            kernel.execution_state = "busy" if busy else "idle"
            kernels._kernel_connections["one"] = connections
            await asyncio.sleep(0.15)
            await kernels.cull_kernel_if_idle("one")
        assert ended == []
        await asyncio.sleep(0.15)
        await kernels.cull_kernel_if_idle("one")
        assert ended == ["one"]

    asyncio.run(visits())


class SimpleKernel:
    """A kernel that does nothing."""

    execution_state = "idle"
    kernel_spec = SimpleNamespace(metadata={})
