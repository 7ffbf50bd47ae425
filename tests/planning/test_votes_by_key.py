"""Votes match a plan's table by a key or by place, whichever fits or is said; empty labels of sets are empty sets or open."""

import numpy as np
import pandas as pd
import pytest

from testimate import estimate, open_subject
from testimate.core.errors import BadInput, ReadingUnclear, UnknownRow
from testimate.core.selector import Request
from testimate.planning.plan import make_plan
from tests.each import each

SIZE = 200
RNG = np.random.default_rng(50)
WORDS = np.array(["ant", "bee", "cat"])
KEYS = RNG.permutation(SIZE)
TRUTH = RNG.integers(0, 3, SIZE)
SAID = np.where(RNG.random(SIZE) < 0.75, TRUTH, RNG.integers(0, 3, SIZE))
TABLE = pd.DataFrame({"prediction": WORDS[SAID], "confidence": RNG.uniform(0.4, 1, SIZE).round(4)})
RIGHT = float((SAID == TRUTH).mean())


@pytest.fixture
def voted(tmp_path):
    """Estimates a census of a table by votes, both frames, and says what was told."""

    def accuracy(table, votes, **how):
        table.to_csv(tmp_path / "t.csv", index=False)
        votes.to_csv(tmp_path / "v.csv", index=False)
        inputs = open_subject(tmp_path / "t.csv").inputs
        plan = make_plan(inputs, Request("srs", len(table), 1), table=str(tmp_path / "t.csv"))
        plan.write(tmp_path / "p.json")
        return estimate(plan, tmp_path / "v.csv", **how).accuracy

    return accuracy


def by_key(name, truth=TRUTH):
    return pd.DataFrame({name: KEYS, "label": WORDS[truth]}).sort_values(name)


@each("name", ["index", "sample_id", "file"])
def test_votes_without_a_row_match_by_the_key_of_the_table(voted, name):
    keyed = TABLE.assign(**{name: KEYS if name != "file" else [f"{key}.png" for key in KEYS]})
    votes = by_key(name) if name != "file" else by_key(name).assign(file=lambda one: one.file.map("{}.png".format))
    with pytest.warns(UserWarning, match=f"by '{name}'"):
        assert voted(keyed, votes) == pytest.approx(RIGHT)


def test_votes_fit_a_tables_own_row_or_its_place_so_that_is_asked(voted):
    keyed, votes = TABLE.assign(row=KEYS), by_key("row")
    with pytest.raises(ReadingUnclear) as asked:
        voted(keyed, votes)
    assert [way.option for way in asked.value.ways] == ["--key row", "--key place"]
    with pytest.warns(UserWarning, match="by 'row'"):
        assert voted(keyed, votes, read={"key": "row"}) == pytest.approx(RIGHT)
    by_place = (WORDS[SAID] == votes.label.to_numpy()).mean()
    assert voted(keyed, votes, read={"key": "place"}) == pytest.approx(by_place)


def test_rows_that_are_no_places_are_the_tables_own(voted):
    keyed, votes = TABLE.assign(row=KEYS + 5000), by_key("row").assign(row=lambda one: one.row + 5000)
    with pytest.warns(UserWarning, match="by 'row'"):
        assert voted(keyed, votes) == pytest.approx(RIGHT)


def test_rows_that_may_be_another_key_are_read_by_place_with_a_word(voted):
    with pytest.warns(UserWarning, match="--key index"):
        voted(TABLE.assign(index=KEYS), by_key("row"))
    with pytest.warns(UserWarning, match="by 'index'"):
        assert voted(TABLE.assign(index=KEYS), by_key("row"), read={"key": "index"}) == pytest.approx(RIGHT)


def test_a_key_that_is_none_is_refused(voted):
    with pytest.raises(BadInput, match="in several rows"):
        voted(TABLE.assign(index=KEYS // 2), by_key("index"), read={"key": "index"})
    with pytest.raises(BadInput, match="'999', which the table lacks"):
        voted(TABLE.assign(index=KEYS), by_key("index").replace({"index": {3: 999}}), read={"key": "index"})
    with pytest.raises(BadInput, match="no column 'other'"):
        voted(TABLE.assign(index=KEYS, other=KEYS), by_key("index"), read={"key": "other"})


def test_a_vote_on_an_input_that_the_plan_did_not_pick_is_named_by_its_key(tmp_path):
    TABLE.assign(index=KEYS).to_csv(tmp_path / "t.csv", index=False)
    plan = make_plan(open_subject(tmp_path / "t.csv").inputs, Request("srs", 50, 1), table=str(tmp_path / "t.csv"))
    row = next(row for row in range(SIZE) if row not in {draw.row for draw in plan.draws})
    pd.DataFrame({"index": [KEYS[row]], "label": "ant"}).to_csv(tmp_path / "v.csv", index=False)
    with pytest.raises(
        UnknownRow, match=f"^index '{KEYS[row]}', row {row}, has an answer, but the plan did not pick it"
    ):
        estimate(plan, tmp_path / "v.csv")


SETS = [sorted(RNG.choice(["mug", "lamp", "pen"], RNG.integers(0, 4), replace=False)) for _ in range(SIZE)]
MEANT = [one if RNG.random() < 0.8 else ["pen"] for one in SETS]
SAME = float(np.mean([one == other for one, other in zip(SETS, MEANT, strict=True)]))


def sets(between, name="label", values=MEANT):
    return pd.DataFrame({"row": range(SIZE), name: [between.join(one) for one in values]})


def test_an_empty_label_in_another_tools_form_is_the_empty_set(voted):
    with pytest.warns(UserWarning, match="name no class"):
        assert voted(sets("|", "prediction", SETS).drop(columns="row"), sets("|")) == pytest.approx(SAME)


def test_an_empty_label_in_our_own_form_is_asked_about(voted):
    table = sets("|", "prediction", SETS).drop(columns="row")
    with pytest.raises(ReadingUnclear, match="empty labels"):
        voted(table, sets(";"))
    assert voted(table, sets(";"), read={"empty": "none"}) == pytest.approx(SAME)
    known = [one == other for one, other in zip(SETS, MEANT, strict=True) if other]
    assert voted(table, sets(";"), read={"empty": "skipped"}) == pytest.approx(np.mean(known))


def test_an_empty_label_beside_the_word_none_is_cannot_tell(voted):
    table, votes = sets("|", "prediction", SETS).drop(columns="row"), sets(";")
    open_ = next(row for row, one in enumerate(MEANT) if not one)
    votes["label"] = votes["label"].where(votes["label"] != "", "none")
    votes.loc[open_, "label"] = ""
    known = [one == other for row, (one, other) in enumerate(zip(SETS, MEANT, strict=True)) if row != open_]
    assert voted(table, votes) == pytest.approx(np.mean(known))


def test_a_set_without_a_label_is_open_where_that_is_said():
    table = {"prediction": ["|".join(one) for one in SETS], "label": ["|".join(one) for one in MEANT]}
    assert open_subject(table).inputs.losses.mean() == pytest.approx(1 - SAME)
    partly = open_subject(table, read={"empty": "skipped"})
    assert partly.inputs.losses is None
    assert "known in" in partly.reading.roles["label"].meaning
