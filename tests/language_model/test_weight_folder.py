"""A folder of weights for PyTorch, without PyTorch: the format of the file, the configuration, what is overwritten."""

import importlib
import json
import shutil
import sys

import numpy as np
import pytest
from click.testing import CliRunner

from workbench.cli import main
from workbench.errors import OutputError
from workbench.language_model.language_model import (
    load_model,
    weights_path,
    write_weights,
)
from workbench.language_model.network import Shape, first_weights
from workbench.language_model.vocabulary import TOKENS
from workbench.language_model.weight_folder import (
    CODE,
    CONFIG,
    WEIGHTS,
    safetensors,
    write_weight_folder,
)

FILES = ["config.json", "model.safetensors", "torch_model.py"]


@pytest.fixture(scope="module")
def folder(tmp_path_factory):
    folder = tmp_path_factory.mktemp("weights") / "tiny"
    write_weight_folder(load_model("tiny"), folder)
    return folder


def arrays_of(content):
    """The arrays of a safetensors file, by the description of the format."""
    length = int.from_bytes(content[:8], "little")
    header = json.loads(content[8 : 8 + length])
    metadata, end, arrays = header.pop("__metadata__"), 0, {}
    for name, entry in header.items():
        first, last = entry["data_offsets"]
        # No holes between the arrays.
        assert first == end
        assert entry["dtype"] == "F16"
        numbers = np.frombuffer(content[8 + length :][first:last], "<f2")
        arrays[name], end = numbers.reshape(entry["shape"]), last
    assert 8 + length + end == len(content)
    assert length % 8 == 0
    return arrays, metadata


def test_arrays_of_any_shape_are_read_as_they_were():
    arrays = {"b.c": np.arange(6, dtype=np.float16).reshape(2, 3), "a": np.float16([0.1])}
    result, metadata = arrays_of(safetensors(arrays))
    assert metadata == {"format": "pt"}
    assert list(result) == ["a", "b.c"]
    for name, values in arrays.items():
        assert np.array_equal(result[name], values)


def test_the_file_holds_every_number_of_the_model_once(folder):
    model = load_model("tiny")
    arrays, _ = arrays_of((folder / "model.safetensors").read_bytes())
    assert sum(values.size for values in arrays.values()) == model.parameters
    ours = np.sort(np.concatenate([values.ravel() for values in model.weights.values()]))
    theirs = np.sort(np.concatenate([values.ravel() for values in arrays.values()]))
    assert np.array_equal(ours, theirs)


def test_keys_and_values_are_apart_and_by_head(folder):
    weights = load_model("tiny").weights
    arrays, _ = arrays_of((folder / "model.safetensors").read_bytes())
    both = weights["encoder.1.self.key_value"]
    assert np.array_equal(np.concatenate(arrays["blocks.1.attn.W_K"], axis=1), both[:, :32])
    assert np.array_equal(np.concatenate(arrays["blocks.1.attn.W_V"], axis=1), both[:, 32:])
    out = weights["decoder.0.cross.out"]
    assert np.array_equal(np.concatenate(arrays["decoder.0.cross_attn.W_O"]), out)


def test_the_configuration_states_shape_words_training_and_licence(folder):
    config = json.loads((folder / "config.json").read_text(encoding="utf-8"))
    model = load_model("tiny")
    assert config["shape"] == {
        "width": 32, "heads": 4, "layers": 2, "blocks": 1, "feed_forward": 128,
    }  # fmt: skip
    assert config["parameters"] == model.parameters
    assert config["vocabulary"]["tokens"] == list(TOKENS)
    assert config["training"]["steps"] == model.description["steps"]
    assert config["license"] == "GPL-3.0-or-later"
    assert (folder / "torch_model.py").read_bytes() == CODE.read_bytes()


def test_a_model_of_any_name_and_shape_is_written(tmp_path):
    shape = {"width": 48, "heads": 6, "layers": 5, "blocks": 3}
    path = tmp_path / "player.npz"
    write_weights(path, first_weights(Shape(**shape), 0), {"shape": shape, "note": "by hand"})
    out = tmp_path / "out"
    done = CliRunner().invoke(main, ["weights", str(path), "-o", str(out)])
    assert done.exit_code == 0, done.output
    assert sorted(each.name for each in out.iterdir()) == FILES
    config = json.loads((out / "config.json").read_text(encoding="utf-8"))
    assert config["name"] == "player"
    assert config["shape"] == {**shape, "feed_forward": 192}
    assert config["training"] == {"note": "by hand"}
    arrays, _ = arrays_of((out / "model.safetensors").read_bytes())
    assert arrays["blocks.4.attn.W_Q"].shape == (6, 48, 8)
    assert arrays["decoder.2.mlp.W_in"].shape == (48, 192)


def test_a_folder_of_an_earlier_call_is_written_anew_and_another_is_refused(tmp_path):
    tiny, out = load_model("tiny"), tmp_path / "out"
    write_weight_folder(tiny, out)
    first = (out / "model.safetensors").read_bytes()
    (out / "model.safetensors").write_bytes(b"cut")
    write_weight_folder(tiny, out)
    assert (out / "model.safetensors").read_bytes() == first
    (out / "config.json").write_text('{"model_type": "gpt2"}')
    with pytest.raises(OutputError, match="expected a new folder"):
        write_weight_folder(tiny, out)
    (out / "config.json").unlink()
    with pytest.raises(OutputError, match=r"got one with model\.safetensors, torch_model\.py"):
        write_weight_folder(tiny, out)
    shutil.rmtree(out)
    out.touch()
    with pytest.raises(OutputError, match="expected a folder"):
        write_weight_folder(tiny, out)


def test_the_site_can_describe_the_code_without_torch(monkeypatch):
    """Where torch is not installed, this is all that runs of the file."""
    mock = pytest.importorskip("sphinx.ext.autodoc.mock").mock
    name = "workbench.language_model.torch_model"
    monkeypatch.delitem(sys.modules, name, raising=False)
    with mock(["torch"]):
        module = importlib.import_module(name)
    monkeypatch.delitem(sys.modules, name)
    assert (module.CONFIG, module.WEIGHTS) == (CONFIG, WEIGHTS)
    assert "hook_points" in dir(module.BoardModel)


def test_the_command_names_models_and_broken_files(tmp_path):
    run = CliRunner().invoke
    unknown = run(main, ["weights", "large", "-o", str(tmp_path / "a")])
    assert unknown.exit_code == 1
    assert "expected one of tiny, small, medium" in unknown.output
    cut = tmp_path / "cut.npz"
    cut.write_bytes(weights_path("tiny").read_bytes()[:5000])
    broken = run(main, ["weights", str(cut), "-o", str(tmp_path / "a")])
    assert broken.exit_code == 1
    assert "expected the weights of a language model" in broken.output
    assert not (tmp_path / "a").exists()
