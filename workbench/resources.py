"""Files bundled with the workbench: inside the package in a wheel, beside it in a checkout.

The wheel holds them under the same relative names, so that links between them work in both.
"""

from pathlib import Path
from typing import Final

PACKAGE: Final = Path(__file__).resolve().parent


def resources_folder(package: Path = PACKAGE) -> Path:
    """Return the folder that holds ``data``, ``notebooks`` and ``figures``.

    Args:
        package: The folder of the package ``workbench``.
    """
    bundled = package / "bundled"
    return bundled if bundled.is_dir() else package.parent


RESOURCES: Final = resources_folder()
