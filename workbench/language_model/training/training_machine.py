"""What weights were made on: rounding, and so the weights of a seed, depends on it."""

from importlib import metadata
from typing import Any, Final

import jax
from llvmlite import binding  # type: ignore[import-untyped]

_PACKAGES: Final = ("jax", "jaxlib", "numpy", "optax")
_VECTORS: Final = ("amx", "avx", "fma", "neon", "sve")


def training_machine() -> dict[str, Any]:
    """Return the device, the processor's kind and vector instructions, and versions, as JSON."""
    features = binding.get_host_cpu_features()
    return {
        "device": jax.devices()[0].device_kind,
        "processor": binding.get_host_cpu_name(),
        "instructions": sorted(
            name for name, there in features.items() if there and name.startswith(_VECTORS)
        ),
        "versions": {name: metadata.version(name) for name in _PACKAGES},
    }
