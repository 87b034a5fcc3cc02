"""Training of the bundled language models; needs the extra ``train``."""

import importlib.util

from workbench.errors import MissingExtraError
from workbench.installation import install_hint


def require_extra() -> None:
    """Raise an error if jax or optax is not installed."""
    missing = [name for name in ("jax", "optax") if importlib.util.find_spec(name) is None]
    if missing:
        raise MissingExtraError(
            f"training needs the optional extra 'train' (missing: {', '.join(missing)}): "
            f"{install_hint('train')}"
        )
