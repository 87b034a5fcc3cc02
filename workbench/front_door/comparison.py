"""One true state and one reply compared: the numbers, a picture in notebooks, and ways on from there."""

import math
from collections.abc import Mapping
from dataclasses import dataclass
from functools import cached_property
from html import escape
from typing import TYPE_CHECKING, Any, Final

import pandas as pd

from workbench.automaton import Sink
from workbench.drawing.reply_words import class_words, status_words
from workbench.environments.registry import DEFAULT, AnyEnvironment, environment_named
from workbench.errors import InvalidArgumentError
from workbench.explore import explore
from workbench.explore.explorer_settings import ExplorerSettings
from workbench.explore.page.still_html import aside, board, picture, preformatted
from workbench.explore.widget_choice import pair_causes
from workbench.metrics import metric_of, own_metrics
from workbench.prediction import different_elements
from workbench.scoring import ScoringParameters, scoring_parameters
from workbench.scoring.single_pair import compare as compare_texts

if TYPE_CHECKING:
    from matplotlib.figure import Figure

_UNLIKE: Final = 0.5
_CAUSE_COLUMNS: Final = (
    *("cause", "words", "depth", "precision", "recall", "precision_gain", "recall_gain"),
    "corrected",
)


@dataclass(frozen=True)
class Comparison:
    """A true state and a reply, compared.

    Attributes:
        environment: Of both.
        true: The text of the true state.
        reply: The reply, or the predicted state, as given.
        values: All values by name, as the command ``workbench compare --json`` prints them.
        parameters: How they were computed.
    """

    environment: AnyEnvironment
    true: str
    reply: str
    values: Mapping[str, Any]
    parameters: ScoringParameters

    @property
    def depths(self) -> tuple[int, ...]:
        """The depths m of `precision`, `recall` and `f`."""
        return tuple(self.values["depths"])

    @property
    def precision(self) -> tuple[float, ...]:
        """p_m at each depth: the chance that a line drawn from the prediction is legal in truth."""
        return self._curve("precision")

    @property
    def recall(self) -> tuple[float, ...]:
        """r_m at each depth: the chance that a line drawn from the truth is legal in the prediction."""
        return self._curve("recall")

    @property
    def f(self) -> tuple[float, ...]:
        """F_m at each depth: the harmonic mean of p_m and r_m; 0 where both are 0."""
        return self._curve("f")

    @property
    def reply_class(self) -> str:
        """``valid``, ``ill_formed``, ``unparseable`` or ``absent``."""
        return str(self.values["reply_class"])

    @property
    def predicted(self) -> str | None:
        """The state in the reply, as written there; None if there is none."""
        return self.values.get("predicted_state")

    @property
    def reason(self) -> str:
        """Why there is no valid state in the reply; empty if there is one."""
        flags = (status_words(name).replace("_", " ") for name in self.values["status"])
        return str(self.values["reason"]) or ", ".join(flags)

    @property
    def text_metrics(self) -> dict[str, Any]:
        """Exact match, edit distances and the other metrics of the two texts, by name."""
        others = {*_NUMBERS, *_ABOUT}
        return {name: value for name, value in self.values.items() if name not in others}

    @cached_property
    def cause(self) -> str:
        """What costs most precision and recall, in a sentence; empty where no single error does."""
        if self._predicted_state() is None or min(self.precision[-1], self.recall[-1]) == 1:
            return ""
        return str(self._causes["words"])

    @cached_property
    def _causes(self) -> dict[str, Any]:
        settings = ExplorerSettings(
            self.depths[-1], self.parameters.terminal, self.parameters.ill_formed
        )
        predicted = "" if self._predicted_state() is None else self.predicted
        return pair_causes(self.environment, self.true, predicted or "", settings)

    def causes(self) -> pd.DataFrame:
        """Return what each error of the prediction costs alone, the most expensive first.

        Returns:
            One row for each difference: ``cause`` in short, ``words``, ``depth``, ``precision`` and
            ``recall`` with this one difference corrected, ``precision_gain`` and ``recall_gain``
            over the prediction as it is, and ``corrected``, the text of the corrected state. The
            gains need not add up to the loss: errors can hide each other. The depth is smaller than
            asked for where so many differences take too long.

        Example:
            >>> import workbench as wb
            >>> start = "rnbqkbnr/pppppppp/8/8/8/8/PPPPPPPP/RNBQKBNR w KQkq - 0 1"
            >>> comparison = wb.compare(start, start.replace(" w ", " b "), depth=2)
            >>> comparison.causes()[["cause", "precision_gain", "recall_gain"]].values.tolist()
            [['Black is believed to move', 1.0, 1.0]]
        """
        rows, now = [], self._causes["now"]
        for each in self._causes["differences"]:
            row = {"cause": each["label"], "words": each["words"], "depth": self._causes["depth"]}
            row |= {name: each[name] for name in now}
            row |= {f"{name}_gain": each[name] - value for name, value in now.items()}
            rows.append({**row, "corrected": each["text"]})
        return pd.DataFrame(rows, columns=_CAUSE_COLUMNS)

    @property
    def remark(self) -> str:
        """What makes this comparison doubtful; empty if nothing does."""
        parsed = self._predicted_state()
        if parsed is None:
            return ""
        true, predicted = map(self.environment.elements, (self._true_state(), parsed))
        same = sum(true.get(name) == value for name, value in predicted.items())
        if same >= _UNLIKE * max(len(true), len(predicted)):
            return ""
        return (
            f"{same} of {max(len(true), len(predicted))} elements agree: check that both are of the same "
            f"{self.environment.episode_noun} and of the same moment in it"
        )

    def verdict(self) -> str:
        """Return the numbers at depth m, the class of the reply and what costs most, a line each."""
        return "\n".join([self._headline(), *self._sentences()])

    def to_frame(self) -> pd.DataFrame:
        """Return precision, recall and F, one row for each depth."""
        curves = {name: self._curve(name) for name in ("precision", "recall", "f")}
        return pd.DataFrame({"depth": self.depths, **curves})

    def to_dict(self) -> dict[str, Any]:
        """Return all values by name, undefined ones None."""
        return dict(self.values)

    def plot(self) -> "Figure":
        """Draw precision, recall and F against m."""
        from workbench.drawing.appearance import caption, new_figure
        from workbench.drawing.labels import typeset
        from workbench.drawing.quantities import Quantity

        figure, (axes,) = new_figure(height=3.2)
        for name in ("precision", "recall", "f"):
            quantity = Quantity(metric_of(name))
            look, label = quantity.look, typeset(quantity.label("m"))
            line = f"{look.marker}{look.line}"
            axes.plot(self.depths, self._curve(name), line, color=look.colour, label=label)
        axes.set_xticks(self.depths)
        axes.set_xlabel("depth m, actions")
        axes.set_ylabel("probability")
        axes.set_ylim(-0.02, 1.02)
        axes.legend(frameon=False)
        caption(figure, self._headline(), "")
        return figure

    def explore(self) -> Any:
        """Open the pair in BoardPair or StatePair."""
        settings = {name: getattr(self.parameters, name) for name in ("terminal", "ill_formed")}
        return explore(
            self.true, self.predicted if self._predicted_state() is not None else None,
            environment=self.environment, depth=self.parameters.depth,
            reply="" if self.reply == self.predicted else self.reply, **settings,
        )  # fmt: skip

    def __repr__(self) -> str:
        """Return the numbers as a few lines of text."""
        table = self.to_frame().round(4).to_string(index=False)
        return "\n".join([self.verdict(), table, self._text_line()])

    def _repr_html_(self) -> str:
        """Return the verdict, both states and the numbers as HTML."""
        table = self.to_frame().set_axis(["m", "p", "r", "F"], axis=1).set_index("m").T
        return (
            f"<p><strong>{escape(self._headline())}</strong></p>"
            + "".join(f"<p>{escape(each)}</p>" for each in self._sentences())
            + "<div style='display:flex;flex-wrap:wrap;gap:24px;align-items:flex-start'>"
            + "".join(self._pictures())
            + f"<div>{table.to_html(float_format='{:.4f}'.format, border=0)}"
            + f"<p>{escape(self._text_line())}</p></div></div>"
        )

    def _sentences(self) -> list[str]:
        noun = "FEN" if self.environment.name == DEFAULT else self.environment.state_noun
        words = class_words(self.reply_class, noun)
        about = f"{words}: {self.reason}" if self.reason else ""
        return [each for each in (about, self.cause, self.remark) if each]

    def _text_line(self) -> str:
        own = (each.name for each in own_metrics(self.environment))
        names = ("exact_match", "levenshtein", self.environment.accuracy_column, *own)
        return ", ".join(
            f"{metric_of(name, self.environment).title} {_text(self.values[name])}"
            for name in names
            if name in self.values
        )

    def _headline(self) -> str:
        # A task that asks for actions defines p_1 and r_1, or the precision alone.
        defined = [place for place, value in enumerate(self.precision) if not math.isnan(value)]
        place = defined[-1] if defined else -1
        curves = zip("prF", (self.precision, self.recall, self.f), strict=True)
        return ", ".join(
            f"{symbol}_{self.depths[place]} = {curve[place]:.4f}"
            for symbol, curve in curves
            if not math.isnan(curve[place])
        )

    def _curve(self, name: str) -> tuple[float, ...]:
        return tuple(float("nan") if value is None else value for value in self.values[name])

    def _true_state(self) -> Any:
        return self.environment.parse_input(self.true).state

    def _predicted_state(self) -> Any:
        if self.predicted is None:
            return None
        parsed = self.environment.parse(self.predicted)
        return None if parsed.fault or isinstance(parsed.state, Sink) else parsed.state

    def _pictures(self) -> list[str]:
        true, predicted = self._true_state(), self._predicted_state()
        different: frozenset[str] = frozenset()
        if predicted is not None:
            different = different_elements(*map(self.environment.elements, (true, predicted)))
        return [
            _picture(self.environment, "true", true, self.true, different),
            _picture(self.environment, "predicted", predicted, self.predicted or "none", different),
        ]


