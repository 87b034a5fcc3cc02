"""Files of weights that are cut short, changed, or of something else."""

import numpy as np
import pytest

from workbench.errors import TableError
from workbench.language_model.language_model import read_weights, weights_path, write_weights


@pytest.mark.parametrize("length", [0, 10, 5000, -10])
def test_a_file_that_is_cut_short_is_named(tmp_path, length):
    path = tmp_path / "tiny.npz"
    path.write_bytes(weights_path("tiny").read_bytes()[:length])
    with pytest.raises(TableError, match=r"tiny\.npz: expected the weights of a language model"):
        read_weights(path)


def test_a_file_with_changed_bytes_is_named(tmp_path):
    content = bytearray(weights_path("tiny").read_bytes())
    content[2000:2100] = bytes(100)
    path = tmp_path / "tiny.npz"
    path.write_bytes(content)
    with pytest.raises(TableError, match="expected the weights"):
        read_weights(path)


def test_what_is_written_is_read_with_half_precision(tmp_path):
    weights, description = read_weights(weights_path("tiny"))
    path = tmp_path / "copy.npz"
    write_weights(path, weights, description)
    again, described = read_weights(path)
    assert described == description
    assert all(np.array_equal(weights[name], again[name]) for name in weights)


def test_other_arrays_are_no_weights(tmp_path):
    path = tmp_path / "other.npz"
    np.savez(path, squares=np.zeros(3))
    with pytest.raises(TableError, match="expected the weights"):
        read_weights(path)
