"""What a lesson says below the error of a bare letter; Python's own error stays."""

import pytest
from IPython.core.interactiveshell import InteractiveShell

from workbench.explore.lesson.lesson_record import explain_unknown_names


@pytest.fixture
def shell():
    made = InteractiveShell()
    made.colors = "nocolor"
    explain_unknown_names(made)
    return made


@pytest.mark.parametrize(
    ("cell", "said"),
    [
        ("answer = b", 'Letters are written in quotes: "b".'),
        ("answer = aC", 'Letters are written in quotes: "aC".'),
        ("moves = e4", "An answer is a number, such as 3 / 4"),
        ("1 + lessson", "If lessson is not meant as an answer, run all cells"),
    ],
)
def test_pythons_error_stays_and_says_what_to_write(shell, capsys, cell, said):
    result = shell.run_cell(cell)
    shown = capsys.readouterr().out
    assert isinstance(result.error_in_exec, NameError)
    assert "NameError" in shown
    assert "is not defined" in shown
    assert said in shown.rstrip().splitlines()[-1]


def test_other_errors_and_those_in_modules_are_as_ever(shell, capsys):
    shell.run_cell("1 / 0")
    assert "ZeroDivisionError: division by zero" in capsys.readouterr().out
    shell.run_cell("far = {}\nexec('def f(): return b', far)\nfar['f']()")
    shown = capsys.readouterr().out
    assert "NameError: name 'b' is not defined" in shown
    assert "quotes" not in shown
