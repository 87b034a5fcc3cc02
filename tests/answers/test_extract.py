"""The FEN in prose: hand-worked cases, recorded replies, round trips and hostile input."""

import chess
import pytest
from hypothesis import example, given, settings
from hypothesis import strategies as st
from processor_time import least_seconds
from recorded_logs import LOGS, replies

from workbench.environments.chess.classification import classify, classify_fen
from workbench.prediction import ReplyClass

START = "rnbqkbnr/pppppppp/8/8/8/8/PPPPPPPP/RNBQKBNR w KQkq - 0 1"
SICILIAN_PLACEMENT = "rnbqkbnr/pp1ppppp/8/2p5/4P3/8/PPPP1PPP/RNBQKBNR"
SICILIAN = f"{SICILIAN_PLACEMENT} w KQkq - 0 2"
KNIGHT = "r1bqkbnr/pp1ppppp/2n5/2p5/4P3/5N2/PPPP1PPP/RNBQKB1R w KQkq - 2 3"

DECORATIONS = {
    "bare": "{}",
    "fence": "```\n{}\n```",
    "fence with language": "The position:\n\n```fen\n{}\n```\n",
    "unclosed fence": "```\n{}",
    "inline code": "It is `{}`.",
    "label": "FEN: {}",
    "label without space": "**FEN:**{}",
    "bold": "**{}**",
    "italic underscores": "_{}_",
    "double quotes": 'The FEN is "{}".',
    "typographic quotes": "The FEN is “{}”.",
    "tag": "<fen>{}</fen>",
    "PGN header": '[FEN "{}"]\n\n1. e4 e5 *',
    "JSON": '{{"fen": "{}"}}',
    "boxed": r"$\boxed{{{}}}$",
    "literal newline": r"FEN: {}\nB: nothing",
    "quotation": "> {}",
    "list": "- {}",
    "arrow": "→{}",
    "full stop": "After the moves the position is {}.",
    "comma": "We reach {}, with equal chances.",
    "brackets": "The position ({}) is equal.",
    "trailing words": "{} is the position after 12 14 moves",
    "trailing letters": "{}your web browser does not support frames",
    "windows line ends": "Answer:\r\n\r\n{}\r\n",
    "byte-order mark": "\ufeff{}",
    "after a game": "1. e4 c5 2. Nf3 1/2-1/2 (2021/07/16)\n{}",
    "after a promotion": "The pawn may become Q/R/B/N or q/r/b/n/k/p.\n{}",
}


@pytest.mark.parametrize("decoration", DECORATIONS.values(), ids=DECORATIONS)
def test_decorations_are_no_part_of_the_fen(decoration: str) -> None:
    found = classify(decoration.format(SICILIAN))
    assert (found.reply_class, found.predicted_state) == (ReplyClass.VALID, SICILIAN)
    assert (found.status, found.reason) == ((), "")


@pytest.mark.parametrize("count", [2, 3, 4, 5, 6])
def test_two_to_six_fields_are_taken_as_they_stand(count: int) -> None:
    fen = " ".join(SICILIAN.split()[:count])
    for reply in (fen, f"FEN: {fen}", f"`{fen}`", f"{fen}\n\nThat is the position."):
        found = classify(reply)
        assert (found.reply_class, found.predicted_state) == (ReplyClass.VALID, fen)


@pytest.mark.parametrize(
    "reply",
    [
        SICILIAN_PLACEMENT,
        f"FEN: {SICILIAN_PLACEMENT}",
        f"{SICILIAN_PLACEMENT}\nwhich is equal",
        f"...{SICILIAN_PLACEMENT}...",
        f"Black was to move. {SICILIAN_PLACEMENT}",
    ],
)
def test_a_side_to_move_is_not_guessed(reply: str) -> None:
    found = classify(reply)
    assert (found.reply_class, found.reason) == (ReplyClass.UNPARSEABLE, "no side to move")
    assert found.predicted_state == SICILIAN_PLACEMENT


