"""Models compared on common positions: families of pairs, differences, ranks, and groups of ranks."""

from collections.abc import Collection, Iterator, Mapping
from typing import Any, Final, Literal, NamedTuple

import pandas as pd

from workbench.drawing.quantities import EDIT_DISTANCE
from workbench.drawing.score_description import scored_rows
from workbench.reports.chapters import Chapter
from workbench.reports.evidence import MOST_POSITIONS, difference_evidence
from workbench.reports.headline import quantities_of
from workbench.reports.page_parts import (
    Markup,
    counted,
    details,
    figure,
    link,
    number,
    paragraph,
    quantity_name,
    section,
    table,
    with_interval,
)
from workbench.statistics.paired_tests import (
    LEVEL,
    group_letters,
    holm_in_families,
    least_p_value,
    separated_pairs,
)
from workbench.studies.models import model_ranks

OWN: Final = "pair of the runs' models"
WITH_BESIDE: Final = "pair of a run's model and one beside"
BESIDE: Final = "pair of the models beside"
SETTINGS: Final = "pair of settings of {}"
UNLIKE: Final = " with other positions or settings"
"""Ends the name of a family whose models were not asked alike."""

INTERVAL_AND_TEST: Final = (
    "An interval is about its pair alone, and the p-value is adjusted for all pairs of the family and "
    "limited by the number of games: so an interval can exclude zero where the test does not separate."
)


def asking_conditions(scores: pd.DataFrame) -> pd.DataFrame:
    """Return how each model was asked: two with the same values were asked alike.

    The columns are asked (the model's name as it was), setting, positions (the set of their ids, where
    any model has a score) and variant (the setting where the model was asked about these positions in
    several, else empty).
    """
    # References have no replies at positions without any score.
    has_scores = scores["position_id"].isin(scored_rows(scores)["position_id"])
    rows = scores.assign(setting=scores["setting"].fillna(""))[has_scores]
    models = rows.groupby("model").agg(
        asked=("asked", "first"), setting=("setting", "first"), positions=("position_id", frozenset)
    )
    several = models.groupby(["asked", "positions"])["setting"].transform("nunique") > 1
    return models.assign(variant=models["setting"].where(several, ""))


def with_families(pairs: pd.DataFrame, scores: pd.DataFrame, own: Collection[str]) -> pd.DataFrame:
    """Return pairs of models with the column ``family``, and ``holm`` adjusted in each family alone."""
    models = asking_conditions(scores)
    one, other = (models.loc[pairs[side]].reset_index(drop=True) for side in ("model", "other"))
    members = pairs["model"].isin(own).astype(int) + pairs["other"].isin(own).astype(int)
    family = members.map({2: OWN, 1: WITH_BESIDE, 0: BESIDE}).reset_index(drop=True)
    alike = (one["positions"] == other["positions"]) & (one["variant"] == other["variant"])
    family = family.where(alike, family + UNLIKE)
    of_settings = (one["asked"] == other["asked"]) & (one["setting"] != other["setting"])
    family = family.where(~of_settings, one["asked"].map(SETTINGS.format))
    named = pairs.assign(family=family.to_numpy())
    return named.assign(holm=holm_in_families(named, "p_value", "family"))


def families(pairs: pd.DataFrame) -> Iterator[tuple[str, pd.DataFrame]]:
    """Yield each family that has pairs, by its name: the runs' models first."""
    first = {name: place for place, name in enumerate((OWN, WITH_BESIDE, BESIDE))}
    for name in sorted(pairs["family"].unique(), key=lambda name: (first.get(name, 3), name)):
        yield name, pairs[pairs["family"] == name]


def rankings(scores: pd.DataFrame) -> Iterator[tuple[str, list[str]]]:
    """Yield which models are ranked with each other, with a name: those that were asked alike."""
    models = asking_conditions(scores)
    for (_, variant), part in models.groupby(["positions", "variant"], sort=False):
        if len(part) > 1:
            words = f" in the setting {variant}" if variant else ""
            count = counted(len(part["positions"].iloc[0]), "position")
            yield f"{len(part)} models asked about the same {count}{words}", list(part.index)
    for (name, _), part in models.groupby(["asked", "positions"], sort=False):
        if part["setting"].nunique() > 1:
            count = counted(len(part["positions"].iloc[0]), "position")
            yield f"{len(part)} settings of {name} at the same {count}", list(part.index)


