"""A model as a folder for PyTorch: weights as safetensors, ``config.json``, and one file that loads them.

Writing needs no torch. The names of the weights are those of the modules of
`workbench.language_model.torch_model`, of which the folder holds a copy.
"""

import json
from collections.abc import Iterator, Mapping
from pathlib import Path
from typing import Any, Final

import numpy as np
from numpy.typing import NDArray

from workbench import __version__
from workbench.errors import OutputError
from workbench.language_model.language_model import LanguageModel
from workbench.language_model.network import FEED_FORWARD, Shape, Weights
from workbench.language_model.vocabulary import MOST_PLIES, PROMOTIONS, SLOTS, START, TOKENS
from workbench.tables.output_files import check_folder
from workbench.tables.parquet_tables import replacing

MODEL_TYPE: Final = "workbench"
CODE: Final = Path(__file__).with_name("torch_model.py")
CONFIG: Final = "config.json"
WEIGHTS: Final = "model.safetensors"

_ALIGNMENT: Final = 8
_NAMES: Final = {
    "encoded": "ln_final.w",
    "written": "decoder_ln_final.w",
    "output": "W_U",
    "move_from": "W_leave",
    "move_left": "left",
    "move_to": "W_enter",
    "move_entered": "entered",
    "move_promotion": "W_promotion",
}
"""In PyTorch, of weights that are outside layers and have another name there."""


def write_weight_folder(model: LanguageModel, out: Path) -> list[Path]:
    """Write a model for PyTorch; ``out`` is a new folder, or one of an earlier call.

    Args:
        model: Of any shape.
        out: The folder; files of an earlier call are replaced.

    Returns:
        The files: weights in half precision, as those of the bundled models are, ``config.json``, and
        ``torch_model.py``.

    Raises:
        OutputError: If ``out`` holds files of these names that are something else.

    Example:
        >>> from workbench.language_model.language_model import load_model
        >>> write_weight_folder(load_model("small"), Path("small"))  # doctest: +SKIP
    """
    paths = [out / name for name in (WEIGHTS, CONFIG, CODE.name)]
    _check_earlier(out, paths)
    config = json.dumps(torch_config(model), indent=2, ensure_ascii=False) + "\n"
    contents = [
        safetensors(torch_weights(model.weights, model.shape)),
        config.encode(),
        CODE.read_bytes(),
    ]
    for path, content in zip(paths, contents, strict=True):
        with replacing(path) as beside:
            beside.write_bytes(content)
    return paths


def _check_earlier(out: Path, paths: list[Path]) -> None:
    check_folder(out)
    existing = [path.name for path in paths if path.exists()]
    if not existing:
        return
    try:
        own = json.loads((out / CONFIG).read_text(encoding="utf-8"))["model_type"] == MODEL_TYPE
    except (OSError, ValueError, KeyError, TypeError):
        own = False
    if not own:
        raise OutputError(
            f"{out}: expected a new folder, or one of `workbench weights`, got one with "
            f"{', '.join(existing)} of another kind; give another name"
        )


def torch_config(model: LanguageModel) -> dict[str, Any]:
    """Return what ``config.json`` holds: shape, vocabulary, training and licence."""
    shape = model.shape
    training = {name: value for name, value in model.description.items() if name != "shape"}
    return {
        "model_type": MODEL_TYPE,
        "name": model.name,
        "workbench_version": __version__,
        "license": "GPL-3.0-or-later",
        "torch_dtype": "float16",
        "parameters": model.parameters,
        "shape": {
            "width": shape.width,
            "heads": shape.heads,
            "layers": shape.layers,
            "blocks": shape.blocks,
            "feed_forward": FEED_FORWARD * shape.width,
        },
        "vocabulary": {
            "tokens": list(TOKENS),
            "slots": SLOTS,
            "most_plies": MOST_PLIES,
            "start": list(START),
            "promotions": [kind.strip() for kind in PROMOTIONS],
        },
        "training": training,
    }


def torch_weights(weights: Weights, shape: Shape) -> dict[str, NDArray[np.float16]]:
    """Return weights by their names in PyTorch, in the shapes that they have there."""
    return {
        name: np.ascontiguousarray(value, np.float16)
        for own, values in weights.items()
        for name, value in _in_torch(own, np.asarray(values), shape.heads)
    }


def _in_torch(own: str, values: NDArray[Any], heads: int) -> Iterator[tuple[str, NDArray[Any]]]:
    if not own.startswith(("encoder.", "decoder.")):
        yield _NAMES.get(own, own), values
        return
    # "encoder.0.self.norm", or "encoder.0.norm" of the feed-forward layer.
    stack, layer, *use, kind = own.split(".")
    block = f"{'blocks' if stack == 'encoder' else 'decoder'}.{layer}"
    norm, part = {
        (): ("ln2", "mlp"),
        ("self",): ("ln1", "attn"),
        ("cross",): ("ln_cross", "cross_attn"),
    }[tuple(use)]
    if kind == "norm":
        yield f"{block}.{norm}.w", values
    elif kind in ("widen", "narrow"):
        yield f"{block}.{part}.{'W_in' if kind == 'widen' else 'W_out'}", values
    elif kind == "out":
        yield f"{block}.{part}.W_O", values.reshape(heads, -1, values.shape[1])
    else:
        names = ("W_Q",) if kind == "query" else ("W_K", "W_V")
        for name, matrix in zip(names, np.split(values, len(names), axis=1), strict=True):
            by_head = matrix.reshape(len(matrix), heads, -1).swapaxes(0, 1)
            yield f"{block}.{part}.{name}", by_head


def safetensors(arrays: Mapping[str, NDArray[np.float16]]) -> bytes:
    """Return arrays in the format safetensors: the length of a header, the header, the numbers.

    Source:
        The format's description at https://github.com/huggingface/safetensors.
    """
    header: dict[str, Any] = {"__metadata__": {"format": "pt"}}
    numbers = b""
    for name, values in sorted(arrays.items()):
        own = values.astype("<f2").tobytes()
        offsets = [len(numbers), len(numbers) + len(own)]
        header[name] = {"dtype": "F16", "shape": list(values.shape), "data_offsets": offsets}
        numbers += own
    text = json.dumps(header, separators=(",", ":")).encode()
    text += b" " * (-len(text) % _ALIGNMENT)
    return len(text).to_bytes(8, "little") + text + numbers
