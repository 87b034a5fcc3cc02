"""Images in the text of a page, embedded in it."""

from typing import Any

from nbconvert.filters.markdown_mistune import IPythonRenderer
from voila.exporter import VoilaMarkdownRenderer


class EmbeddedImages(VoilaMarkdownRenderer):  # type: ignore[misc]
    """Embeds the images in the served folder that a page's text names.

    Voila asks its contents manager for each image. For a path above the served folder, such as
    ``../figures/one.png``, the manager raises; what renders the page ends there, and the browser
    waits forever. Here such an image keeps its address, and the page is shown.

    Args:
        contents_manager: Voila's; its folder is that of the notebooks.
        options: Of nbconvert's renderer.
    """

    def __init__(self, contents_manager: Any, **options: Any) -> None:
        folder = contents_manager.root_dir
        super().__init__(contents_manager, embed_images=True, path=folder, **options)

    def image(self, text: str, url: str, title: str | None = None) -> str:
        """Return an image as HTML."""
        return IPythonRenderer.image(self, text, url, title)