@pytest.mark.parametrize(
    ("reply", "fen"),
    [
        (SICILIAN.replace(" ", "   "), SICILIAN),
        (SICILIAN.replace(" ", "\t"), SICILIAN),
        (SICILIAN.replace(" ", "\u00a0"), SICILIAN),
        (SICILIAN.replace(" ", "_"), SICILIAN),
        (SICILIAN.replace(" - ", " – "), SICILIAN),
        (SICILIAN.replace(" - ", " − "), SICILIAN),
        (SICILIAN.replace("/", "/\u200b"), SICILIAN),
        (SICILIAN.replace("/", "/\n"), SICILIAN),
        (SICILIAN.replace("/", "\n  /"), SICILIAN),
        (SICILIAN.replace("/", " / "), SICILIAN),
        (f"{SICILIAN_PLACEMENT}\nw KQkq - 0 2", SICILIAN),
        (f"{SICILIAN_PLACEMENT}, White to move", f"{SICILIAN_PLACEMENT} w"),
        (SICILIAN.replace(" w ", " W "), SICILIAN),
        (SICILIAN.replace(" w ", " White "), SICILIAN),
        (f"lichess.org/editor/{SICILIAN_PLACEMENT}_w", f"{SICILIAN_PLACEMENT} w"),
        # Of two digits the first is the clock; three leave open where it ends.
        (f"{SICILIAN_PLACEMENT}wKQkq-02", SICILIAN),
        (f"{SICILIAN_PLACEMENT} w KQkq -", f"{SICILIAN_PLACEMENT} w KQkq -"),
        (f"{SICILIAN_PLACEMENT} w - a quiet position", f"{SICILIAN_PLACEMENT} w -"),
    ],
)
def test_whitespace_dashes_and_line_breaks(reply: str, fen: str) -> None:
    found = classify(reply)
    assert (found.reply_class, found.predicted_state) == (ReplyClass.VALID, fen)


@pytest.mark.parametrize(
    ("reply", "fen"),
    [
        # The last of equals.
        (f"After 1... c5: {SICILIAN}\nAfter 2... Nc6: {KNIGHT}", KNIGHT),
        (f"FEN after 1... c5: {SICILIAN}\nFEN after 2... Nc6: {KNIGHT}", KNIGHT),
        (f"```\n{SICILIAN}\n```\nthen\n```\n{KNIGHT}\n```", KNIGHT),
        # An announced one before one that is not, wherever it stands.
        (f"I see FEN: {KNIGHT}. It came from the main line {SICILIAN}", KNIGHT),
        (f"Well.\n```\n{KNIGHT}\n```\nIt came from {SICILIAN}", KNIGHT),
        (f"So the answer is {KNIGHT}, not to be mixed up with {SICILIAN}", KNIGHT),
        # A final one before one merely called a FEN.
        (f"Final position: {KNIGHT}\n\nFEN of the line 1. e4 c5: {SICILIAN}", KNIGHT),
        # Drafts last.
        (f"We get {KNIGHT}\nThe starting FEN was: {START}", KNIGHT),
        (f"The initial position is `{START}`. After the moves: {KNIGHT}", KNIGHT),
        (f"{KNIGHT}\n\nFor example, FEN: {START}", KNIGHT),
        (f"The starting position is {START}", START),
        # The later word counts.
        (f"From the initial position, the final FEN is {KNIGHT}\n{SICILIAN}", KNIGHT),
        # A reply that opens with a FEN has answered, unless it corrects itself.
        # What another speaker says, where a base model runs on, is no answer.
        (f"{KNIGHT}\nUser 1 A: I think the FEN is {START}", KNIGHT),
        (f"Q: Where are we?\nA: {SICILIAN}, or rather {KNIGHT}", KNIGHT),
        (f'[FEN "{KNIGHT}"]\n\nA:\n\nUse FEN:\n[FEN "{START}"]', KNIGHT),
        (f"{SICILIAN}\nHowever, that is not right. The correct FEN is: {KNIGHT}", KNIGHT),
        (f"FEN: {SICILIAN}\nWait. FEN: {KNIGHT}", KNIGHT),
        (f"{KNIGHT} Convert the FEN to SAN, the FEN is {START}", KNIGHT),
        (f"{SICILIAN}\n\nFinal FEN: {KNIGHT}", KNIGHT),
        # A whole FEN before a bare placement.
        (f"We get {KNIGHT}, whose placement is {KNIGHT.split()[0]}", KNIGHT),
    ],
)
def test_which_of_several_is_the_answer(reply: str, fen: str) -> None:
    assert classify(reply).predicted_state == fen


def test_the_choice_does_not_look_at_whether_it_parses() -> None:
    broken = KNIGHT.replace("pp1ppppp", "pp1pppppp")
    found = classify(f"FEN: {SICILIAN}\nWait, one more move. FEN: {broken}")
    assert (found.reply_class, found.predicted_state) == (ReplyClass.UNPARSEABLE, broken)


