"""Conversations with a reply for each state: told action by action, or played."""

import json
import os
import signal
import subprocess

import chess
import numpy as np
import pandas as pd
import pytest
from local_run import asking_process, needs_inspect, run_here, shell_command, wait_until
from local_server import LocalServer, moves_of

from workbench.asking.conversations import conversations_of, own_action, prefixes
from workbench.asking.costs import Price, estimate_cost
from workbench.asking.journal import Failure, Journal
from workbench.asking.own_models import episode_question, own_model
from workbench.asking.predictions_table import extract_again, run_predictions, write_run_predictions
from workbench.asking.prompts import GAME_TURNS, prompt_named, prompts_of
from workbench.asking.run_folder import open_run
from workbench.asking.settings import Question
from workbench.environments.chess.tracker import tracking
from workbench.environments.registry import environment_named, environment_names
from workbench.episodes import EpisodeSample
from workbench.errors import AskingStoppedError, InvalidArgumentError, TableError
from workbench.games import cut_games, random_games
from workbench.language_model.language_model import load_model
from workbench.language_model.written_replies import ReplySettings, write_replies
from workbench.scoring import ScoringParameters
from workbench.scoring.score_rows import score_predictions
from workbench.seeds import derived_seed
from workbench.tables.parquet_tables import POSITIONS, write_table
from workbench.tasks import task_named

NAMES = [*environment_names(), "planning:gripper"]
PRICE = Price(1000.0, 2000.0)

every_environment = pytest.mark.parametrize("name", NAMES)


@pytest.fixture(scope="module")
def games():
    """Some positions of two full moves."""
    return cut_games(random_games(20, 8, seed=5), groups=(2,), per_group=6, seed=5).positions


def converse(conversation, model, options, seed=0, temperature=0.0):
    """Return the user's messages and the replies of one of the workbench's own models."""
    replies, messages = [], []
    while (message := conversation.next_message(replies)) is not None:
        messages.append(message)
        question = episode_question("workbench/own", options, messages, sum(map(len, messages)))
        replies.append(model.reply(question, temperature, seed).text)
    return messages, replies


def options_of(name, dialogue, task="state"):
    return {"environment": name, "task": task, "depth": None, "dialogue": dialogue}