def counted_family(family: str, count: int) -> str:
    """Return how many pairs a family has, in words."""
    return counted(count, family, family.replace("pair ", "pairs ", 1))


def correction_words(pairs: pd.DataFrame) -> str:
    """Return for how many pairs p-values are adjusted, family by family, and which are too many."""
    counts = [counted_family(name, len(part)) for name, part in families(pairs)]
    separately = ", each family by itself" if len(counts) > 1 else ""
    return f"Holm's correction for {' and for '.join(counts)}{separately}."


def too_few_games(pairs: pd.DataFrame) -> list[str]:
    """Return a sentence for each family in which the test cannot separate any pair, whatever it finds."""
    sentences = []
    for name, part in families(pairs):
        tested = int(part["p_value"].notna().sum())
        games = int(part["games"].max())
        least = least_p_value(games)
        if not tested:
            sentences.append(f"The positions are of one game: the test cannot separate any {name}.")
        elif least * tested >= LEVEL:
            times = f", and the correction multiplies the least by {tested:,}" if tested > 1 else ""
            sentences.append(
                f"With {counted(games, 'game')} no p-value is below {number(least)}{times}: the test "
                f"cannot separate any {name}."
            )
    return sentences


def separated_words(pairs: pd.DataFrame) -> list[str]:
    """Return a sentence for each family of pairs: how many of them the test separates."""
    sentences = []
    for name, part in families(pairs):
        count = int((part["holm"] < LEVEL).sum())
        sentences.append(
            f"{count:,} of {counted_family(name, len(part))} {'is' if count == 1 else 'are'} separated "
            "at 5% after Holm's correction."
        )
    return sentences


_MOST_SHOWN: Final = 20


class Comparisons(NamedTuple):
    """A chapter's models against each other and against those beside them.

    Attributes:
        every: `workbench.studies.models.model_ranks.compare_pairs` of all pairs, with the column ``family``
            and Holm's p in each family alone.
        own: Of these the pairs with at least one of the chapter's own models.
    """

    every: pd.DataFrame
    own: pd.DataFrame


def compare(chapter: Chapter, *, seed: int = 0) -> Comparisons:
    """Compare the models of a chapter by p_m, and with those beside them."""
    rows, measure = chapter.all_scores(), f"precision_{chapter.depth}"
    every = model_ranks.compare_pairs(rows, measure=measure, seed=seed)
    every = with_families(every, rows, chapter.models)
    of_own = every["model"].isin(chapter.models) | every["other"].isin(chapter.models)
    return Comparisons(every, every[of_own].reset_index(drop=True))


def comparison_section(
    chapter: Chapter, compared: Comparisons, identity: str, *, resamples: int = 1000, seed: int = 0
) -> str:
    """Return ranks in groups, a figure of ranks, and the differences of all pairs."""
    if chapter.all_scores()["model"].nunique() == 1:
        content = [paragraph("There is one model, and nothing to compare it with.")]
    elif compared.own.empty:
        words = (
            "No two models have answered the same positions (their scores share no position_id): "
            "they are not compared. Ask them about the same table of positions."
        )
        content = [paragraph(words)]
    else:
        pairs = _pairs(chapter, compared.own, identity)
        if len(compared.own) > _MOST_SHOWN:
            pairs = details(f"All {len(compared.own)} pairs", pairs)
        content = [_ranks(chapter, compared.every, resamples, seed), pairs]
    return section(f"{identity}-compared", "Models compared on common positions", *content)


