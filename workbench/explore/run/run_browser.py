"""RunBrowser: the scores of a run as a table and a scatter; a row opens as a pair of boards."""

import json
from collections.abc import Callable, Mapping, Sequence
from dataclasses import fields, replace
from html import escape
from pathlib import Path
from typing import TYPE_CHECKING, Any, Final, get_args

import numpy as np
import pandas as pd
import traitlets
from ipywidgets import VBox  # type: ignore[import-untyped]
from numpy.typing import NDArray

from workbench.drawing.reply_words import class_words
from workbench.environments.registry import DEFAULT, environment_in_table
from workbench.errors import InvalidArgumentError
from workbench.explore.page.assets import javascript, packed, piece_drawings, stylesheet
from workbench.explore.page.widget_base import StillOutput, WidgetBase, as_plain
from workbench.explore.pair.board_pair import BoardPair
from workbench.explore.pair.state_pair import StatePair
from workbench.explore.run.failure_causes import FailureCauses, depths_of
from workbench.explore.run.model_rows import (
    Numbers,
    compare_two,
    model_rows,
    names_of,
    row_differences,
)
from workbench.explore.run.row_choice import (
    Facets,
    RowChoice,
    choose_rows,
    export_rows,
    restricted_numbers,
    write_rows,
)
from workbench.explore.run.run_columns import (
    MARKED,
    MEASURES,
    axis_columns,
    cell_text,
    column_label,
    default_mark,
    filter_choices,
    further_metrics,
    page_columns,
    run_still,
    shown_columns,
)
from workbench.explore.run.run_files import Replies
from workbench.explore.run.run_sample import run_sample
from workbench.explore.run.run_table import (
    GAP,
    Disagreement,
    RunTable,
    count_classes,
    run_table,
    undefined_rows,
)
from workbench.explore.run.same_position import (
    all_on_one_board,
    environment_name,
    other_replies,
    reply_boards,
    reply_name,
    side_by_side,
)
from workbench.scoring.parameters import Distance
from workbench.scoring.score_tables import read_scores

if TYPE_CHECKING:
    from matplotlib.figure import Figure


_DEFINITION: Final = (
    "Rows are ranked by edit distance and by p_{depth}, nearest first, ties at their mean rank; rows "
    "right by both are not ranked. Shown are those that {measure} puts farther off by at least "
    f"{GAP:.0%} of the ranking."
)