@pytest.mark.parametrize(
    ("fen", "status"),
    [
        ("rnbq1bnr/pppppppp/8/8/8/8/PPPPPPPP/RNBQKBNR w - - 0 1", ("NO_BLACK_KING",)),
        ("rnbqkbnr/pppppppp/8/8/8/8/PPPPPPPP/RNBQ1BNR b - - 0 1", ("NO_WHITE_KING",)),
        ("4k3/8/8/8/8/8/8/P3K3 w - - 0 1", ("PAWNS_ON_BACKRANK",)),
        ("4k3/8/8/8/8/8/8/4K3 w K - 0 1", ("BAD_CASTLING_RIGHTS",)),
        (
            "rnbqkbnr/pppppppp/8/8/4P3/8/PPPP1PPP/RNBQKBNR b KQkq e6 0 1",
            ("INVALID_EP_SQUARE",),
        ),
        ("4k3/4R3/8/8/8/8/8/4K3 w - - 0 1", ("OPPOSITE_CHECK",)),
        ("8/8/8/8/8/8/8/8 w - - 0 1", ("NO_WHITE_KING", "NO_BLACK_KING", "EMPTY")),
        (
            "/".join(["kkkkkkkk"] * 4 + ["KKKKKKKK"] * 4) + " w - - 0 1",
            ("TOO_MANY_KINGS", "TOO_MANY_WHITE_PIECES", "TOO_MANY_BLACK_PIECES"),
        ),
    ],
)
def test_boards_that_cannot_arise_name_their_faults(fen: str, status: tuple[str, ...]) -> None:
    for found in (classify(f"FEN: {fen}"), classify_fen(fen)):
        assert (found.reply_class, found.predicted_state) == (ReplyClass.ILL_FORMED, fen)
        assert set(status) <= set(found.status)
        assert found.reason == ""
    assert classify_fen(fen).columns()["status"] == " ".join(found.status)


@pytest.mark.parametrize(
    ("reply", "fen", "reason"),
    [
        (f"{SICILIAN_PLACEMENT}/8 w KQkq - 0 2", None, "8 rows"),
        ("rnbqkbnr/pp1ppppp/8/2p5/4P3/8/PPPP1PPP w KQkq - 0 2", None, "8 rows"),
        ('[FEN "r3r1k1/1b2bp1p/pq2p1p1/2ppP3/5B1P/1P', "", "8 rows"),
        (SICILIAN.replace("pp1ppppp", "pp1pppppp"), None, "8 columns"),
        (SICILIAN.replace("pp1ppppp", "pp1pppp"), None, "8 columns"),
        (SICILIAN.replace("/8/2p5/", "/44/2p5/"), None, "two subsequent digits"),
        (SICILIAN.replace("pp1ppppp", "pp0ppppp"), None, "invalid character"),
        (SICILIAN.replace("pp1ppppp", "..1ppppp"), None, "invalid character"),
        (SICILIAN.replace("pp1ppppp", "a71ppppp"), None, "invalid character"),
        (SICILIAN.replace(" w ", " x "), None, "'w' or 'b'"),
        (SICILIAN.replace(" w ", " "), None, "'w' or 'b'"),
        (SICILIAN.replace(" KQkq", " kqKQ"), None, "castling"),
        (SICILIAN.replace(" KQkq", " KQ | q"), None, "en passant"),
        (SICILIAN.replace(" KQkq", " KQ o"), None, "en passant"),
        (f"{SICILIAN_PLACEMENT} b - 0 2", None, "en passant"),
        (f"{SICILIAN_PLACEMENT} w KQkq - -1 2", None, "negative"),
        (f"{SICILIAN} {'9' * 5}"[:-6] + "9" * 5000, None, "fullmove number"),
    ],
)
def test_what_python_chess_refuses_is_kept_whole(reply: str, fen: str | None, reason: str) -> None:
    found = classify(reply)
    assert found.reply_class is ReplyClass.UNPARSEABLE
    if fen is None:
        assert found.predicted_state == reply
    assert reason in found.reason
    assert len(found.reason) < 100
    assert found.status == ()


@pytest.mark.parametrize(
    ("reply", "reason"),
    [
        (f"{SICILIAN_PLACEMENT} w KQkq - b 2", "half-move clock"),
        (f"{SICILIAN_PLACEMENT} w KQkq - 0 KQk", "fullmove number"),
        (f"{SICILIAN_PLACEMENT} w 14 - - 9", "castling"),
        (f"{SICILIAN_PLACEMENT} 1 1 - 0 2", "'w' or 'b'"),
        (f"{SICILIAN_PLACEMENT} w KQkq 36 3 3", "en passant"),
        ("R9d3/1PKQ/13B/-n-/q2k/b6b6/P99h/R42K w Qk - 0 9", "invalid character"),
        ("KQkq1KQkq/1f3/0/0/150/150/150/150 w KQkq - 0 1", "8 columns"),
    ],
)
def test_six_fields_alone_are_read_whole(reply: str, reason: str) -> None:
    for said in (reply, f"\n {reply}\n"):
        found = classify(said)
        assert (found.reply_class, found.predicted_state) == (ReplyClass.UNPARSEABLE, reply)
        assert reason in found.reason
        assert found == classify_fen(reply)


