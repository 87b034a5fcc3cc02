"""Nothing from outside reaches the terminal as it is: replies, files, and messages of servers."""

import io
import json
import subprocess
import sys

import pandas as pd
import pytest
from click.testing import CliRunner
from tqdm import tqdm

from workbench.cli import main
from workbench.cli.group import EscapedOutput
from workbench.tables.parquet_tables import POSITIONS, write_table

EVIL = "\x1b[2J\x1b]0;owned\x07\r\x9b31m\u202e\x7f\ud800"
SHOWN = r"\x1b[2J\x1b]0;owned\x07\r\x9b31m\u202e\x7f\ud800"


def written(text, encoding="utf-8"):
    binary = io.BytesIO()
    stream = io.TextIOWrapper(binary, encoding=encoding, newline="")
    assert EscapedOutput(stream).write(text) == len(text)
    stream.flush()
    return binary.getvalue()


@pytest.mark.parametrize(
    ("text", "shown"),
    [
        (
            "two lines\n\tand a tab, \u00e9 \u2713 \u4e16\n",
            "two lines\n\tand a tab, \u00e9 \u2713 \u4e16\n",
        ),
        (f"Error: {EVIL}\n", f"Error: {SHOWN}\n"),
        ("moved\x1b[A\n", "moved\\x1b[A\n"),
        ("\x1b[A\n", "\\x1b[A\n"),
    ],
)
def test_control_characters_are_shown_as_escapes(text, shown):
    assert written(text).decode() == shown


def test_what_an_encoding_cannot_hold_is_escaped():
    assert written("\u00e9 \u4e16\n", "latin-1") == b"\xe9 \\u4e16\n"
    assert written("\u00e9\n", "ascii") == b"\\xe9\n"


def test_bars_move_the_cursor_and_their_words_do_not():
    binary = io.BytesIO()
    stream = EscapedOutput(io.TextIOWrapper(binary, encoding="utf-8", newline=""))
    with tqdm(total=2, file=stream, desc=EVIL, ncols=90, mininterval=0) as bar:
        with tqdm(total=2, file=stream, position=1, desc="inner", ncols=90, mininterval=0) as inner:
            inner.update()
        bar.update()
    said = binary.getvalue().decode()
    assert "\r" in said
    assert "\x1b[A" in said
    assert "\x1b[2J" not in said
    assert "\x07" not in said
    assert SHOWN in said


def raw(text):
    """The characters of an output that a terminal would obey, but the return before a bar."""
    return sorted(set(text) & set("\x1b\x07\x9b\u202e\x7f"))


def rows_of(path, **changes):
    row = {"position_id": "a", "model": f"m{EVIL[:-1]}", "reply": f"{EVIL[:-1]}", "true_state": EVIL[:-1],
           **changes}  # fmt: skip
    path.write_text(json.dumps(row) + "\n")
    return str(path)


def test_commands_print_no_control_characters(tmp_path):
    table = tmp_path / "positions.parquet"
    columns = {name: [None] for name in POSITIONS.names}
    columns |= {"position_id": [EVIL[:-1]], "environment": [f"chess{EVIL[:-1]}"], "true_state": ["x"],
                "group": [5], "ply": [1]}  # fmt: skip
    write_table(pd.DataFrame(columns), table, POSITIONS)
    logs = rows_of(tmp_path / "replies.jsonl")
    out = str(tmp_path / "out.parquet")
    for arguments in (
        ["check", str(table)],
        ["score", str(table), "-o", out],
        ["ask", str(table), "-o", str(tmp_path / "run"), "--model", "workbench/simulated"],
        ["replies", "import", logs, "-o", out],
        ["replies", "import", str(tmp_path / f"x{EVIL[:-1]}"), "-o", out],
        ["compare", EVIL[:-1], EVIL[:-1]],
        ["games", "cut", str(tmp_path / f"x{EVIL[:-1]}"), "-o", out],
        ["ask", "x", f"--unknown{EVIL[:-1]}"],
        ["report", f"x{EVIL[:-1]}"],
        [f"x{EVIL[:-1]}"],
    ):
        done = CliRunner().invoke(main, arguments)
        assert done.exit_code != 0, arguments
        assert raw(done.output) == [], arguments
        assert r"\x1b" in done.output or r"\u001b" in done.output, (arguments, done.output)


@pytest.mark.slow
def test_the_traceback_of_an_unexpected_error_is_escaped():
    code = f"""
import workbench.checking
def check_table(*_, **__):
    raise RuntimeError({EVIL!r})
workbench.checking.check_table = check_table
from workbench.cli import main
main(["check", "x"])
"""
    ended = subprocess.run([sys.executable, "-c", code], capture_output=True)
    assert ended.returncode == 1
    assert f"RuntimeError: {SHOWN}".encode() in ended.stderr