class ScoresTable(WidgetBase):
    """The scores of a run on the page: controls, scatter plot and table.

    Attributes:
        depth: The m of p_m and r_m; one that the scores have.
        distance: The column of edit distances.
        sort_by: A column of the run, ``difference`` of two chosen models, or empty for the order of
            the table.
        descending: Whether large values come first.
        models: Models shown, by the names of the table of models; all if empty. Likewise ``sets``,
            ``settings``, ``groups`` (as text), ``classes``, ``wrong_fields``, ``flags`` and
            ``lasso`` (numbers of rows); see `workbench.explore.run.row_choice.RowChoice`.
        text: A part of the position's or the game's id.
        reply_text: A part of the reply, or of the predicted FEN where the reply is not kept.
        distance_range: Lowest and highest edit distance shown; None is an open end. Likewise
            ``precision_range`` for p_m.
        metric_ranges: The same for other metrics that the scores have, by their columns.
        x_axis: The column of a metric, on the horizontal axis of the scatter plot. Likewise
            ``y_axis`` for the vertical one.
        disagreement: ``near_far``, ``far_near`` or empty; see `workbench.explore.run.row_choice`.
        mark_by: The column that the marks of the scatter plot show: model, group, set, setting
            or reply_class; at first the model if there are several, else the group.
        opened: The open row: its boards, numbers and reply, and the other replies to its position;
            empty if none is open.
        beside: The open reply and another one to the same position; empty if none is chosen. See
            `show_beside`.
        pieces: python-chess's drawings of the pieces; not to be set.
    """

    _esm = javascript("run/run_browser.js")
    _css = stylesheet("board/board.css", "run/run_browser.css")

    depth = traitlets.Int().tag(sync=True)
    distance = traitlets.Enum(get_args(Distance), "levenshtein").tag(sync=True)
    sort_by = traitlets.Unicode("").tag(sync=True)
    descending = traitlets.Bool(False).tag(sync=True)
    sets = traitlets.List(traitlets.Unicode()).tag(sync=True)
    models = traitlets.List(traitlets.Unicode()).tag(sync=True)
    settings = traitlets.List(traitlets.Unicode()).tag(sync=True)
    groups = traitlets.List(traitlets.Unicode()).tag(sync=True)
    classes = traitlets.List(traitlets.Unicode()).tag(sync=True)
    wrong_fields = traitlets.List(traitlets.Unicode()).tag(sync=True)
    flags = traitlets.List(traitlets.Unicode()).tag(sync=True)
    text = traitlets.Unicode("").tag(sync=True)
    reply_text = traitlets.Unicode("").tag(sync=True)
    distance_range = traitlets.List([None, None]).tag(sync=True)
    precision_range = traitlets.List([None, None]).tag(sync=True)
    metric_ranges = traitlets.Dict().tag(sync=True)
    causes = traitlets.List(traitlets.Unicode()).tag(sync=True)
    lasso = traitlets.List(traitlets.Int()).tag(sync=True)
    x_axis = traitlets.Unicode("edit_distance").tag(sync=True)
    y_axis = traitlets.Unicode("precision").tag(sync=True)
    disagreement = traitlets.Enum(get_args(Disagreement), "").tag(sync=True)
    mark_by = traitlets.Enum(MARKED, "group").tag(sync=True)
    data = traitlets.Dict().tag(sync=True)
    choices = traitlets.Dict().tag(sync=True)
    opened = traitlets.Dict().tag(sync=True)
    beside = traitlets.Dict().tag(sync=True)
    pieces = traitlets.Dict(read_only=True).tag(sync=True)

    def __init__(
        self,
        scores: pd.DataFrame | str | Path,
        *,
        depth: int | None = None,
        distance: Distance = "levenshtein",
        columns: Sequence[str] | None = None,
        replies: Replies | None = None,
    ) -> None:
        self._scores = read_scores(scores)
        self._columns = columns
        self._texts = None if replies is None else replies.texts(self._scores)
        self._run = run_table(self._scores, depth, distance, self._texts)
        self._causes: dict[int, FailureCauses] = {}
        self._facets_of_run: tuple[RunTable, Facets] | None = None
        self.on_open: Callable[[int], None] = self.check_row
        self._name_beside = ""
        self._sample: tuple[Any, list[int], str] | None = None
        super().__init__(
            depth=self._run.depth,
            distance=distance,
            mark_by=default_mark(self._run),
            **self._page_state("edit_distance", "precision"),
        )
        self.observe(self._take_measures, ["depth", "distance"])
        self.observe(self._take_axes, ["x_axis", "y_axis"])
        self.register("rows", self._answer_rows, kept=True)
        self.register("models", self._answer_models, kept=True)
        self.follow_in_still(*_CHOICE_TRAITS, *_MEASURED)
        self.observe(self.renew_still, ["x_axis", "y_axis"])
        self.register("causes", self._answer_causes)
        self.register("open", self._answer_open)
        self.register("beside", self._answer_beside)
        self.register("export", self._answer_export)
        self.set_trait("pieces", piece_drawings())

    @property
    def run(self) -> RunTable:
        """The run with its edit distance, p_m, r_m and disagreement."""
        return self._run

    @property
    def places(self) -> NDArray[np.int64]:
        """The numbers of the rows that the present choice shows, in the order shown."""
        choice = self._choice({name: getattr(self, name) for name in _CHOICE_TRAITS})
        return choose_rows(self._with_difference(choice), choice, self.sort_by, self.descending)

    def questions(self) -> dict[str, dict[str, Any]]:
        """Return what the page asks of the present choice."""
        of_models = [name for name in _CHOICE_TRAITS if name != "models"]
        return {
            kind: {name: getattr(self, name) for name in names}
            for kind, names in (
                ("rows", (*_CHOICE_TRAITS, *_MEASURED)),
                ("models", (*of_models, "depth", "distance")),
            )
        }

    def still(self) -> str:
        """Return the counts and the first of the rows shown as HTML."""
        questions = self.questions()
        rows, models = (self.kept_answer(kind, questions[kind]) for kind in ("rows", "models"))
        return run_still(self._run, rows, models, self.opened, (self.x_axis, self.y_axis))

    def page_state(self) -> dict[str, Any]:
        """Return what a page without Python starts from: the traits, and a sample of the run.

        What it cannot answer (causes, a part of a reply, a difference of two models) does not restrict
        or sort it.
        """
        axes = tuple(dict.fromkeys([*MEASURES, self.x_axis, self.y_axis, *self.metric_ranges]))
        opened = self.opened.get("row")
        key = (id(self._run.rows), axes, opened)
        if self._sample is None or self._sample[0] != key:
            sample = run_sample(self._run, self._columns, axes, opened)
            self._sample = (key, sample["numbers"], packed(sample))
        _, numbers, content = self._sample
        places = {row: place for place, row in enumerate(numbers)}
        names = (*_CHOICE_TRAITS, *_MEASURED, "x_axis", "y_axis", "mark_by")
        traits = {name: getattr(self, name) for name in names} | {
            "causes": [],
            "reply_text": "",
            "lasso": [places[row] for row in self.lasso if row in places],
            "row": None if opened is None else places[opened],
        }
        if self.sort_by not in {*shown_columns(self._run), *(self._columns or ()), ""}:
            traits["sort_by"] = ""
        measures = {"near_far": f"p_{self.depth}", "far_near": "edit distance"}
        definitions = {
            name: _DEFINITION.format(depth=self.depth, measure=words)
            for name, words in measures.items()
        }
        words = {"depth": self.depth, "definitions": definitions}
        return {"traits": traits, "words": words, "packed": content}

    def show_all(self) -> None:
        """Clear all filters."""
        everything = RowChoice()
        with self.hold_sync():
            for name in _CHOICE_TRAITS:
                setattr(self, name, getattr(everything, name))

    @traitlets.validate("depth")
    def _known_depth(self, proposal: Any) -> int:
        depths = depths_of(self._scores)
        if proposal["value"] not in depths:
            raise InvalidArgumentError(
                f"expected a depth among {depths}, which the scores have, got {proposal['value']!r}"
            )
        return int(proposal["value"])

    @traitlets.validate("distance_range", "precision_range")
    def _two_ends(self, proposal: Any) -> list[float | None]:
        return _checked_ends(proposal["trait"].name, proposal["value"])

    @traitlets.validate("metric_ranges")
    def _metrics_ends(self, proposal: Any) -> dict[str, list[float | None]]:
        ranges = dict(proposal["value"])
        return {self._checked_axis(name): _checked_ends(name, ranges[name]) for name in ranges}

    @traitlets.validate("x_axis", "y_axis")
    def _known_axis(self, proposal: Any) -> str:
        return self._checked_axis(proposal["value"])

    def _checked_axis(self, name: str) -> str:
        if name not in (columns := axis_columns(self._run)):
            raise InvalidArgumentError(
                f"expected a metric of the scores of {columns}, got {name!r}"
            )
        return name

    def _page_state(self, x_axis: str, y_axis: str) -> dict[str, Any]:
        run = self._run
        axes = [[name, column_label(name, run)] for name in axis_columns(run)]
        return {
            "choices": {"depths": depths_of(run.rows), "axes": axes, **filter_choices(run)},
            "data": page_columns(run, self._columns, (x_axis, y_axis)),
        }

    def _take_axes(self, _change: object) -> None:
        self.data = page_columns(self._run, self._columns, (self.x_axis, self.y_axis))

    def _take_measures(self, _change: object) -> None:
        self._run = run_table(self._scores, self.depth, self.distance, self._texts)
        columns = axis_columns(self._run)
        with self.hold_sync():
            self.x_axis = self.x_axis if self.x_axis in columns else "edit_distance"
            self.y_axis = self.y_axis if self.y_axis in columns else "precision"
            ranges = self.metric_ranges.items()
            self.metric_ranges = {name: ends for name, ends in ranges if name in columns}
            for name, value in self._page_state(self.x_axis, self.y_axis).items():
                setattr(self, name, value)

    def _choice(self, message: Mapping[str, Any]) -> RowChoice:
        choice = RowChoice(**{name: message[name] for name in _CHOICE_TRAITS if name in message})
        if choice.causes:
            self._failure_causes()
        return choice

    def _failure_causes(self) -> FailureCauses:
        """Return the causes of the run at its depth, as far as they are computed."""
        depth = self._run.depth
        if depth not in self._causes:
            self._causes[depth] = FailureCauses(self._run.rows, depth)
        if self._run.causes is not self._causes[depth]:
            self._run = replace(self._run, causes=self._causes[depth])
        return self._causes[depth]

    def _of_all_models(self, choice: RowChoice, **others: Any) -> NDArray[np.int64]:
        return choose_rows(self._run, replace(choice, models=(), **others))

    def _with_difference(self, choice: RowChoice) -> RunTable:
        """Return the run with the column ``difference`` of two chosen models."""
        names = names_of(self._run, choice.models)
        numbers: Numbers = self._of_all_models(choice) if len(names) == 2 else []
        difference = row_differences(self._run, numbers, names)
        return replace(self._run, rows=self._run.rows.assign(difference=difference))

    def _answer_rows(self, message: Mapping[str, Any]) -> dict[str, Any]:
        """Return the rows of a choice.

        Returns:
            ``order``: their numbers. ``classes``: by the words of a class, how many are shown and how
            many there are. ``notes``: sentences about undefined values. ``definition``: of the
            disagreement, where it is chosen. ``pair``: where two models are, `compare_two` of them
            and ``differences``, one for each of the ``order``; else None. ``facets``: `Facets.counts`.
        """
        choice = self._choice(message)
        run = self._with_difference(choice)
        numbers = choose_rows(run, choice, message["sort_by"], message["descending"])
        measure = f"p_{self.depth}" if choice.disagreement == "near_far" else "edit distance"
        definition = _DEFINITION.format(depth=self.depth, measure=measure)
        counts = count_classes(run, numbers)
        pair, names = None, names_of(run, choice.models)
        if len(names) == 2:
            of_lengths = self._of_all_models(choice, groups=())
            compared = compare_two(run, self._of_all_models(choice), of_lengths, *names)
            pair = {**compared, "differences": run.rows["difference"].to_numpy()[numbers].round(4)}
        return {
            "order": numbers,
            "classes": {class_words(name): count for name, count in counts.items()},
            "notes": undefined_rows(run, numbers, restricted_numbers(choice)),
            "definition": definition if choice.disagreement else "",
            "pair": pair,
            "facets": self._facets(choice),
        }

    def _facets(self, choice: RowChoice) -> dict[str, dict[str, int]]:
        if self._facets_of_run is None or self._facets_of_run[0] is not self._run:
            self._facets_of_run = self._run, Facets(self._run)
        return self._facets_of_run[1].counts(choice)

    def _answer_causes(self, message: Mapping[str, Any]) -> dict[str, Any]:
        """Compute causes of the rows of a choice for a moment, whatever causes are chosen.

        Args:
            message: The choice, and in ``all`` whether they are computed however long it takes.

        Returns:
            ``rows``: how many there are. ``left``: how many of them have no cause yet, and ``pairs``: how
            many different pairs of states these have. ``causes``: pairs of a category and its rows, the most
            frequent first; None where the rest takes long and is not asked for.
        """
        numbers = choose_rows(self._run, self._choice({**message, "causes": []}))
        causes = self._failure_causes()
        answer = {"rows": len(numbers), "left": causes.remaining(numbers)}
        pairs = causes.remaining_pairs(numbers)
        if pairs > _PAIRS_AT_ONCE[causes.batches] and not message["all"]:
            return {**answer, "pairs": pairs, "causes": None}
        left = causes.advance(numbers, _CAUSES_SECONDS)
        pairs = causes.remaining_pairs(numbers)
        return {**answer, "left": left, "pairs": pairs, "causes": causes.counts(numbers)}

    def _answer_models(self, message: Mapping[str, Any]) -> dict[str, Any]:
        """Return `model_rows` of a choice, whatever models are chosen; by length, whatever groups are."""
        choice = self._choice(message)
        of_lengths = self._of_all_models(choice, groups=())
        return model_rows(self._run, self._of_all_models(choice), of_lengths)

    def _answer_open(self, message: Mapping[str, Any]) -> dict[str, Any]:
        self.check_row(message["row"])
        self.on_open(message["row"])
        return {"row": message["row"]}

    def _answer_beside(self, message: Mapping[str, Any]) -> dict[str, Any]:
        self.show_beside(message["row"])
        return {"row": message["row"]}

    def _answer_export(self, message: Mapping[str, Any]) -> None:
        kind = message["file"]
        places = self.places
        content = export_rows(self._run, places, kind)
        # As bytes beside the message: a trait would be saved with the notebook.
        head = {"kind": "export", "serial": message["serial"], "file": kind, "rows": len(places)}
        self.send(head, [content])

    def show_opened(self, row: int, without: str) -> None:
        """Show the text about a row, and beside it the model that was beside the last one."""
        values = {str(name): value for name, value in self._run.rows.iloc[row].items()}
        others = other_replies(self._run, row)
        beside = [each["row"] for each in others if each["name"] == self._name_beside]
        with self.hold_sync():
            self.opened = {
                "row": row,
                "title": f"{reply_name(values)} on {values['position_id']}",
                "facts": _facts(self._run, values),
                "without": without,
                "depth": self._run.depth,
                **as_plain(reply_boards(self._run, row)),
                "text": self._run.replies.excerpt(row, self.reply_text),
                "others": as_plain(others),
                "all": all_on_one_board(self._run, row) if others else {},
            }
            self.beside = as_plain(side_by_side(self._run, row, beside[0])) if beside else {}

    def show_beside(self, row: int | None) -> None:
        """Show another reply to the open row's position beside it and the true board, or none."""
        names = {each["row"]: each["name"] for each in self.opened.get("others", [])}
        if row is not None and row not in names:
            raise InvalidArgumentError(
                f"expected a row of another reply to the open row's position, of {list(names)}, "
                f"got {row!r}"
            )
        self._name_beside = "" if row is None else names[row]
        self.beside = (
            {} if row is None else as_plain(side_by_side(self._run, self.opened["row"], row))
        )

    def check_row(self, row: int) -> None:
        """Refuse what is no number of a row."""
        if not isinstance(row, int) or not 0 <= row < len(self._run.rows):
            raise InvalidArgumentError(
                f"expected a row from 0 to {len(self._run.rows) - 1}, got {row!r}"
            )


