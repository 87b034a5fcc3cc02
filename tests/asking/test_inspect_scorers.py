"""The scorers of the Inspect task: values by hand, failed calls, and means clustered by game."""

import asyncio
import math

import pytest
from local_run import needs_inspect

pytestmark = needs_inspect

START = "rnbqkbnr/pppppppp/8/8/8/8/PPPPPPPP/RNBQKBNR w KQkq - 0 1"
NO_KING = "rnbqkbnr/pppppppp/8/8/8/8/PPPPPPPP/RNBQ1BNR w KQkq - 0 1"


def scored(reply, true, scorer="precision_and_recall", turns=1, **asked):
    """Return the score of a conversation with so many questions; without a reply None is its end."""
    from inspect_ai.model import (
        ChatMessageAssistant,
        ChatMessageUser,
        ModelName,
        ModelOutput,
    )
    from inspect_ai.scorer import Target
    from inspect_ai.solver import TaskState

    from workbench.asking import inspect_task

    messages = [ChatMessageUser(content="Moves:")]
    output, said = ModelOutput(), true if reply is None else reply
    for turn in range(turns):
        if turn:
            messages.append(ChatMessageUser(content="Sure?"))
        if reply is not None or turn < turns - 1:
            messages.append(ChatMessageAssistant(content=said))
            output = ModelOutput.from_content("a/b", said)
    state = TaskState(
        model=ModelName("a/b"), sample_id="one", epoch=1, input="Moves:", messages=messages,
        output=output, metadata={"group": 5},
    )  # fmt: skip
    score = getattr(inspect_task, scorer)(**asked)
    return asyncio.run(score(state, Target(true)))


def test_a_board_is_scored_by_its_moves():
    from workbench.affordance import exact_profile
    from workbench.environments.chess import ChessAutomaton, ChessState

    true, predicted = ChessState.from_fen(START), ChessState.from_fen(NO_KING)
    profile = exact_profile(true, predicted, 4, automaton=ChessAutomaton())
    found = scored(NO_KING, START)
    assert found.value == pytest.approx(
        {"p_4": profile.precision[3], "r_4": profile.recall[3], "exact_match": 0.0}
    )
    assert 0 < found.value["p_4"] < 1
    assert found.answer == NO_KING
    assert found.explanation.startswith("ill_formed")
    assert scored(START, START).value == {"p_4": 1.0, "r_4": 1.0, "exact_match": 1.0}


@pytest.mark.parametrize("reply", ["I cannot say.", "rnbqkbnr/ppp w KQkq - 0 1", "<b>", ""])
def test_a_reply_without_a_board_is_the_sink(reply):
    assert scored(reply, START).value == {"p_4": 0.0, "r_4": 0.0, "exact_match": 0.0}


@pytest.mark.parametrize("scorer", ["precision_and_recall", "exact_position"])
@pytest.mark.parametrize("turns", [1, 2])
def test_a_failed_call_has_no_score(scorer, turns):
    # Of two questions the first had its reply, which is not the answer.
    found = scored(None, START, scorer, turns)
    assert math.isnan(found.value)
    assert found.reason == "failed"
    assert scored(START, START, scorer, turns).value in (
        1, {"p_4": 1.0, "r_4": 1.0, "exact_match": 1.0},
    )  # fmt: skip


def test_actions_and_continuations():
    # 20 moves are permitted, and 16 of them are the pawns'.
    pawns = "\n".join(f"{file}{to}" for file in "abcdefgh" for to in "34")
    assert scored(pawns, START, task="actions").value == {
        "p_1": 1.0, "r_1": 0.8, "exact_match": 0.0,
    }  # fmt: skip
    assert scored(pawns, START, "exact_position", task="actions").value == 0
    found = scored("e4 e5 Nf3", START, task="continuation", depth=3).value
    assert (found["p_3"], found["exact_match"]) == (1.0, 1.0)
    assert math.isnan(found["r_3"])
    found = scored("e4 e5 Ke3", START, task="continuation", depth=3).value
    assert (found["p_3"], found["exact_match"]) == (0.0, 0.0)


def results_of(scorer, scores, games):
    """Return what Inspect makes of the scores of samples, of these games."""
    from inspect_ai._eval.task.results import eval_results
    from inspect_ai.scorer import SampleScore

    from workbench.asking import inspect_task

    samples = [
        {
            scorer: SampleScore(
                score=score, sample_id=number, sample_metadata={"game_id": game}, scorer=scorer
            )
        }
        for number, (score, game) in enumerate(zip(scores, games, strict=True), 1)
    ]
    made = getattr(inspect_task, scorer)()
    return eval_results(len(samples), samples, None, [made], None)[0].scores


def test_means_leave_out_failures_and_errors_are_clustered_by_game():
    right, wrong, failed = scored(START, START), scored("", START), scored(None, START)
    results = results_of(
        "precision_and_recall", [right, wrong, right, failed], ["one", "one", "two", "three"]
    )
    for score in results:
        assert (score.scored_samples, score.unscored_samples) == (3, 1)
        # Deviations from 2/3 sum to -1/3 in game one and 1/3 in game two:
        # sqrt(2 / (2 - 1) * (1/9 + 1/9)) / 3 = 2/9. Positions of their own would give 1/3.
        assert score.metrics["mean"].value == pytest.approx(2 / 3)
        assert score.metrics["stderr"].value == pytest.approx(2 / 9)
    assert [score.name for score in results] == ["p_4", "r_4", "exact_match"]


@pytest.mark.parametrize("scorer", ["precision_and_recall", "exact_position"])
@pytest.mark.parametrize("games", [["one"], ["one", "one"], ["one", "one", "two"]])
def test_one_game_has_no_standard_error(scorer, games):
    replies = [START, "", None][: len(games)]
    # The only position of game two has no score.
    scores = [scored(reply, START, scorer) for reply in replies]
    for score in results_of(scorer, scores, games):
        error = score.metrics["stderr"]
        assert math.isnan(error.value)
        assert (error.name, error.params) == ("stderr", {"cluster": "game_id"})


def test_a_sample_that_names_no_game_is_refused():
    with pytest.raises(ValueError, match="game_id"):
        results_of("precision_and_recall", [scored(START, START)], [None])


def test_a_position_without_a_game_is_a_game_of_its_own(positions):
    from workbench.asking.inspect_task import reconstruction
    from workbench.asking.questions import questions_of
    from workbench.asking.settings import Question

    frame = positions.head(2).assign(game_id=[None, "known"])
    question = Question("a/b")
    task = reconstruction(frame, questions_of(frame, question.full_prompt), question, "1")
    games = [sample.metadata["game_id"] for sample in task.dataset]
    assert games == [frame["position_id"].iloc[0], "known"]


def test_the_columns_of_the_viewer_have_class_and_length():
    from workbench.asking.inspect_task import samples_view, state_reconstruction

    for text, kind in [(START, "valid"), (NO_KING, "ill_formed"), ("I cannot say.", "absent")]:
        assert scored(text, START, "reply").value == {"class": kind, "length": 5}
    assert scored(None, START, "reply").value == {"class": "failed", "length": 5}
    columns = {column.id for column in samples_view(task="actions").columns}
    assert {f"score__precision_and_recall__{name}" for name in ("p_1", "r_1")} < columns
    assert {"score__reply__class", "score__reply__length"} < columns
    assert state_reconstruction().viewer.task_samples_view == samples_view()
