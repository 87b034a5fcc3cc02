"""The names under which Inspect finds what the workbench offers: ``workbench/NAME``."""

from collections.abc import Callable
from typing import Final, TypeVar

from inspect_ai.util import registry_info

PACKAGE: Final = "workbench"

Made = TypeVar("Made")


def registered(register: Callable[[str], Made], name: str) -> Made:
    """Register something under the package's name, however the package is installed.

    Inspect puts the package before the name of what is installed in site-packages. Where the
    distribution is installed editable, it does so only if distribution and package share one name.

    Args:
        register: Registers it under a name, and returns it.
        name: Without the package.
    """
    made = register(name)
    full = f"{PACKAGE}/{name}"
    return made if registry_info(made).name == full else register(full)