_CAUSES_SECONDS: Final = 0.15
"""How long causes are computed before the kernel is free for other questions."""
_PAIRS_AT_ONCE: Final = {True: 3_000, False: 200}
"""Different pairs of states whose causes are computed unasked, in batches or one by one: a few seconds of one core."""

_CHOICE_TRAITS: Final = tuple(each.name for each in fields(RowChoice))
_MEASURED: Final = ("sort_by", "descending", "depth", "distance")


def _checked_ends(name: str, value: Any) -> list[float | None]:
    # A range that ends before it begins may stand while someone types: the answer refuses it.
    ends = list(value)
    if len(ends) != 2 or not all(end is None or isinstance(end, int | float) for end in ends):
        raise InvalidArgumentError(f"expected a {name} of two ends, numbers or None, got {ends!r}")
    return ends


def _facts(run: RunTable, row: Mapping[str, Any]) -> list[list[str]]:
    names = (
        "model", "group", "ply", "reply_class", "edit_distance", "precision", "recall", "f",
        *further_metrics(run),
    )  # fmt: skip
    return [
        [column_label(name, run), cell_text(name, row[name], run)]
        for name in names
        if row.get(name) is not None and row[name] != ""
    ]


_LIVE: Final = '<div data-live-run="{}">{}</div>'
"""A last answer, and the state of the browser that stands in its place on pages that have the engine."""