def sample_of(name, count=3, length=6):
    return EpisodeSample(
        name, (length // environment_named(name).actions_per_group,), count
    ).positions


@every_environment
def test_the_actions_told_are_those_of_the_episode(name):
    environment, positions = environment_named(name), sample_of(name)
    conversations = conversations_of(positions, prompt_named("turns", name))
    for row in positions.to_dict("records"):
        conversation = conversations[row["position_id"]]
        assert len(conversation.messages) == row["ply"]
        asked = episode_question(
            "workbench/own", options_of(name, "turns"), conversation.messages, 0
        )
        moves = environment.split_moves(row["moves"])
        assert environment.movetext_actions(asked.actions_text) == moves
        if environment.shows_start:
            start = row["initial_state"] or environment.state_text(environment.automaton.initial)
            assert asked.initial == start
        turns = conversation.turns([])
        assert [turn.actions for turn in turns] == [
            tuple(moves[:end]) for end in range(1, row["ply"] + 1)
        ]
        assert turns[-1].state == row["true_state"]
        assert turns[-1].movetext == row["movetext"]
        for turn in turns:
            texts = environment.episode_texts(
                row["initial_state"], environment.separator.join(turn.actions)
            )
            assert turn == texts


@every_environment
@pytest.mark.parametrize("prompt", ["turns", "corrected", "play"])
def test_a_tracker_without_slips_never_goes_wrong(name, prompt):
    environment, positions = environment_named(name), sample_of(name, count=2)
    model = own_model("simulated", rate=0.0)
    for conversation in conversations_of(positions, prompt_named(prompt, name)).values():
        _, replies = converse(conversation, model, options_of(name, prompt))
        turns = conversation.turns(replies)
        assert len(replies) <= len(turns)
        for reply, turn in zip(replies, turns, strict=False):
            answer = task_named("state").classify(environment, reply)
            assert answer.reply_class == "valid"
            assert environment.same_state(environment.parse(turn.state), answer.parsed)


class TestTheSimulatedTracker:
    RATE = 0.12

    def test_its_slips_remain(self):
        """The believed board of a turn is that of the turn before, with one move more."""
        environment = environment_named("chess")
        (game,) = random_games(1, 30, seed=2)
        seeds = [derived_seed(3, *game.moves[: ply + 1]) for ply in range(len(game.moves))]
        slips = []
        for ply in range(1, len(game.moves) + 1):
            now = tracking(" ".join(game.moves[:ply]), rate=0.3, seed=seeds[:ply], where="here")
            assert list(now.slips[: len(slips)]) == slips
            assert len(now.slips) <= len(slips) + 1
            slips = list(now.slips)
        assert len(slips) > 3
        assert environment.track("", game.moves, rate=0.3, seed=seeds) == now.fen

    @every_environment
    def test_in_every_environment(self, name):
        """A tracker with the same seeds for the first actions believes the same state after them."""
        environment = environment_named(name)
        episode = next(environment.episodes(6, 1))
        seeds = [derived_seed(1, *episode.actions[: end + 1]) for end in range(6)]

        def believed(end, rate, seeds):
            actions = episode.actions[:end]
            return environment.track(episode.initial, actions, rate=rate, seed=seeds)

        assert believed(4, 0.6, seeds) == believed(4, 0.6, seeds[:4])
        assert believed(6, 0.0, seeds) == believed(6, 0.0, 5)
        others = [believed(6, 0.9, [each + number for each in seeds]) for number in range(10)]
        assert len(set(others)) > 1

    def test_it_survives_as_long_as_its_rate_says(self):
        """Each slip makes the board wrong at once: the share that is right after k moves is (1 - rate)^k."""
        positions = cut_games(
            random_games(700, 20, seed=9), groups=(6,), per_group=400, seed=9
        ).positions
        environment = environment_named("chess")
        model = own_model("simulated", rate=self.RATE)
        lengths = []
        for conversation in conversations_of(positions, prompt_named("turns")).values():
            _, replies = converse(conversation, model, options_of("chess", "turns"))
            parsed = [(environment.parse(turn.state), environment.parse(reply))
                      for turn, reply in zip(conversation.turns(replies), replies, strict=True)]  # fmt: skip
            right = [environment.same_state(*pair) for pair in parsed]
            lengths.append(right.index(False) + 1 if False in right else len(right) + 1)
        for k in (1, 3, 6, 10, 12):
            share, expected = np.mean(np.array(lengths) > k), (1 - self.RATE) ** k
            assert abs(share - expected) < 4 * np.sqrt(expected * (1 - expected) / len(lengths))


def test_a_bundled_model_replies_in_turns_as_to_each_prefix(games):
    model, network = own_model("tiny"), load_model("tiny")
    for name, conversation in conversations_of(games.head(2), prompt_named("turns")).items():
        _, replies = converse(conversation, model, options_of("chess", "turns"), seed=4)
        moves = games.set_index("position_id").loc[name, "moves"].split()
        parts = [moves[:ply] for ply in range(1, len(moves) + 1)]
        alone = [write_replies(network, [part], ReplySettings(), [4])[0].text for part in parts]
        assert replies == alone
    rows = prefixes(games.head(2))
    assert rows["position_id"].tolist()[:2] == [
        f"{games['position_id'].iloc[0]}+00{n}" for n in (1, 2)
    ]
    single = conversations_of(rows, prompt_named("direct")).values()
    texts = [converse(each, model, options_of("chess", ""), seed=4)[1][0] for each in single]
    assert texts[-len(alone) :] == alone


class TestPlay:
    def conversation(self, games, name="chess"):
        return next(iter(conversations_of(games.head(1), prompt_named("play", name)).values()))

    def test_a_legal_move_is_played_and_another_one_is_drawn(self, games):
        conversation = self.conversation(games)
        opening = conversation.turns([])[0]
        assert " ".join(opening.actions) == games["moves"].iloc[0]
        board = chess.Board(opening.state)
        own = min(move.uci() for move in board.legal_moves)
        legal = conversation.next_message([f"{opening.state}\nMove: {own}"])
        assert legal.startswith("Your move was played.\n\nNew moves:\n")
        board.push_uci(own)
        after = conversation.turns([f"{opening.state}\nMove: {own}"])[1]
        assert after.actions[: len(opening.actions) + 1] == (*opening.actions, own)
        assert len(after.actions) == len(opening.actions) + 2
        for reply in (
            opening.state,
            f"{opening.state}\nMove: e9",
            "",
            f"{opening.state}\nMove: a1a8",
        ):
            message = conversation.next_message([reply])
            assert message.startswith("Your move is not permitted, or cannot be read.")
            assert message == conversation.next_message([reply])

    @pytest.mark.parametrize("text", ["e2e4", "e4", "1. e4", "**e4**"])
    def test_moves_are_read_in_the_usual_notations(self, text):
        environment = environment_named("chess")
        start = environment.automaton.initial
        move = own_action(environment, start, f"{chess.STARTING_FEN}\nMove: {text}")
        assert move == chess.Move.from_uci("e2e4")

    def test_it_ends_with_the_game(self):
        # 1. f3 e5 2. g4, and Black mates.
        rows = cut_games(random_games(5, 8, seed=5), groups=(2,), per_group=1, seed=5).positions
        texts = environment_named("chess").episode_texts("", "f2f3 e7e5 g2g4")
        row = {
            "moves": "f2f3 e7e5 g2g4",
            "movetext": texts.movetext,
            "true_state": texts.state,
            "ply": 3,
        }
        conversation = self.conversation(rows.assign(**row))
        mate = [f"{texts.state}\nMove: Qh4#"]
        assert conversation.next_message(mate) is None
        assert conversation.next_message([texts.state]) is not None

    def test_no_more_than_so_many_turns(self):
        conversation = self.conversation(sample_of("sokoban"), "sokoban")
        _, replies = converse(
            conversation, own_model("simulated", rate=0.0), options_of("sokoban", "play")
        )
        assert len(replies) == GAME_TURNS
        # Alone, it plays every action itself.
        ends = [len(turn.actions) for turn in conversation.turns(replies)]
        assert np.diff(ends).tolist() == [1] * GAME_TURNS


class TestTheTable:
    def folder(self, tmp_path, positions, prompt="turns"):
        source = tmp_path / "positions.parquet"
        write_table(positions, source, POSITIONS)
        question = Question("workbench/simulated", prompt)
        return open_run(tmp_path / "run", question, positions, source)

    def test_a_row_for_each_turn_and_a_failed_call_ends_it(self, tmp_path, games):
        folder = self.folder(tmp_path, games)
        first, second, third = games["position_id"].head(3)
        journal = Journal(folder.path)
        truth = {
            row["position_id"]: row["true_state"] for row in prefixes(games).to_dict("records")
        }

        def output(text):
            return {"choices": [{"message": {"content": text}, "stop_reason": "stop"}]}

        for turn in range(4):
            journal.answered((first, 0, turn), output(truth[f"{first}+00{turn + 1}"]), None)
        journal.answered((second, 0, 0), output("I do not know."), None)
        journal.failed((second, 0, 1), Failure("reset", permanent=False))
        journal.answered((third, 0, 0), output(truth[f"{third}+001"]), None)
        journal.close()
        table = run_predictions(folder)
        classes = dict(zip(table["position_id"], table["reply_class"], strict=True))
        assert classes == {
            **{f"{first}+00{turn}": "valid" for turn in (1, 2, 3, 4)},
            f"{second}+001": "absent", f"{second}+002": "failed", f"{third}+001": "valid",
        }  # fmt: skip
        assert table["ply"].tolist() == [1, 2, 3, 4, 1, 2, 1]
        assert table["group"].tolist() == [1, 1, 2, 2, 1, 1, 1]
        assert (table["true_state"] == table["position_id"].map(truth)).all()
        assert table["game_id"].nunique() == 3
        scores = score_predictions(table, ScoringParameters())
        assert scores["exact_match"].notna().sum() == 6
        write_run_predictions(folder)
        again = extract_again(folder.path / "predictions.parquet")
        assert again.changed_answers == 0
        assert extract_again(folder.path).new_rows == 0

    def test_the_move_of_a_game_is_no_part_of_the_state(self, tmp_path):
        positions = sample_of("planning:gripper", count=1)
        source = tmp_path / "positions.parquet"
        write_table(positions, source, POSITIONS)
        question = Question("workbench/simulated", "play", environment="planning:gripper")
        folder = open_run(tmp_path / "run", question, positions, source)
        conversation = next(iter(conversations_of(positions, question.full_prompt).values()))
        _, replies = converse(
            conversation, own_model("simulated", rate=0.0), options_of("planning:gripper", "play")
        )
        journal = Journal(folder.path)
        for turn, reply in enumerate(replies):
            output = {"choices": [{"message": {"content": reply}, "stop_reason": "stop"}]}
            journal.answered((positions["position_id"].iloc[0], 0, turn), output, None)
        journal.close()
        table = write_run_predictions(folder)
        assert len(table) == GAME_TURNS
        assert set(table["reply_class"]) == {"valid"}
        assert (table["predicted_state"] == table["true_state"]).all()
        assert extract_again(folder.path / "predictions.parquet").changed_answers == 0

    def test_an_episode_without_its_actions_is_refused(self, games):
        for moves, words in ((None, "column 'moves'"), ("", "at least one move")):
            with pytest.raises(TableError, match=words):
                conversations_of(
                    games.head(1).assign(moves=moves, movetext=""), prompt_named("turns")
                )


def test_the_cost_counts_the_conversation_so_far():
    positions = cut_games(
        random_games(20, 12, seed=5), groups=(2, 4), per_group=1, seed=5
    ).positions
    prompt = prompt_named("turns")
    questions = {name: each.messages for name, each in conversations_of(positions, prompt).items()}
    estimate = estimate_cost(prompt, questions, (), 1, None)
    assert estimate.calls == 4 + 8
    assert estimate.output_tokens == 12 * prompt.reply_tokens
    characters = sum(
        len("".join(texts[: turn + 1]))
        for texts in questions.values()
        for turn in range(len(texts))
    )
    replies = prompt.reply_tokens * (3 * 4 // 2 + 7 * 8 // 2)
    assert estimate.input_tokens == int(characters / 3) + replies


def test_which_prompts_go_on():
    assert [each.name for each in prompts_of() if each.dialogue] == ["turns", "corrected", "play"]
    assert [each.name for each in prompts_of("boxes", "actions") if each.dialogue] == ["turns"]
    prompt = prompt_named("turns")
    question = Question("a/b", "turns")
    assert question.description()["prompt"]["dialogue"] == "turns"
    assert Question.from_description(question.description()).sha256 == question.sha256
    assert "dialogue" not in prompt_named("direct").description()
    assert prompt.sha256 != prompt_named("corrected").sha256


def test_a_model_of_boards_alone_does_not_play(games, tmp_path):
    from workbench.asking.model_check import refuse_unusable_model

    with pytest.raises(InvalidArgumentError, match="ask player"):
        refuse_unusable_model(Question("workbench/tiny", "play"), None, None)
    refuse_unusable_model(Question("workbench/player", "play"), None, None)


@needs_inspect
class TestARun:
    @pytest.fixture
    def truth(self, positions):
        rows = prefixes(positions)
        return dict(zip(rows["movetext"], rows["true_state"], strict=True))

    def turns_of(self, server, positions):
        """Check that each request has the whole conversation before it, and return their number."""
        for body in server.requests:
            roles = [said["role"] for said in body["messages"]]
            assert roles == ["user", "assistant"] * (len(roles) // 2) + ["user"]
        return int(positions["ply"].sum())

    def test_the_budget_ends_it_in_the_middle_and_a_larger_one_goes_on(
        self, ask_server, truth, positions, tmp_path
    ):
        with LocalServer(truth) as server:
            with pytest.raises(AskingStoppedError, match=r"the budget of 40\.0 dollars"):
                ask_server(server, {"budget": 40.0}, prompt="turns", price=PRICE, max_tokens=60)
            part = pd.read_parquet(tmp_path / "run" / "predictions.parquet")
            assert len(part) == server.answered.total() == server.asked.total()
            counts = part.groupby("game_id").size()
            assert (counts < positions.set_index("game_id")["ply"].reindex(counts.index)).sum() > 0
            run = ask_server(
                server, {"budget": 10_000.0}, prompt="turns", price=PRICE, max_tokens=60
            )
            assert len(run.predictions) == self.turns_of(server, positions)
            assert (run.predictions["predicted_state"] == run.predictions["true_state"]).all()
            # The same first moves are asked about in several games.
            games = prefixes(positions)["movetext"].value_counts()
            assert server.asked == games.to_dict()
            assert (run.questions, run.answered) == (40, 40)

    def test_corrected_replies_are_the_true_states(self, ask_server, truth):
        wrong = dict.fromkeys(truth, chess.STARTING_FEN)
        with LocalServer(wrong) as server:
            run = ask_server(server, {"limit": 4}, prompt="corrected")
            assert set(run.predictions["reply"]) == {chess.STARTING_FEN}
            longest = max(server.requests, key=lambda body: len(body["messages"]))["messages"]
            replies = [said["content"] for said in longest if said["role"] == "assistant"]
            ends = range(1, len(longest) - 1, 2)
            assert replies == [truth[moves_of({"messages": longest[:end]})] for end in ends]

    @pytest.mark.slow
    def test_killed_at_a_turn_and_asked_again(self, positions_path, positions, truth, tmp_path):
        out = tmp_path / "run"
        with LocalServer(truth, seconds=0.05) as server:
            asked = (positions_path, out, server)
            command = [*shell_command(*asked), "--prompt", "turns"]
            process = subprocess.Popen(command, stderr=subprocess.PIPE, stdout=subprocess.DEVNULL)
            wait_until(lambda: server.answered.total() >= 30)
            for pid in (process.pid, asking_process(process.pid)):
                os.kill(pid, signal.SIGKILL)
            process.communicate()
            before = sum(1 for line in (out / "answers.jsonl").open() if '"output"' in line)
            assert before >= 20
            code, said = run_here([*command[3:]])
            assert (code, "40 answered, 0 failed, 0 not asked" in said) == (0, True)
            table = pd.read_parquet(out / "predictions.parquet")
            assert len(table) == self.turns_of(server, positions)
            assert (table["predicted_state"] == table["true_state"]).all()
            # Only the calls in progress were asked twice: four at a time.
            assert server.asked.total() - len(table) <= 4
            lines = [json.loads(line) for line in (out / "answers.jsonl").open()]
            keys = [(line["id"], line["turn"]) for line in lines if "output" in line]
            assert len(keys) == len(set(keys)) == len(table)

    def test_a_failed_turn_is_asked_again_and_the_earlier_ones_are_not(
        self, ask_server, truth, positions
    ):
        longest = positions.sort_values("ply")["movetext"].iloc[-1]
        with LocalServer(truth, {longest: "server_error"}) as server:
            run = ask_server(server, prompt="turns")
            assert run.failed.total() == 1
            assert run.predictions["reply_class"].value_counts().to_dict() == {
                "valid": int(positions["ply"].sum()) - 1, "failed": 1,
            }  # fmt: skip
            before = server.asked.total()
            server.faults.clear()
            run = ask_server(server, prompt="turns")
            assert server.asked.total() == before + 1
            assert set(run.predictions["reply_class"]) == {"valid"}
