"""A language model of the World-State Workbench in plain PyTorch, with names for each step that a hook can read or change.

The model reads the moves of chess games, writes the board after them as a FEN, token by token, and gives the
probability of each next move. Nothing but torch is imported; `load` reads the ``config.json`` and
``model.safetensors`` that lie beside this file. Steps are modules that return what they are given, so that
forward hooks, `BoardModel.run_with_cache` and tracing libraries find them by name::

    hook_embed, hook_pos_embed, blocks.0.hook_resid_pre, blocks.0.ln1.hook_normalized, blocks.0.attn.hook_q,
    blocks.0.attn.hook_pattern, blocks.0.hook_resid_mid, blocks.0.mlp.hook_post, blocks.0.hook_resid_post,
    hook_encoded, decoder.0.cross_attn.hook_pattern, decoder.0.hook_resid_post, hook_board_logits,
    hook_leave_logits, hook_enter_logits, hook_promotion_logits

Names and shapes are those of HookedTransformer in TransformerLens, where it has the step: residual streams (games, n, width), queries and the like
(games, n, heads, width / heads), patterns (games, heads, queries, keys). Row 0 of an encoder is the start
and row t the state after ply t; a row of the decoder is a slot of the written board.

Licence: GPL-3.0-or-later, as the weights.
"""

from __future__ import annotations

import json
import math
import struct
from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from contextlib import contextmanager
from itertools import groupby
from pathlib import Path
from typing import Any, NamedTuple

import torch
from torch import Tensor, nn

Hook = Callable[..., Any]
"""A function of what a step computed and of the step; what it returns, unless None, takes its place."""

WEIGHTS = "model.safetensors"
CONFIG = "config.json"
_SQUARES = 64
_FILES = "abcdefgh"
_SMALLEST = 1e-6
_DTYPES = {"F16": torch.float16, "BF16": torch.bfloat16, "F32": torch.float32}


class HookPoint(nn.Identity):
    """A step of the computation, which returns what it is given.

    Attributes:
        name: Its place in the model, such as ``blocks.0.hook_resid_post``.
    """

    name = ""


class Predictions(NamedTuple):
    """What a model predicts after some ply of each game.

    Attributes:
        tokens: The written board, shape (games, slots), integers.
        board_logits: Of each token given those before it, shape (games, slots, tokens).
        move_log_probabilities: Of the next move, by the squares left and entered (a1 is 0, b1 is 1, h8 is
            63) and the promotion (none, n, b, r, q), shape (games, 64, 64, 5).
    """

    tokens: Tensor
    board_logits: Tensor
    move_log_probabilities: Tensor