@pytest.mark.parametrize("said", ["{}.", "FEN: {}", "`{}`", "{} (mate)"])
def test_more_than_six_fields_is_prose(said: str) -> None:
    reply = said.format(f"{SICILIAN_PLACEMENT} w KQkq - b 2")
    assert classify(reply).predicted_state == f"{SICILIAN_PLACEMENT} w KQkq -"


@pytest.mark.parametrize(
    ("reply", "reason"),
    [
        ("", "empty reply"),
        (" \n\t ", "empty reply"),
        ("[ERROR GENERATING FEN]", "no piece placement found"),
        ('[FEN ""]\n1. e4 e5 2. Nf3 Nc6 3. Bb5 Nf6 4. O-O Nxe4', "no piece placement found"),
        ("O-O-O 8 kq - 0 13", "no piece placement found"),
        ("1-0 0-1 1/2-1/2 2024/01/02", "no piece placement found"),
        ("1-0/0-1/1/2-1/2/1-0/0-1", "no piece placement found"),
        ("promotes to q/r/b/n, or Q/R/B/N/K/P", "no piece placement found"),
        ("1/2/3/4/5/6/7/8", "no piece placement found"),
        ("p/p/p/p/p/p/p/p", "no piece placement found"),
        ("games/2021/files/sorted/by/opening/8/8/8/8/8", "no piece placement found"),
        ("a/b/c/d/e/f/g/h are all the files of it", "no piece placement found"),
        ("see /usr/lib/p/q/r/n/b/k and a/b/c", "no piece placement found"),
        (f"https://example.org/editor/{SICILIAN.replace(' ', '_')}", "no piece placement found"),
        ("https://lichess.org/editor and lichess.org/8/8", "no piece placement found"),
        ("\x00\x00", "no piece placement found"),
        ("\ud800\udfff\ud800", "no piece placement found"),
    ],
)
def test_nothing_like_a_fen_is_absent(reply: str, reason: str) -> None:
    found = classify(reply)
    assert (found.reply_class, found.predicted_state) == (ReplyClass.ABSENT, None)
    assert (found.status, found.reason) == ((), reason)


@pytest.mark.parametrize("text", [None, "", "  \n"])
def test_no_cut_text_is_absent(text: str | None) -> None:
    assert classify_fen(text).reply_class is ReplyClass.ABSENT


def test_cut_text_is_read_whole() -> None:
    assert classify_fen(f"  {SICILIAN}\n").predicted_state == SICILIAN
    found = classify_fen(f"FEN: {SICILIAN}")
    assert (found.reply_class, found.predicted_state) == (
        ReplyClass.UNPARSEABLE,
        f"FEN: {SICILIAN}",
    )


UNITS = [
    "p/", "1/", "8/", "8/8/8/8/8 ", " ", "`", "```", "\n", "/\n", "/ ", " /", "p / ", "FEN ",
    "final FEN 8/8/8/8/8/8/8/8 w ", f"{START}\n", "8/8/8/8/8/8/8/8 0 ", "p", "a.", "\x00",
    "_", "8/8/8/8/8_", "\ud800", " \n", "9", "8/8/8/8/8\n\n \t", "/", "://", "{", "[", '{"a":',
    '"', "<think>", "</think>", "<answer>", "<s>", "<!--", "<b>", "~~", "~~a", "\\", "\\/", "\\n",
    "\\u002f", "\\sout{", "&nbsp;", "&#47;", "&", "\u0336", "\u202e", "\u200b", "／", "→",
    "k\n8/", "(a) 8/8/8/8/8/8/8/8 ", "1. ", "Q: ", "wait ", "if ", "not ", "the next move ",
    "~~~\n", "- [ ] ", "assistantfinal", "?fen=%2F", "lichess.org/", "r n b q k b n r\n", "Rank 8: 8\n",
    "(50 %) 8/8/8/8/8/8/8/8 w ", "8/8/8/8/8/8/8/8wKQkq", "/8 White none none ", "the former is right ",
    "/p b - ", "\n- b\n", "Option A: 8/8/8/8/8/8/8/8 w ", "8/8/8/8/8/8/8/8\nTurn: ", "castling ", "<script>alert(1)",
]  # fmt: skip


