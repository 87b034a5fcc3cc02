"""A pilot asks a sample of all groups, and its cost says what the whole will cost."""

import numpy as np
import pandas as pd
import pytest

from workbench.asking.costs import forecast
from workbench.asking.questions import in_asking_order


class TestSpread:
    def test_the_first_positions_are_of_all_groups_alike(self):
        table = pd.DataFrame(
            {"position_id": [f"p{row}" for row in range(90)], "group": [5] * 60 + [10] * 30}
        )
        order = in_asking_order(table)
        assert sorted(order["position_id"]) == sorted(table["position_id"])
        for first in range(1, 61):
            sizes = order["group"].head(first).value_counts()
            assert sizes.max() - sizes.reindex([5, 10], fill_value=0).min() <= 1
        # No matter how the table is ordered; and not as it is.
        assert (
            in_asking_order(table.iloc[::-1])["position_id"].tolist()
            == order["position_id"].tolist()
        )
        assert order["position_id"].head(10).tolist() != ["p0", "p60", "p1", "p61", "p2"]
        places = order[order["group"] == 5]["position_id"].str[1:].astype(int).to_numpy()
        assert abs(np.corrcoef(places, range(60))[0, 1]) < 0.3


class TestForecast:
    GROUPS = {f"p{row}": 5 if row < 60 else 10 for row in range(100)}  # noqa: RUF012

    def test_each_group_counts_by_its_size(self):
        costs = {("p0", 0): {"dollars": 1.0}, ("p1", 0): {"dollars": 2.0},
                 ("p60", 1): {"dollars": 5.0}, ("p61", 0): {"dollars": 5.0}}  # fmt: skip
        found = forecast(self.GROUPS, 2, costs)
        assert (found.questions, found.answers) == (200, 4)
        assert found.totals == {"dollars": pytest.approx(120 * 1.5 + 80 * 5.0)}
        # By hand: s^2 = 0.5 / 2 within groups, and N (N - n) / n of both.
        assert found.errors["dollars"] == pytest.approx((0.25 * (120 * 118 + 80 * 78) / 2) ** 0.5)
        assert "580.00 dollars (95%" in found.describe()

    def test_of_a_hundred_pilots_ninety_five_hold_the_truth(self):
        draw = np.random.default_rng(0)
        groups = {f"p{row}": row % 5 for row in range(500)}
        truth = {name: draw.gamma(3.0) * (group + 1) for name, group in groups.items()}
        names = {group: [name for name in groups if groups[name] == group] for group in range(5)}
        held = 0
        for _ in range(60):
            pilot = [name for of in names.values() for name in draw.choice(of, 12, replace=False)]
            found = forecast(groups, 1, {(name, 0): {"dollars": truth[name]} for name in pilot})
            least, most = found.interval("dollars")
            held += least <= sum(truth.values()) <= most
        assert 0.85 <= held / 60 < 1

    def test_what_is_not_known_is_not_forecast(self):
        assert forecast(self.GROUPS, 1, {}) is None
        assert forecast(self.GROUPS, 1, {("p0", 7): {"dollars": 1.0}}) is None
        found = forecast(self.GROUPS, 1, {("p0", 0): {"dollars": None, "input_tokens": 30}})
        assert found.totals == {"input_tokens": 3000}
        assert found.describe().endswith("by 1 answers: 3,000 tokens of input")
