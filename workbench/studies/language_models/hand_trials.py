"""How often a hand works: a piece of the written board is replaced or moved, by a patch of one hidden state."""

from collections.abc import Iterator, Mapping, Sequence
from typing import Any, Final

import numpy as np
import pandas as pd
from numpy.typing import NDArray

from workbench.games.game_tables import bundled_games
from workbench.language_model.board_probe import (
    SQUARES,
    VALUES,
    Vectors,
    moved_pieces,
)
from workbench.language_model.hand_sites import KINDS, KING, LATER, HandSite, hand_sites
from workbench.language_model.hands import PIECE, SQUARE, Hand, weights_hash
from workbench.language_model.language_model import PLAYER_GAMES, LanguageModel
from workbench.language_model.patching import EncodedGames, class_means, encode_games
from workbench.language_model.vocabulary import MOST_PLIES, read_moves
from workbench.seeds import derived_seed
from workbench.statistics.intervals import SHARE, clustered_mean_interval

HAND: Final = "hand"
WRONG_PLY: Final = "wrong ply"
RANDOM: Final = "random direction"
PATCHES: Final = (HAND, WRONG_PLY, RANDOM)

STRENGTHS: Final = (0.5, 1.0, 1.5, 2.0)

MEAN_GAMES: Final = 500
CHOICE_GAMES: Final = 300
TRIAL_GAMES: Final = 900
_EARLIER: Final = 2
_GAMES_AT_ONCE: Final = 64
_SLOT_OF: Final = np.arange(SQUARES).reshape(8, 8)[::-1].reshape(-1)


def state_means(model: LanguageModel, games: Sequence[Sequence[str]], kind: str) -> Vectors:
    """Return the mean state after moves of each of `PIECES`, or to each square.

    Returns:
        Shape (layers + 1, 12 or 64, width).
    """
    own = [tuple(moves) for moves in games]
    entered = (read_moves(moves)[1:, 1].astype(np.int64) for moves in own)
    labels = entered if kind == SQUARE else map(moved_pieces, own)
    every = class_means(model, own, labels, SQUARES if kind == SQUARE else VALUES)[0]
    means: Vectors = every[: model.shape.layers + 1, 0 if kind == SQUARE else 1 :]
    return means


def trials(
    model: LanguageModel,
    kind: str,
    sites: Sequence[HandSite],
    hands: Sequence[Hand],
    patches: Sequence[str] = (HAND,),
    seed: int = 0,
    *,
    follow: bool = False,
) -> pd.DataFrame:
    """Replace or move a piece at each site, by each hand and each kind of patch.

    What is intended is drawn: a piece that is not written there, or a square on which the model writes
    nothing. ``wrong ply`` adds the vector to the state of the same side's move before (after, where there
    is none before); ``random direction`` adds a random vector of the same length. With ``follow`` the model
    also reads on.

    Returns:
        A row for each site, hand and patch: site, hand (its place), patch, age (plies since the move
        that brought the piece), done (False where the model writes no piece of the colour, or a king, or
        nothing else can be intended), and of these, else NaN: intended (whether the piece is
        written on its square, and nothing where a moved one was), other_squares (how many of the
        squares that are not meant are written otherwise than without the patch), right_before (whether
        the true piece was written), later (as intended, `LATER` plies later; NaN where a square that is
        meant has changed, or the game is over, or without ``follow``).
    """
    order = sorted(range(len(sites)), key=lambda place: len(sites[place].moves))
    tables = [
        pd.DataFrame(row)
        for first in range(0, len(order), _GAMES_AT_ONCE)
        for row in _Batch(
            model, kind, {place: sites[place] for place in order[first : first + _GAMES_AT_ONCE]}
        ).rows(hands, patches, seed, follow=follow)
    ]
    return pd.concat(tables, ignore_index=True)


