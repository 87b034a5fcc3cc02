"""docs/commands.md: the help of every command, as the commands print it."""

import subprocess
import sys
from pathlib import Path

import pytest
from click.testing import CliRunner

from workbench.cli import main
from workbench.cli.reference import WIDTH

PAGE = Path(__file__).resolve().parent.parent / "docs" / "commands.md"


@pytest.mark.parametrize("path", ["ask", "games cut", "replies", ""])
def test_a_section_is_what_the_command_prints(path):
    arguments = [*path.split(), "--help"]
    made = CliRunner().invoke(main, arguments, prog_name="workbench", terminal_width=WIDTH)
    section = f"\n## {' '.join(['workbench', *path.split()])}\n\n```text\n{made.output}```\n"
    assert section in PAGE.read_text(encoding="utf-8")


def test_the_page_is_current_whatever_the_terminal_and_the_optional_packages():
    """In a process of its own: click keeps the help option of a command that was run by itself."""
    code = (
        "import sys\n"
        "sys.modules.update(dict.fromkeys(('inspect_ai', 'openai', 'distributed')))\n"
        "from workbench.cli.reference import reference\n"
        "sys.stdout.write(reference())"
    )
    environment = {"COLUMNS": "40", "TERM": "dumb", "LANG": "C", "PYTHONUTF8": "1"}
    made = subprocess.run(
        [sys.executable, "-c", code],
        cwd=PAGE.parent.parent,
        env=environment,
        capture_output=True,
        check=True,
        encoding="utf-8",
    )
    assert made.stdout == PAGE.read_text(encoding="utf-8"), "run `make reference`"
