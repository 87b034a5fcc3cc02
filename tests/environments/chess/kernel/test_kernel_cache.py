import os
import re
import subprocess
import sys

import pytest

LAZY = """
import sys
import workbench, workbench.environments.chess.kernel
assert "numba" not in sys.modules, "numba was imported"
"""

CALL = """
import numba
from workbench.environments.chess.kernel import kernel_functions as kernel
from workbench.environments.chess import ChessState
settings = numba.config.CACHE_DIR
state = ChessState.from_fen("8/8/8/8/8/8/4P3/8 w - - 0 1")
assert [move.uci() for move in kernel.legal_moves(state)] == ["e2e3", "e2e4"]
assert numba.config.CACHE_DIR == settings, "the setting was not put back"
"""


def run(code, **environment):
    return subprocess.run(
        [sys.executable, "-c", code],
        env={
            **{name: value for name, value in os.environ.items() if name != "NUMBA_CACHE_DIR"},
            **environment,
        },
        capture_output=True,
        text=True,
        check=True,
    )


def test_importing_the_kernel_does_not_import_numba():
    assert run(LAZY).stderr == ""


@pytest.mark.slow
def test_where_no_folder_of_the_user_can_be_written_the_temporary_one_keeps_the_code(tmp_path):
    # Slow, because it compiles the kernel: the one test that starts without its compiled code.
    # A file where a folder is wanted: nothing can be written there, whoever asks.
    blocked = tmp_path / "blocked"
    blocked.touch()
    temporary = tmp_path / "temporary"
    temporary.mkdir()
    places = {"XDG_CACHE_HOME": str(blocked), "HOME": str(blocked), "TMPDIR": str(temporary)}
    first = run(CALL, **places).stderr
    assert "Compiling the chess kernel, once: plain_walks." in first
    assert re.search(r"The chess kernel is compiled, in \d+ s; kept in .*\n$", first)
    assert str(temporary) in first
    assert run(CALL, **places).stderr == ""
