import pytest

from workbench.affordance import ESTIMATORS
from workbench.errors import InvalidArgumentError, InvalidFenError
from workbench.explore.estimator_lab import EstimatorLab
from workbench.explore.pair.board_pair import BoardPair

START = "rnbqkbnr/pppppppp/8/8/8/8/PPPPPPPP/RNBQKBNR w KQkq - 0 1"
WITHOUT_KNIGHT = "rnbqkbnr/pppppppp/8/8/8/8/PPPPPPPP/R1BQKBNR w KQkq - 0 1"


def lab(**more):
    return EstimatorLab(
        **{"true_fen": START, "predicted_fen": WITHOUT_KNIGHT, "depth": 2, "repeats": 5, **more}
    )


def answers(widget, **message):
    sent = []
    widget.send = lambda content, buffers=None: sent.append(content)
    widget.answer(widget, message)
    return sent


def page_settings(widget):
    names = (
        "true_fen", "predicted_fen", "terminal", "ill_formed", "depth", "samples", "repeats",
        "seed", "measure", "methods",
    )  # fmt: skip
    return {name: getattr(widget, name) for name in names}


def test_page_gets_every_run_that_python_has():
    widget = lab()
    values = {method: [] for method in ESTIMATORS}
    summary = {}
    for turn in range(100):
        done = {method: len(own) for method, own in values.items()}
        (answer,) = answers(
            widget, kind="more", serial=turn, run=7, settings=page_settings(widget), done=done
        )
        assert (answer["kind"], answer["serial"], answer["run"]) == ("more", turn, 7)
        if not answer["batches"]:
            break
        for method, batch in answer["batches"].items():
            values[method] += batch["values"]
            summary[method] = batch["summary"]
    runs = widget.runs()
    assert {m: runs.loc[runs["method"] == m, "value"].tolist() for m in ESTIMATORS} == values
    whole = widget.summary()
    assert whole["runs"].tolist() == [5] * len(ESTIMATORS)
    for row in whole.to_dict("records"):
        shown = summary[row["method"]]
        assert shown.pop("milliseconds") >= 0
        assert shown == row


def more(widget, done, **changed):
    settings = page_settings(widget) | changed
    (answer,) = answers(widget, kind="more", serial=1, run=1, settings=settings, done=done)
    return answer


def test_a_page_that_begins_anew_gets_the_summary_of_its_own_runs():
    widget = lab(methods=("branch",), repeats=2)
    first = more(widget, {})["batches"]["branch"]
    longer = more(widget, {"branch": 2}, repeats=3)["batches"]["branch"]
    assert (longer["first"], longer["summary"]["runs"]) == (2, 3)
    again = more(widget, {})["batches"]["branch"]
    assert again["summary"]["mean"] == first["summary"]["mean"]
    assert again["summary"]["runs"] == 2


def test_runs_of_other_settings_do_not_count():
    widget = lab(methods=("branch",), repeats=2)
    more(widget, {})
    answer = more(widget, {"branch": 1}, measure="recall")
    assert answer["kind"] == "failed"
    assert "from 0 to 0, got 1" in answer["message"]


def test_page_gets_the_line():
    widget = lab(depth=1, measure="recall")
    (answer,) = answers(widget, kind="reference", serial=1, settings=page_settings(widget))
    assert answer["value"] == pytest.approx(0.9) == widget.reference().value
    assert answer["exact"] is True


def test_failure_is_told_and_kept():
    widget = lab()
    given = {**page_settings(widget), "samples": 0}
    (answer,) = answers(widget, kind="more", serial=3, run=1, settings=given, done={})
    assert (answer["kind"], answer["asked"], answer["serial"]) == ("failed", "more", 3)
    assert "samples" in answer["message"]
    assert isinstance(widget.last_error, InvalidArgumentError)


def test_lab_follows_the_boards_that_a_pair_shows():
    pair = BoardPair(START, WITHOUT_KNIGHT)
    widget = EstimatorLab(pair, repeats=3)
    assert (widget.true_fen, widget.predicted_fen) == (START, WITHOUT_KNIGHT)
    pair.line = ["e2e4"]
    assert widget.true_fen == pair.boards()[0] != START
    assert " b " in widget.predicted_fen
    pair.line = []
    pair.terminal = "drop"
    pair.ill_formed = "sink"
    pair.predicted_fen = ""
    assert (widget.terminal, widget.ill_formed, widget.predicted_fen) == ("drop", "sink", "")
    assert not widget.reference().runnable


@pytest.mark.parametrize(
    "given",
    [{}, {"true_fen": START}, {"pair": True, "true_fen": START}],
)
def test_boards_must_come_from_one_place(given):
    pair = BoardPair(START, START) if given.pop("pair", False) else None
    with pytest.raises(InvalidArgumentError, match="expected a board pair"):
        EstimatorLab(pair, **given)


def test_a_bad_fen_is_refused_at_once():
    with pytest.raises(InvalidFenError):
        lab(predicted_fen="nothing/like it")


def test_choices_name_every_estimator():
    widget = lab()
    assert [choice["name"] for choice in widget.choices] == list(ESTIMATORS)
    unbiased = {choice["name"] for choice in widget.choices if choice["unbiased"]}
    assert "naive" not in unbiased
    assert "stratified" in unbiased


def test_still_picture_holds_every_run_and_the_line():
    figure = lab(depth=1, methods=("branch", "stratified")).figure()
    (axes,) = figure.axes
    line, *marks = axes.lines
    assert line.get_xdata()[0] == pytest.approx(18 / 19)
    dots = [mark for mark in marks if mark.get_marker() == "."]
    assert [len(each.get_xdata()) for each in dots] == [5, 5]
    # One move is compared exactly: each run of the stratified sampler is the value itself.
    assert dots[1].get_xdata() == pytest.approx([18 / 19] * 5)
    assert axes.get_yticklabels()[0].get_text() == "uniform branching"


def test_every_estimator_is_explained():
    explanations = {choice["name"]: choice["explanation"] for choice in lab().choices}
    assert len(set(explanations.values())) == len(ESTIMATORS)
    for name, words in explanations.items():
        assert words.endswith(".")
        # What is said of the mean is what the estimator says of itself.
        assert ("mean is the value" in words) == ESTIMATORS[name].unbiased