class RunBrowser(StillOutput, VBox):  # type: ignore[misc]
    """A browser of a run: its scores, and below them, once a click or Enter opens a row, its pair.

    Args:
        scores: A scores table, or the path of one.
        predictions: The predictions that were scored, or their path, for moves and replies; or
            None.
        depth: The m of p_m and r_m; the largest that the scores have, if None.
        distance: The column of edit distances: ``levenshtein``, ``levenshtein_position`` or
            ``levenshtein_placement``.
        columns: Columns shown in the table: of the scores, or ``edit_distance``, ``precision``,
            ``recall``, ``disagreement``, ``remark``.

    Attributes:
        table: The `ScoresTable`; its traits hold what is shown.
        pair: The `BoardPair` in which a row opens; a `StatePair` where it is of another environment.

    Raises:
        TableError: If a table cannot be read or lacks a column.
        InvalidArgumentError: If the scores do not have this depth or these columns.
    """

    def __init__(
        self,
        scores: pd.DataFrame | str | Path,
        predictions: pd.DataFrame | str | Path | None = None,
        *,
        depth: int | None = None,
        distance: Distance = "levenshtein",
        columns: Sequence[str] | None = None,
    ) -> None:
        self._replies = Replies(predictions)
        self.table = ScoresTable(
            scores, depth=depth, distance=distance, columns=columns, replies=self._replies
        )
        self._pairs: dict[str, BoardPair | StatePair] = {}
        rows = self.table.run.rows
        readable = (row for row in range(len(rows)) if rows["unscored"].iloc[row] == "")
        self.pair = self._pair_of(next(readable, None))
        self.table.on_open = self.open_row
        super().__init__([self.table, self.pair])
        self.table.observe(self.renew_still, ["answers", "opened", "x_axis", "y_axis"])

    def _pair_of(self, row: int | None) -> BoardPair | StatePair:
        """Return the pair in which a row opens, hidden; of boards for no row."""
        run = self.table.run
        name = DEFAULT if row is None else environment_name(run, row)
        if name not in self._pairs:
            pair: BoardPair | StatePair
            if row is None or name == DEFAULT:
                pair = BoardPair(depth=run.depth)
            else:
                true = run.rows["true_state"].iloc[row]
                pair = StatePair(environment_in_table(name), true, None, run.depth)
            # Hidden, not left out: a saved notebook holds what is displayed.
            pair.layout.display = "none"
            pair.observe(self.renew_still, "answers")
            self._pairs[name] = pair
        return self._pairs[name]

    def prepare_still(self) -> None:
        """Answer what the pages of both parts would ask first."""
        self.table.prepare_still()
        self.pair.prepare_still()

    def still(self) -> str:
        """Return the rows, and the pair if a row is open, as HTML."""
        opened = self.table.opened
        still = self.table.still() + (
            self.pair.still() if opened and not opened["true_words"] else ""
        )
        return _LIVE.format(escape(json.dumps(self.table.page_state())), still)

    def still_name(self) -> str:
        """Return the name of the last answer, by which the running table hides it."""
        return self.table.still_of

    @property
    def shown(self) -> pd.DataFrame:
        """The rows that are shown at present, in their order."""
        return self.table.run.rows.iloc[self.table.places]

    def figure(self) -> "Figure":
        """Return a static picture of the run."""
        from workbench.explore.pictures import run_figure

        return run_figure(self.table.run)

    def export(self, path: str | Path, kind: str = "") -> Path:
        """Write the rows that are shown to a new file; one that exists is never replaced.

        Args:
            path: Of the file.
            kind: ``csv``, ``parquet``, ``fen`` (predicted FENs) or ``true_fen``; the ending of the
                path if empty.

        Returns:
            The absolute path.

        Raises:
            InvalidArgumentError: If the file exists, or there is no such kind.
        """
        return write_rows(self.table.run, self.table.places, path, kind)

    def open_first(self) -> bool:
        """Open the first of the rows that are shown, if there is one.

        Returns:
            Whether there was; if not, the pair stays as it is.
        """
        rows = self.shown
        if len(rows):
            self.open_row(int(rows.index[0]))
        return len(rows) > 0

    def open_row(self, row: int) -> None:
        """Open a row beside the table, and in the pair below with the conventions that it was scored by.

        A row whose true state cannot be read opens beside the table alone, as text.

        Args:
            row: Its number in the scores, from 0.

        Raises:
            InvalidArgumentError: If there is no such row.
        """
        self.table.check_row(row)
        run = self.table.run
        values = {str(name): value for name, value in run.rows.iloc[row].items()}
        moves, reply, without = self._replies.find(values)
        self.table.show_opened(row, without)
        readable = not self.table.opened["true_words"]
        if readable and (pair := self._pair_of(row)) is not self.pair:
            self.pair.layout.display = "none"
            self.pair = pair
            self.children = [self.table, pair]
        if readable:
            self.pair.show_row({**values, "movetext": moves, "reply": reply})
            self.pair.depth = run.depth
        self.pair.layout.display = None if readable else "none"