class _Batch:
    """Sites that are read side by side, and what is intended at each."""

    def __init__(self, model: LanguageModel, kind: str, sites: Mapping[int, HandSite]) -> None:
        self._places, self._model, self._kind = list(sites), model, kind
        every = list(sites.values())
        self._now = encode_games(model, [site.moves[: site.at] for site in every])
        self._later = encode_games(model, [site.moves for site in every])
        self._each = np.arange(len(every))
        self._square = np.array([site.square for site in every])
        self._true = np.array([site.piece for site in every])
        self._plies = np.array([site.ply for site in every])
        self._before = _squares(self._now, self._now.hidden[-1])
        written = self._before[self._each, self._square] - 1
        own = written // KINDS == self._true // KINDS
        self._done = own & (written >= 0) & (written % KINDS != KING)
        self._former = np.where(self._done, written, self._true)
        choices = [self._choices(place, site) for place, site in enumerate(every)]
        self._done &= np.array([bool(each) for each in choices])
        chosen = np.array(
            [
                each[int(site.draw * len(each))] if each else -1
                for each, site in zip(choices, every, strict=True)
            ]
        )
        moved = kind == SQUARE
        chosen = np.where(self._done, chosen, self._square if moved else self._former)
        self._piece = self._former if moved else chosen
        self._to = chosen if moved else self._square
        self._lasts = np.array(
            [
                {site.square, to} <= site.untouched
                for site, to in zip(every, self._to.tolist(), strict=True)
            ]
        )

    def _choices(self, place: int, site: HandSite) -> list[int]:
        if self._kind == SQUARE:
            return [square for square in site.free if self._before[place, square] == 0]
        return [piece for piece in site.others if piece != self._former[place]]

    def rows(
        self, hands: Sequence[Hand], patches: Sequence[str], seed: int, *, follow: bool
    ) -> Iterator[dict[str, Any]]:
        # The first two plies have no move of the same side before them.
        earlier = self._plies - _EARLIER
        wrong = np.where(earlier > 0, earlier, np.minimum(self._plies + _EARLIER, self._now.last))
        generator = np.random.default_rng(derived_seed(seed, "directions", self._places[0]))
        directions = generator.normal(size=(len(self._places), self._model.shape.width))
        directions /= np.linalg.norm(directions, axis=1)[:, None]
        for number, hand in enumerate(hands):
            rows = self._square, self._to
            if self._kind == PIECE:
                rows = self._former, self._piece
            vectors = hand.vectors(*rows)
            sizes = np.linalg.norm(vectors, axis=1)[:, None]
            for patch in patches:
                added = (directions * sizes).astype(np.float32) if patch == RANDOM else vectors
                plies = wrong if patch == WRONG_PLY else self._plies
                after = _squares(self._now, self._now.patched(hand.layer, plies, added))
                later = np.full(len(plies), np.nan)
                if follow and patch == HAND:
                    much_later = self._later.patched(hand.layer, plies, added)
                    held = self._as_intended(_squares(self._later, much_later))
                    later = np.where(self._lasts, held, np.nan)
                differs = after != self._before
                differs[self._each, self._square] = differs[self._each, self._to] = False
                columns = {
                    "intended": self._as_intended(after),
                    "other_squares": differs.sum(axis=1),
                    "right_before": self._former == self._true,
                    "later": later,
                }
                yield {
                    "site": self._places,
                    "hand": number,
                    "patch": patch,
                    "age": self._now.last - self._plies,
                    "done": self._done,
                    **{
                        name: np.where(self._done, value, np.nan) for name, value in columns.items()
                    },
                }

    def _as_intended(self, squares: NDArray[np.int64]) -> NDArray[np.bool_]:
        there: NDArray[np.bool_] = squares[self._each, self._to] == self._piece + 1
        if self._kind == SQUARE:
            there &= squares[self._each, self._square] == 0
        return there


def _squares(games: EncodedGames, encoded: Vectors) -> NDArray[np.int64]:
    return games.boards(encoded)[:, _SLOT_OF]


def best_hand(rows: pd.DataFrame) -> int:
    """Return the place of the hand that most often changes what is meant and nothing else."""
    done = rows[rows["done"]]
    shares = _clean(done).groupby(done["hand"]).mean()
    return int(shares.index.to_numpy(int)[shares.to_numpy(float).argmax()])


def _clean(done: pd.DataFrame) -> pd.Series:
    return (done["intended"] == 1) & (done["other_squares"] == 0)


def summary(rows: pd.DataFrame) -> dict[str, Any]:
    """Return how often a hand works.

    Returns:
        sites, and done (those with a piece that can be replaced or moved); of these, as shares:
        intended, with its 95% interval as low and high, clean (and no other square changes), wrong_ply
        and random_direction (as intended under the control); other_squares, their mean number;
        later_plies, later_sites (where what is meant stands so long) and later, the share of these that
        is then as intended. What is not defined is None, such as the interval of shares that do not vary.
    """
    own = rows[rows["patch"] == HAND]
    done = own[own["done"]]
    interval = clustered_mean_interval(
        done["intended"].to_numpy(float), done["site"].to_numpy(), within=SHARE
    )
    controls = {
        patch.replace(" ", "_"): rows.loc[
            rows["done"] & (rows["patch"] == patch), "intended"
        ].mean()
        for patch in (WRONG_PLY, RANDOM)
    }
    numbers = {
        "intended": interval.value,
        "low": interval.low,
        "high": interval.high,
        "clean": _clean(done).mean(),
        **controls,
        "other_squares": done["other_squares"].mean(),
        "later": done["later"].mean(),
    }
    return {
        "sites": len(own),
        "done": len(done),
        **{
            name: None if np.isnan(value) else round(float(value), 4)
            for name, value in numbers.items()
        },
        "later_plies": LATER,
        "later_sites": int(done["later"].notna().sum()),
    }


def measured_hand(model: LanguageModel, kind: str, seed: int = 0) -> Hand:
    """Return a hand of a model, from bundled games on which no bundled model was trained.

    Means come from the first 500 of these games, layer and strength are those that work best in the next
    300, and trials are in the 900 after them.

    Args:
        model: The model.
        kind: `workbench.language_model.hands.PIECE` or `workbench.language_model.hands.SQUARE`.
        seed: Of the sites, of what is intended, and of random directions.
    """
    games = [game.moves[:MOST_PLIES] for game in bundled_games()[PLAYER_GAMES:]]
    ends = np.cumsum([MEAN_GAMES, CHOICE_GAMES, TRIAL_GAMES]).tolist()
    means = state_means(model, games[: ends[0]], kind).astype(np.float16)
    hands = [
        Hand(layer, strength, of_layer, {})
        for layer, of_layer in enumerate(means)
        for strength in STRENGTHS
    ]
    choice = trials(model, kind, hand_sites(games[ends[0] : ends[1]], seed), hands)
    chosen = hands[best_hand(choice)]
    sites = hand_sites(games[ends[1] : ends[2]], seed)
    rows = trials(model, kind, sites, [chosen], PATCHES, seed, follow=True)
    return Hand(chosen.layer, chosen.strength, chosen.means, summary(rows))


def hand_entry(model: LanguageModel, seed: int = 0) -> dict[str, Any]:
    """Return the entry of a bundled model in the file of hands."""
    hands = {kind: measured_hand(model, kind, seed).as_json() for kind in (PIECE, SQUARE)}
    return {**hands, "seed": seed, "weights": weights_hash(model.name)}
