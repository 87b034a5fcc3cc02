"""What a build adds to the project's files: the commit, and a description without dead links."""

import os
import re
import subprocess
import sys
from pathlib import Path
from tempfile import TemporaryDirectory
from typing import Any

from hatchling.builders.hooks.plugin.interface import BuildHookInterface
from hatchling.metadata.plugin.interface import MetadataHookInterface

_TARGET = r"\((?!https?:|#)([^)]+)\)"
_IMAGE = re.compile(rf"(!\[[^\]]*\]){_TARGET}")
_LINK = re.compile(rf"(\[(?:[^\[\]]|!?\[[^\]]*\]\([^)]*\))*\]){_TARGET}")
_TAG = re.compile(r"<picture>.*?</picture>\n*|<img [^>]*>\n*", re.DOTALL)
# A picture, which may be a link, and its caption in italics.
_FIGURE = re.compile(rf"^\[?{_IMAGE.pattern}(?:\]\([^)]+\))?\n(?:\n\*[^*]+\*\n)?\n?", re.MULTILINE)


class CommitHook(BuildHookInterface):
    """Writes the commit of the checkout into archives, as ``workbench/commit.txt``.

    An archive made of an unpacked archive has that one's file; an editable installation asks git.
    """

    PLUGIN_NAME = "custom"

    def initialize(self, version: str, build_data: dict[str, Any]) -> None:
        """Add the file to the archive, if there is a commit to name."""
        if version == "editable" or not (Path(self.root) / ".git").exists():
            return
        code = "from workbench.tables.provenance import git_commit; print(git_commit())"
        environment = {**os.environ, "PYTHONPATH": self.root}
        command = [sys.executable, "-c", code]
        done = subprocess.run(command, env=environment, capture_output=True, text=True, check=True)
        commit = done.stdout.strip()
        if commit != "unknown":
            self._folder = TemporaryDirectory()
            path = Path(self._folder.name) / "commit.txt"
            path.write_text(f"{commit}\n", encoding="utf-8")
            build_data["force_include"][str(path)] = "workbench/commit.txt"

    def finalize(self, version: str, build_data: dict[str, Any], artifact_path: str) -> None:
        """Remove the file outside the archive."""
        if hasattr(self, "_folder"):
            self._folder.cleanup()


class DescriptionHook(MetadataHookInterface):
    """Makes the description of README.md.

    An index shows it without the files beside it. Relative links lead to the address ``Source`` of
    ``[project.urls]``; as long as there is none, their text stays and pictures are left out.
    """

    PLUGIN_NAME = "custom"

    def update(self, metadata: dict[str, Any]) -> None:
        """Set the readme."""
        text = (Path(self.root) / "README.md").read_text(encoding="utf-8")
        source = metadata.get("urls", {}).get("Source")
        metadata["readme"] = {"content-type": "text/markdown", "text": description(text, source)}


def description(text: str, source: str | None) -> str:
    """Return a README whose links work away from its repository.

    Args:
        text: In Markdown.
        source: The repository's address without a slash at its end, or None.
    """
    text = _TAG.sub("", text)
    if source is None:
        return _LINK.sub(lambda link: link[1][1:-1], _FIGURE.sub("", text))
    text = _IMAGE.sub(rf"\1({source}/raw/HEAD/\2)", text)
    return _LINK.sub(rf"\1({source}/blob/HEAD/\2)", text)