@pytest.mark.slow
@pytest.mark.parametrize("unit", UNITS)
def test_the_time_taken_grows_with_the_length_and_not_faster(unit: str) -> None:
    def seconds(length: int, enough: float = 0.0) -> float:
        many = unit * (length // len(unit))
        # The second text may hold no FEN, so that links and diagrams are looked for.
        hostile = f"{SICILIAN} {many} {SICILIAN}", many
        return least_seconds(lambda: [classify(text) for text in hostile], enough)

    # Eight times the text; a square would be 64 times the time.
    limit = min(3, max(0.3, 24 * seconds(10_000)))
    assert seconds(80_000, limit) < limit


@pytest.mark.parametrize("filler", [" ", "\n", "\t", '"', "a.", "-", "8", " 1", "\x00", "\u202e"])
def test_a_long_gap_takes_little_time(filler: str) -> None:
    long = filler * (100_000 // len(filler))
    for hostile in (
        f"{long}x {SICILIAN}",
        f"{SICILIAN_PLACEMENT}{long}x",
        f"{SICILIAN_PLACEMENT} w{long}x",
        f"{long}/{SICILIAN}",
    ):
        assert least_seconds(lambda text=hostile: classify(text), 1) < 1


@st.composite
def fens_of_play(draw: st.DrawFn) -> str:
    """FENs of positions after up to 40 random legal moves."""
    board = chess.Board()
    for choice in draw(st.lists(st.integers(0, 2**16), max_size=40)):
        moves = list(board.legal_moves)
        if not moves:
            break
        board.push(moves[choice % len(moves)])
    return board.fen(en_passant=draw(st.sampled_from(["legal", "fen"])))


@settings(max_examples=60, deadline=None)
@given(fen=fens_of_play(), decoration=st.sampled_from(sorted(DECORATIONS)))
def test_any_position_comes_back_from_any_decoration(fen: str, decoration: str) -> None:
    found = classify(DECORATIONS[decoration].format(fen))
    assert found.predicted_state == fen
    assert (found.reply_class is ReplyClass.VALID) == chess.Board(fen).is_valid()


FRAGMENTS = st.sampled_from(
    [
        *SICILIAN.split(), *SICILIAN_PLACEMENT.split("/"), "/", " ", "\n", "_", "```", "FEN:", "final",
        "–", "~", ".", "|", "\\", "K~", "9", '[FEN "', '"]', "\x00", "\ud800", "-1", "e3", "\r", "A:",
        "<think>", "</think>", "<answer>", "~~", "not ", "or ", "Wait, ", "Option A: ", "Black to move",
        "\\boxed{", "}", '{"fen": "', '"', ", ", "&nbsp;", "&#47;", "／", "\u0336", "\u202e", "\u200b",
        "if ", "example ", "Turn: b", "1. ", "after 1. e4: ", "\\/", "\\n", "<br>", "<!--", "hmvc 3;",
    ]
)  # fmt: skip


@settings(max_examples=150, deadline=None)
@given(reply=st.one_of(st.text(), st.lists(FRAGMENTS, max_size=60).map("".join)))
@example(reply=SICILIAN_PLACEMENT + "_")
@example(reply="./8/8/8/8/8")
def test_any_text_has_one_of_four_classes(reply: str) -> None:
    for found in (classify(reply), classify_fen(reply)):
        assert (found.predicted_state is None) == (found.reply_class is ReplyClass.ABSENT)
        assert bool(found.status) == (found.reply_class is ReplyClass.ILL_FORMED)
        assert bool(found.reason) == (
            found.reply_class in (ReplyClass.UNPARSEABLE, ReplyClass.ABSENT)
        )
        if found.predicted_state is not None and found.reason != "no side to move":
            assert classify_fen(found.predicted_state).reply_class is found.reply_class


def test_recorded_replies_are_read_at_least_as_well_as_the_benchmark_did() -> None:
    readable = (ReplyClass.VALID, ReplyClass.ILL_FORMED)
    better = 0
    for reply in (reply for log in LOGS for _, reply in replies(log)):
        ours = classify(reply.said)
        assert (ours.reply_class, ours.predicted_state) == (reply.reply_class, reply.answer)
        theirs = classify_fen(reply.cut)
        assert theirs.reply_class not in readable or ours.reply_class in readable
        better += ours.reply_class in readable and theirs.reply_class not in readable
    # Cut with the closing asterisks, without its first letter, and not at all.
    assert better == 5
