"""Studies of rows of which the game, the length or the model's name is not known."""

import pandas as pd
import pytest

from workbench.answers.imports.true_states import UNKNOWN_GROUP
from workbench.drawing.score_description import class_counts
from workbench.errors import TableError
from workbench.explore.pictures import run_figure
from workbench.explore.run.row_choice import RowChoice, choose_rows
from workbench.explore.run.run_files import Replies
from workbench.explore.run.run_table import run_table
from workbench.explore.tracked_game import track_rows
from workbench.scoring import ScoringParameters, score_file
from workbench.studies.data import Source, prepare
from workbench.studies.models import model_ranks, model_summary
from workbench.studies.models.model_scores import Simulation, compare_models
from workbench.studies.paper import kendall_tau, mean_precision
from workbench.tables.parquet_tables import PREDICTIONS, read_table, write_table

TWO = ScoringParameters(depth=2)
UNKNOWN = ["game_id", "source", "group", "ply", "game_plies", "movetext", "moves"]


@pytest.fixture
def written(predictions, tmp_path):
    """Write 12 rows of two models, changed as asked, and return the table's path."""

    def write(change):
        other = predictions.assign(model="another")
        rows = pd.concat([predictions, other], ignore_index=True)
        rows = rows.astype(dict.fromkeys([*UNKNOWN, "model", "true_state"], object))
        change(rows)
        path = tmp_path / "predictions.parquet"
        write_table(rows, path, PREDICTIONS)
        return path

    return write


@pytest.fixture
def drawn(tmp_path):
    """Compute and draw every study of a predictions table; return tables and captions."""

    def draw(path):
        data = prepare(tmp_path / "tables", Source(predictions=str(path)), TWO)
        compared = compare_models(tmp_path / "tables", [str(path)], Simulation(), TWO)
        scores = compared.scores
        ranks = model_ranks.compute(scores, depth=2, resamples=10)
        tables = {
            kendall_tau.draw: kendall_tau.compute(
                data.variants["groups of the predictions"], depth=2
            ),
            mean_precision.draw: mean_precision.compute(data.variants, depth=2),
            model_summary.draw: model_summary.compute(scores, depth=2),
            model_ranks.draw: ranks,
            model_ranks.draw_examples: model_ranks.find_examples(scores, ranks, depth=2),
            model_summary.draw_flags: model_summary.compute_flags(scores),
        }
        for draw_table, table in tables.items():
            draw_table(table, "")
        return tables, data.describe(), compared.describe()

    return draw


@pytest.mark.slow
def test_rows_without_a_length_are_counted_and_stand_in_the_whole(written, drawn):
    def change(rows):
        rows.loc[rows.index % 2 == 0, UNKNOWN] = None

    tables, *captions = drawn(written(change))
    assert all("6 without a length of the game" in caption for caption in captions)
    tau = tables[kendall_tau.draw].set_index("group")
    # The last row of each model, number 5, has no true board: it is left out.
    assert tau["count"].to_dict() == {"5": 2, "6": 2, "overall": 10}
    five = tables[mean_precision.draw].query("variant == 'groups of the predictions'")
    assert five.groupby("group")["count"].first().to_dict() == {5: 2, 6: 2}
    summary = tables[model_summary.draw].set_index(["model", "length"])["count"]
    assert summary["by hand"].to_dict() == {"5": 1, "6": 2, "all": 6}


@pytest.mark.slow
@pytest.mark.parametrize("group", [None, UNKNOWN_GROUP])
def test_without_any_length_there_are_figures_all_the_same(written, drawn, group):
    def change(rows):
        rows[UNKNOWN] = None
        rows["group"] = group

    tables, *captions = drawn(written(change))
    assert all("12 without a length of the game" in caption for caption in captions)
    assert list(tables[kendall_tau.draw]["group"]) == ["overall"]
    assert tables[mean_precision.draw].empty
    assert list(tables[model_summary.draw]["length"]) == ["all", "all"]


@pytest.mark.slow
@pytest.mark.parametrize("name", ["", None])
def test_a_model_without_a_name_is_called_so(written, drawn, name):
    def change(rows):
        rows.loc[:5, "model"] = name

    tables, *captions = drawn(written(change))
    assert "another, no name" in captions[0]
    for draw in (model_summary.draw, model_ranks.draw, model_summary.draw_flags):
        assert set(tables[draw]["model"]) == {"another", "no name"}


def test_every_row_is_counted_whatever_is_null(predictions, tmp_path):
    rows = predictions.astype(dict.fromkeys(["model", "reply_class", "true_state"], object))
    rows.loc[0, "model"] = None
    rows.loc[1, "reply_class"] = None
    rows.loc[2, "true_state"] = None
    path = tmp_path / "predictions.parquet"
    write_table(rows, path, PREDICTIONS)
    counts = class_counts(score_file(path, tmp_path / "scores.parquet", TWO)).set_index("model")
    assert counts["count"].to_dict() == {"by hand": 5, "no name": 1}
    assert counts["unscored"].to_dict() == {"by hand": 3, "no name": 0}
    assert counts.loc["by hand", ["valid", "ill_formed", "unparseable", "absent"]].tolist() == [
        1, 1, 1, 1,
    ]  # fmt: skip


def test_the_run_browser_takes_them(written, tmp_path):
    def change(rows):
        rows.loc[::2, [*UNKNOWN, "true_state"]] = None
        rows.loc[:5, "model"] = None

    path = written(change)
    run = run_table(score_file(path, tmp_path / "scores.parquet", TWO))
    assert len(choose_rows(run, RowChoice(groups=["none"]))) == 6
    assert len(choose_rows(run, RowChoice(models=["none"]))) == 6
    figure = run_figure(run)
    assert "no name" in figure.get_supxlabel()
    drawn = run.rows["edit_distance"].notna()
    assert sum(len(each.get_offsets()) for each in figure.axes[0].collections) == drawn.sum()
    predictions = read_table(path, PREDICTIONS)
    moves, reply, said = Replies(predictions).find(run.rows.iloc[0])
    assert (moves, reply) == (None, predictions["reply"][0])
    assert "no moves" in said
    rows = predictions.assign(game_id=None)
    with pytest.raises(TableError, match="expected a ply in every row, got none in 3"):
        track_rows(rows, game_id=None, model="another", sample=None, parameters=TWO)