_NUMBERS: Final = (
    *("depths", "precision", "recall", "f"),
    *("precision_standard_error", "recall_standard_error", "f_standard_error"),
    *("precision_mean", "recall_mean", "f_mean"),
)
_ABOUT: Final = (
    *("reply_class", "predicted_state", "predicted_actions", "status", "reason"),
    *("depth", "terminal", "ill_formed_policy", "method"),
)


def compare(
    true: Any,
    predicted: Any,
    environment: str | AnyEnvironment = DEFAULT,
    depth: int = 4,
    *,
    task: str = "state",
    **parameters: Any,
) -> Comparison:
    """Compare a true state with a predicted one, or with a model's whole reply.

    Args:
        true: The true state: a FEN or another text that the environment reads, or a state.
        predicted: A state, as text or not, or the reply of a model that holds one; None for none.
        environment: Its name, or the environment.
        depth: m, at least 1.
        task: What the reply gives: ``state``, ``actions`` or ``continuation``.
        **parameters: Of `workbench.scoring.ScoringParameters`: ``terminal``, ``ill_formed``,
            ``method``, ``samples``, ``batches``, ``seed``.

    Returns:
        The numbers by depth, the class of the reply, its text metrics, and a picture in a notebook.

    Raises:
        WorkbenchError: If the true state cannot be read, or an argument is out of range.

    Source: arXiv 2508.19851, section 3.

    Example:
        >>> import workbench as wb
        >>> start = "rnbqkbnr/pppppppp/8/8/8/8/PPPPPPPP/RNBQKBNR w KQkq - 0 1"
        >>> comparison = wb.compare(start, start.replace("RNBQKBNR", "R1BQKBNR"), depth=2)
        >>> comparison.recall
        (0.9, 0.9)
        >>> comparison.cause
        'The white knight on b1 is missing: 5.3% of p_2 and 10.0% of r_2 are lost through it.'
    """
    if isinstance(environment, str):
        environment = environment_named(environment)
    settings = scoring_parameters(depth, parameters)
    texts = state_text(environment, true), state_text(environment, predicted)
    values = compare_texts(*texts, settings, environment.name, task)
    return Comparison(environment, texts[0], texts[1], values, settings)


