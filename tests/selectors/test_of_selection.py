"""Some inputs of a selection: each with the same chance, none of another."""

import numpy as np
import pytest

from testimate.core.errors import BadInput
from testimate.selectors.following import OfSelection
from tests.each import each

ROWS = [2, 5, 7, 11, 13]


def drawn(seed: int, budget: int = 2) -> list[int]:
    return [draw.row for draw in OfSelection(20, budget=budget, seed=seed, rows=ROWS).ask(20)]


def test_every_pair_of_the_selection_is_drawn_equally_often():
    counts = {}
    for seed in range(6_000):
        pair = frozenset(drawn(seed))
        counts[pair] = counts.get(pair, 0) + 1
    assert len(counts) == 10  # 5 over 2
    expected, spread = 600, (6_000 * 0.1 * 0.9) ** 0.5
    assert max(abs(count - expected) for count in counts.values()) < 4 * spread


def test_the_whole_selection_is_drawn_where_that_many_are_asked_for():
    assert sorted(drawn(3, budget=5)) == ROWS


def test_the_reason_names_the_selection():
    selector = OfSelection(20, budget=1, seed=1, rows=ROWS, called="night")
    assert [draw.reason for draw in selector.ask(1)] == ["drawn from the selection night"]


@each("rows", [[1, 1, 2], [1, 2, 20], [-1, 2], [1], [True, 2], ["1", "2"], [], [1.0, 2.0]])
def test_rows_that_cannot_be_drawn_from_are_refused(rows):
    with pytest.raises(BadInput, match="Select again on the Clusters page"):
        OfSelection(20, budget=2, seed=0, rows=rows)


def test_its_design_says_nothing_about_the_whole_set():
    assert not OfSelection(20, budget=2, seed=np.int64(0).item(), rows=ROWS).design.at_random