class SquareVectors(nn.Module):
    """Vectors of squares, each the sum of those of its rank, its file and its own; 64 is no square."""

    def __init__(self, width: int) -> None:
        super().__init__()
        self.rank = nn.Parameter(torch.zeros(9, width))
        self.file = nn.Parameter(torch.zeros(8, width))
        self.square = nn.Parameter(torch.zeros(_SQUARES + 1, width))

    def forward(self, squares: Tensor) -> Tensor:
        """Return the vectors of squares, shape (..., width)."""
        return self.rank[squares // 8] + self.file[squares % 8] + self.square[squares]


class Norm(nn.Module):
    """Division by the root mean square, and a scale."""

    def __init__(self, width: int) -> None:
        super().__init__()
        self.w = nn.Parameter(torch.ones(width))
        self.hook_scale, self.hook_normalized = HookPoint(), HookPoint()

    def forward(self, vectors: Tensor) -> Tensor:
        """Return the vectors, normalised along the last axis."""
        squares = vectors.square().mean(-1, keepdim=True)
        scale = self.hook_scale((squares + _SMALLEST).sqrt())
        return self.hook_normalized(vectors / scale) * self.w


class Attention(nn.Module):
    """Attention with a penalty for distance (ALiBi), of which the first head has none."""

    def __init__(self, width: int, heads: int) -> None:
        super().__init__()
        part = width // heads
        self.W_Q, self.W_K, self.W_V = (
            nn.Parameter(torch.zeros(heads, width, part)) for _ in range(3)
        )
        self.W_O = nn.Parameter(torch.zeros(heads, part, width))
        self.hook_q, self.hook_k, self.hook_v = HookPoint(), HookPoint(), HookPoint()
        self.hook_attn_scores, self.hook_pattern = HookPoint(), HookPoint()
        self.hook_z = HookPoint()

    def forward(self, queries: Tensor, keys: Tensor, at: Tensor) -> Tensor:
        """Return what attention adds.

        Args:
            queries: Vectors that look, shape (games, n, width).
            keys: Vectors that are looked at, shape (games, k, width).
            at: The place of each query among the keys, shape (games or 1, n); later keys are hidden.
        """
        query = self.hook_q(torch.einsum("gnw,hwp->gnhp", queries, self.W_Q))
        key = self.hook_k(torch.einsum("gkw,hwp->gkhp", keys, self.W_K))
        value = self.hook_v(torch.einsum("gkw,hwp->gkhp", keys, self.W_V))
        scores = torch.einsum("gnhp,gkhp->ghnk", query, key) / math.sqrt(query.shape[-1])
        scores = self.hook_attn_scores(scores + self._bias(at, keys.shape[1], scores.dtype))
        pattern = self.hook_pattern(scores.softmax(-1))
        z = self.hook_z(torch.einsum("ghnk,gkhp->gnhp", pattern, value))
        return torch.einsum("gnhp,hpw->gnw", z, self.W_O)

    def _bias(self, at: Tensor, keys: int, dtype: torch.dtype) -> Tensor:
        heads = len(self.W_Q)
        slopes = torch.tensor([0.0, *(2.0 ** -(2 + head) for head in range(1, heads))])
        distance = (at[:, None, :, None] - torch.arange(keys, device=at.device)).to(dtype)
        bias = -slopes.to(distance)[:, None, None] * distance.abs()
        return bias.masked_fill(distance < 0, -math.inf)


class FeedForward(nn.Module):
    """Two matrices with a rectifier between them."""

    def __init__(self, width: int, wide: int) -> None:
        super().__init__()
        self.W_in = nn.Parameter(torch.zeros(width, wide))
        self.W_out = nn.Parameter(torch.zeros(wide, width))
        self.hook_pre, self.hook_post = HookPoint(), HookPoint()

    def forward(self, vectors: Tensor) -> Tensor:
        """Return what the layer adds."""
        return self.hook_post(self.hook_pre(vectors @ self.W_in).relu()) @ self.W_out


class Block(nn.Module):
    """A layer of the encoder, or with attention to what was encoded a block of the decoder."""

    def __init__(self, width: int, heads: int, wide: int, *, crosses: bool) -> None:
        super().__init__()
        self.hook_resid_pre, self.hook_resid_mid, self.hook_resid_post = (
            HookPoint() for _ in range(3)
        )
        self.ln1, self.attn, self.hook_attn_out = Norm(width), Attention(width, heads), HookPoint()
        self.ln2, self.mlp, self.hook_mlp_out = Norm(width), FeedForward(width, wide), HookPoint()
        self.crosses = crosses
        if crosses:
            self.ln_cross, self.cross_attn = Norm(width), Attention(width, heads)
            self.hook_cross_attn_out, self.hook_resid_mid_cross = HookPoint(), HookPoint()

    def forward(
        self, vectors: Tensor, encoded: Tensor | None = None, at: Tensor | None = None
    ) -> Tensor:
        """Return the vectors after the block; a decoder looks at ``encoded`` from the plies ``at``."""
        vectors = self.hook_resid_pre(vectors)
        normal = self.ln1(vectors)
        places = torch.arange(vectors.shape[1], device=vectors.device)[None]
        vectors = self.hook_resid_mid(
            vectors + self.hook_attn_out(self.attn(normal, normal, places))
        )
        if self.crosses:
            across = self.cross_attn(self.ln_cross(vectors), encoded, at)
            vectors = self.hook_resid_mid_cross(vectors + self.hook_cross_attn_out(across))
        return self.hook_resid_post(vectors + self.hook_mlp_out(self.mlp(self.ln2(vectors))))


class BoardModel(nn.Module):
    """Encoder of moves, decoder that writes a board, and heads for the next move.

    Attributes:
        config: What ``config.json`` holds: ``shape``, ``vocabulary``, how it was trained.
    """

    def __init__(self, config: Mapping[str, Any]) -> None:
        """Build a model of the shape that the configuration states; its weights are not trained."""
        super().__init__()
        self.config = dict(config)
        shape, words = config["shape"], config["vocabulary"]
        width, heads, wide = shape["width"], shape["heads"], shape["feed_forward"]
        tokens, promotions = len(words["tokens"]), len(words["promotions"])
        self.leave, self.enter, self.write = (SquareVectors(width) for _ in range(3))
        for name, *size in (
            ("promotion", promotions, width),
            ("ply", words["most_plies"] + 1, width),
            ("token", tokens + 1, width),
            ("slot", words["slots"], width),
            ("last", width, width),
            ("W_U", width, tokens),
            ("W_leave", width, _SQUARES),
            ("left", _SQUARES, width),
            ("W_enter", width, _SQUARES),
            ("entered", _SQUARES, width),
            ("W_promotion", width, promotions),
        ):
            self.register_parameter(name, nn.Parameter(torch.zeros(*size)))
        self.blocks = nn.ModuleList(
            Block(width, heads, wide, crosses=False) for _ in range(shape["layers"])
        )
        self.decoder = nn.ModuleList(
            Block(width, heads, wide, crosses=True) for _ in range(shape["blocks"])
        )
        self.ln_final, self.decoder_ln_final = Norm(width), Norm(width)
        self.hook_embed, self.hook_pos_embed, self.hook_encoded = (HookPoint() for _ in range(3))
        self.hook_token_embed, self.hook_slot_embed, self.hook_last = (
            HookPoint() for _ in range(3)
        )
        self.hook_board_logits, self.hook_leave_logits = HookPoint(), HookPoint()
        self.hook_enter_logits, self.hook_promotion_logits = HookPoint(), HookPoint()
        for name, point in self.hook_points().items():
            point.name = name

    def hook_points(self) -> dict[str, HookPoint]:
        """Return all steps that a hook can read or change, by name."""
        return {name: each for name, each in self.named_modules() if isinstance(each, HookPoint)}

    def forward(
        self, moves: Tensor, at: Tensor | None = None, tokens: Tensor | None = None
    ) -> Predictions:
        """Predict board and next move after a ply of each game.

        Args:
            moves: As `read_moves` gives them, shape (games, n, 3), with the start in row 0.
            at: Plies, shape (games,); the last row by default.
            tokens: A board, shape (games, slots), of which each token is predicted from those before
                it; by default the model writes one first, the likeliest token each time.
        """
        if at is None:
            at = torch.full((len(moves),), moves.shape[1] - 1, device=moves.device)
        encoded = self.encode(moves)
        if tokens is None:
            tokens = self.write_board(encoded, at)
        logits = self.board_logits(encoded, at, tokens)
        return Predictions(tokens, logits, self.move_log_probabilities(encoded, at))

    def encode(self, moves: Tensor) -> Tensor:
        """Return the states that decoder and move heads read, shape (games, n, width)."""
        start, end, promotion = moves.long().unbind(-1)
        embedded = self.leave(start) + self.enter(end) + self.promotion[promotion]
        places = self.hook_pos_embed(self.ply[: moves.shape[1]].expand_as(embedded))
        vectors = self.hook_embed(embedded) + places
        for block in self.blocks:
            vectors = block(vectors)
        return self.hook_encoded(self.ln_final(vectors))

    def board_logits(self, encoded: Tensor, at: Tensor, tokens: Tensor) -> Tensor:
        """Return the logits of the tokens of boards, each given those before it.

        Args:
            encoded: As `encode` returns it.
            at: Plies, shape (games,).
            tokens: The first tokens of each board, shape (games, k), k of 0 to ``slots``.

        Returns:
            Shape (games, min(k + 1, slots), tokens).
        """
        first = torch.full_like(at, len(self.token) - 1)[:, None]
        before = torch.cat([first, tokens], 1)[:, : len(self.slot)]
        # From a8 to h1, as a FEN; behind the squares come the slots of the other fields.
        order = torch.arange(_SQUARES, device=at.device).view(8, 8).flip(0).flatten()
        slots = torch.cat([self.write(order), self.slot[_SQUARES:]])[: before.shape[1]]
        last = self.hook_last(encoded[torch.arange(len(at)), at] @ self.last)
        embedded = self.hook_token_embed(self.token[before])
        vectors = embedded + self.hook_slot_embed(slots.expand_as(embedded)) + last[:, None]
        for block in self.decoder:
            vectors = block(vectors, encoded, at[:, None].expand(-1, before.shape[1]))
        return self.hook_board_logits(self.decoder_ln_final(vectors) @ self.W_U)

    def write_board(self, encoded: Tensor, at: Tensor) -> Tensor:
        """Write boards, the likeliest token each time; return shape (games, slots)."""
        tokens = at.new_empty(len(at), 0)
        with torch.no_grad():
            for _ in range(len(self.slot)):
                likeliest = self.board_logits(encoded, at, tokens)[:, -1].argmax(-1)
                tokens = torch.cat([tokens, likeliest[:, None]], 1)
        return tokens

    def move_log_probabilities(self, encoded: Tensor, at: Tensor) -> Tensor:
        """Return the logarithms of the probabilities of next moves, see `Predictions`."""
        state = encoded[torch.arange(len(at)), at]
        leaving = self.hook_leave_logits(state @ self.W_leave)
        pairs = state[:, None] + self.left
        entering = self.hook_enter_logits(pairs.relu() @ self.W_enter)
        triples = (pairs[:, :, None] + self.entered).relu()
        promoting = self.hook_promotion_logits(triples @ self.W_promotion)
        return (
            leaving.log_softmax(-1)[..., None, None]
            + entering.log_softmax(-1)[..., None]
            + promoting.log_softmax(-1)
        )

    def read_moves(self, games: Sequence[Sequence[str]]) -> tuple[Tensor, Tensor]:
        """Return games of moves in UCI as integers, and the last ply of each.

        Returns:
            Shape (games, n, 3): the squares left and entered, and the promotion; row 0 is the start, and
            shorter games end in zeros. And shape (games,).

        Raises:
            ValueError: If a game is too long, or a text is no move in UCI.
        """
        words = self.config["vocabulary"]
        most, promotions = words["most_plies"], words["promotions"]
        rows = []
        for game in games:
            if len(game) > most:
                raise ValueError(f"expected at most {most} plies a game, got {len(game)}")
            row = [tuple(words["start"])]
            for ply, move in enumerate(game, 1):
                start, end, promotion = move[:2], move[2:4], move[4:]
                if not (start in _NUMBERS and end in _NUMBERS and promotion in promotions):
                    raise ValueError(f"ply {ply}: expected a move in UCI, got {move[:20]!r}")
                row.append((_NUMBERS[start], _NUMBERS[end], promotions.index(promotion)))
            rows.append(row)
        longest = max(map(len, rows))
        filled = [row + [(0, 0, 0)] * (longest - len(row)) for row in rows]
        device = self.slot.device
        at = torch.tensor([len(row) - 1 for row in rows], device=device)
        return torch.tensor(filled, device=device), at

    def spell(self, tokens: Sequence[int]) -> str:
        """Return the text that the tokens of a board spell, a FEN if they fit; nothing is repaired."""
        words = [self.config["vocabulary"]["tokens"][token] for token in tokens]
        ranks = []
        for first in range(0, _SQUARES, 8):
            groups = [(word, len(list(same))) for word, same in groupby(words[first : first + 8])]
            ranks.append("".join(word * count if word else str(count) for word, count in groups))
        return " ".join(["/".join(ranks), *(word or "1" for word in words[_SQUARES:])])

    def states(self, games: Sequence[Sequence[str]]) -> list[str]:
        """Return the board that the model writes after the moves of each game, as a FEN."""
        with torch.no_grad():
            moves, at = self.read_moves(games)
            return [self.spell(row) for row in self.write_board(self.encode(moves), at).tolist()]

    def move_distribution(self, games: Sequence[Sequence[str]]) -> Tensor:
        """Return the probability of each next move, shape (games, 64, 64, 5), see `Predictions`."""
        with torch.no_grad():
            moves, at = self.read_moves(games)
            return self.move_log_probabilities(self.encode(moves), at).exp()

    @contextmanager
    def hooks(self, hooks: Iterable[tuple[str, Hook]]) -> Iterator[BoardModel]:
        """Run functions at steps, by name, as long as the context lasts."""
        points = self.hook_points()
        handles = []
        try:
            for name, hook in hooks:
                if name not in points:
                    raise ValueError(f"expected a name of hook_points(), got {name!r}")
                handles.append(points[name].register_forward_hook(_called(hook)))
            yield self
        finally:
            for handle in handles:
                handle.remove()

    def run_with_hooks(
        self, *inputs: Any, fwd_hooks: Iterable[tuple[str, Hook]] = (), **named: Any
    ) -> Predictions:
        """Return what the model predicts while functions run at steps."""
        with self.hooks(fwd_hooks):
            result: Predictions = self(*inputs, **named)
        return result

    def run_with_cache(self, *inputs: Any, **named: Any) -> tuple[Predictions, dict[str, Tensor]]:
        """Return what the model predicts, and by name what each step computed, at its last run."""
        cache: dict[str, Tensor] = {}

        def note(value: Tensor, point: HookPoint) -> None:
            cache[point.name] = value.detach()

        result = self.run_with_hooks(
            *inputs, fwd_hooks=[(name, note) for name in self.hook_points()], **named
        )
        return result, cache


_NUMBERS = {
    f"{file}{rank + 1}": 8 * rank + at for rank in range(8) for at, file in enumerate(_FILES)
}


def _called(hook: Hook) -> Callable[..., Tensor | None]:
    return lambda point, _, value: hook(value, point)


def read_safetensors(path: Path) -> dict[str, Tensor]:
    """Return the tensors of a file by name; the format is 8 bytes of length, a JSON header, and numbers."""
    content = bytearray(path.read_bytes())
    (length,) = struct.unpack_from("<Q", content)
    header = json.loads(content[8 : 8 + length])
    header.pop("__metadata__", None)
    tensors = {}
    for name, entry in header.items():
        first, last = (8 + length + offset for offset in entry["data_offsets"])
        numbers = torch.frombuffer(content[first:last], dtype=_DTYPES[entry["dtype"]])
        tensors[name] = numbers.view(entry["shape"])
    return tensors


def load(
    folder: str | Path = Path(__file__).parent, dtype: torch.dtype = torch.float32
) -> BoardModel:
    """Load the model of a folder with ``config.json`` and ``model.safetensors``, ready to use.

    Args:
        folder: By default that of this file.
        dtype: The precision to compute in; the weights of the file are in half precision.
    """
    folder = Path(folder)
    model = BoardModel(json.loads((folder / CONFIG).read_text(encoding="utf-8")))
    model.load_state_dict(read_safetensors(folder / WEIGHTS))
    return model.to(dtype).eval()