def state_text(environment: AnyEnvironment, state: Any) -> str:
    """Return a state as text: a text as it is, None as none."""
    # A frame has NaN where there is no text.
    if state is None or state is pd.NA or (isinstance(state, float) and math.isnan(state)):
        return ""
    if isinstance(state, str):
        return state
    try:
        return environment.state_text(state)
    except (AttributeError, TypeError, ValueError, LookupError) as error:
        raise InvalidArgumentError(
            f"expected a {environment.state_noun} of {environment.title} or its text, got "
            f"{type(state).__name__} {state!r:.100}"
        ) from error


def _text(value: Any) -> str:
    if value is None:
        return "undefined"
    return ("yes" if value else "no") if isinstance(value, bool) else f"{value:.4g}"


def _picture(
    environment: AnyEnvironment, look: str, state: Any, text: str, different: frozenset[str]
) -> str:
    name = f"{look.capitalize()} {environment.state_noun}"
    if environment.name == DEFAULT:
        # Side, castling and en passant are on no square.
        squares = [each for each in different if len(each) == len("e4")]
        return board(name, state and state.board(), text, squares)
    drawing = picture(state and environment.picture(state, different), name, 280)
    return aside(f"<strong>{escape(name)}</strong><br>{drawing}{preformatted(text)}", 280)