def _ranks(chapter: Chapter, every: pd.DataFrame, resamples: int, seed: int) -> str:
    scores = chapter.all_scores()
    names = {"precision": chapter.symbol, "distance": EDIT_DISTANCE.name}
    if not chapter.measures_text:
        names = {name: quantity_name(name) for name in quantities_of(chapter.task, chapter.depth)}
    tables = []
    for ranking, models in rankings(scores):
        part = scores[scores["model"].isin(models)]
        if chapter.measures_text:
            ranked = model_ranks.compute(part, depth=chapter.depth, resamples=resamples, seed=seed)
        else:
            measured: dict[str, tuple[str, Literal[1, -1]]] = {name: (name, -1) for name in names}
            ranked = model_ranks.rank_models(part, measured, resamples=resamples, seed=seed)
        if len(ranked):
            all_scores = ranked["ranking"] == model_ranks.ALL_MODELS
            tables.append(ranked[all_scores].assign(ranking=ranking))
    ranks = pd.concat(tables, ignore_index=True) if tables else pd.DataFrame()
    if ranks.empty:
        return paragraph(
            "No two models were asked about the same positions: pairs are compared, and none ranked."
        )
    parts = [
        paragraph(
            f"Models that share a letter are not separated by {chapter.symbol}: sign tests of whole games on the "
            f"positions that both answered, 5% after {correction_words(every)} {_unranked(scores, ranks)}Intervals of a rank are of 95%: games are resampled and all models ranked again."
        )
    ]
    main, *others = names
    heads = ["model", f"{names[main]} rank", "group", f"{names[main]} mean"]
    heads += [f"{names[name]} {column}" for name in others for column in ("rank", "mean")]
    for title, part in ranks.groupby("ranking", sort=False):
        ordered = part.sort_values(main, ascending=False)
        letters = group_letters(ordered["model"], separated_pairs(every))
        rows = []
        for row in ordered.to_dict("records"):
            cells = [row["model"], _rank(row, main), letters[row["model"]], number(row[main])]
            rows.append(
                cells + [cell for name in others for cell in (_rank(row, name), number(row[name]))]
            )
        first = part.iloc[0]
        caption = (
            f"Ranks of {title}: {counted(first['positions'], 'position')} answered by all, of "
            f"{counted(first['games'], 'game')}"
        )
        parts.append(table(caption, heads, rows))
    if chapter.measures_text:
        lines = model_ranks.draw(ranks, models=scores["model"].unique())
        alt = f"{chapter.title}: each model's rank by {EDIT_DISTANCE.name} and by {chapter.symbol}, joined by a line; the numbers are in the table."
        parts.append(figure(lines, alt))
    return "".join(parts)


def _unranked(scores: pd.DataFrame, ranks: pd.DataFrame) -> str:
    """Return which models are in no ranking, for none was asked as they were."""
    alone = ", ".join(sorted({*scores["model"]} - {*ranks["model"]}))
    reason = "Not ranked, for no other model was asked about the same positions"
    return f"{reason}: {alone}. " if alone else ""


def _rank(row: Mapping[Any, Any], side: str) -> str:
    rank, low, high = (f"{row[f'{side}_rank{end}']:.3g}" for end in ("", "_low", "_high"))
    return rank if low == "nan" else f"{rank} [{low}, {high}]"


def _pairs(chapter: Chapter, own: pd.DataFrame, identity: str) -> str:
    symbol, ordered = chapter.symbol, own.sort_values("difference", ascending=False)
    names, evidence = difference_evidence(chapter, ordered, identity)
    rows = [
        [
            Markup(link(f"#{name}", f"{row['model']} – {row['other']}")),
            f"{row['positions']:,}",
            f"{row['games']:,}",
            number(row["mean"]),
            number(row["mean_other"]),
            with_interval(row["difference"], row["low"], row["high"]),
            number(row["effect"]),
            f"{row['better']:,} : {row['worse']:,}",
            "< 0.001" if row["holm"] < 0.001 else number(row["holm"]),
        ]
        for name, row in zip(names, ordered.to_dict("records"), strict=True)
    ]
    words = (
        "The effect is the mean difference over the standard deviation of the positions' differences, "
        f"undefined where all positions differ by the same amount. {INTERVAL_AND_TEST} "
        f"The p-value is that of a sign test of whole games, with {correction_words(own)} "
        f"{' '.join([*separated_words(own), *too_few_games(own)])}"
    )
    heads = [
        "pair", "positions", "games", f"{symbol} of the one", f"{symbol} of the other", "difference",
        "effect", "positions better : worse", "p (Holm)",
    ]  # fmt: skip
    caption = f"Paired differences of {symbol}, the better model first"
    opened = f"Where each pair differs most: {MOST_POSITIONS} positions a pair, with the {symbol} of both"
    return paragraph(words) + table(caption, heads, rows) + details(opened, evidence)
