"""PGN movetext of one game, with or without headers, as the moves of its main line."""

import io

from workbench.environments.chess.chess960 import chess960_headers
from workbench.errors import IllegalMoveError, OtherVariantError
from workbench.games.pgn import Game, scan_texts, split_games, tags_of

_SHOWN = 100


def moves_of_movetext(movetext: str) -> tuple[str, ...] | None:
    """Return the moves of the main line of PGN movetext in UCI.

    Args:
        movetext: Of one game, with or without headers.

    Returns:
        None if its headers start it from another position of standard chess.

    Raises:
        IllegalMoveError: If it is no game, or a move is illegal.
        OtherVariantError: If the headers name another variant.
    """
    # Half a word may end a file of games; a text is whole.
    texts = list(split_games(io.StringIO(f"{movetext}\n")))
    for headers, _ in texts:
        if reason := chess960_headers(tags_of(headers)):
            raise OtherVariantError(reason)
    games = list(scan_texts(texts, "movetext"))
    if len(games) != 1:
        raise IllegalMoveError(f"expected one game, got {len(games)}: {movetext!r:.60}")
    game = games[0].replay() if hasattr(games[0], "replay") else games[0]
    if isinstance(game, Game):
        return game.moves
    if game.reason == "custom_start":
        return None
    if game.reason == "no_moves" and game.has_result:
        return ()
    raise IllegalMoveError(
        "expected legal moves from the initial position, got "
        f"{game.reason.replace('_', ' ')}: {game.detail:.{_SHOWN}}"
    )
