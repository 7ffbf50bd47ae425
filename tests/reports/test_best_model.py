"""Several models in a project: the labels of a session end with a winner, and only where the intervals say so."""

from dataclasses import replace

import numpy as np
import pytest

from testimate.comparison.overview import ranks_side_by_side, view_comparison
from testimate.core.errors import BadInput
from testimate.core.selector import Request
from testimate.core.session_record import Event
from testimate.datasets.open import open_dataset_file
from testimate.project.compared_models import TRUE_LABEL, ComparisonChoice, csv_of, demo_comparison, table_of_subjects
from testimate.project.project import Project
from testimate.reports.compared_models import contest


def answer(session, truth, count):
    """Answers the next inputs by the truth, one after another."""
    for _ in range(count):
        draws = session.upcoming(1)
        if not draws:
            return
        row = draws[0].row
        said = truth[row]
        kind = "cannot tell" if said is None else "answer"
        event = Event(f"e{row}", kind, row, "tester", "2026-01-01T00:00:00Z", None if said is None else int(said))
        session.record([event])


@pytest.fixture
def models():
    """Three models on 400 inputs: right on 95, 80 and 60 of a hundred."""
    rng = np.random.default_rng(5)
    truth = rng.integers(4, size=400)
    columns = {}
    for name, share in (("good", 0.95), ("fair", 0.8), ("<b>poor</b>", 0.6)):
        columns[name] = np.where(rng.random(400) < share, truth, (truth + 1) % 4)
    return columns, truth


def test_a_session_ends_with_the_best_model_and_stops_asking(tmp_path, models):
    columns, truth = models
    project = Project(tmp_path)
    key = project.add_comparison(csv_of({**columns, "label": truth}), ComparisonChoice("three.csv", "label")).key
    session = project.start_session(key, Request("tell-apart", 200, 1))
    first = contest(session)
    assert first.winner == ()
    assert "3 models could still be the best" in first.words
    answer(session, truth, 200)
    found = contest(session)
    assert found.winner == ("good",)
    assert found.words.startswith("good is the best of 3 models on these 400 inputs (95% confidence, ")
    assert session.labeled < 200
    assert session.finished
    accuracy = {name: np.mean(values == truth) for name, values in columns.items()}
    for one in found.contenders[1:]:
        assert one.state == "ruled out"
        assert one.behind.low <= accuracy["good"] - accuracy[one.model] <= one.behind.high


def test_another_process_finds_the_same_session_and_the_same_standing(tmp_path, models):
    columns, truth = models
    project = Project(tmp_path)
    key = project.add_comparison(csv_of(columns), ComparisonChoice("three.csv")).key
    session = project.start_session(key, Request("tell-apart", 100, 2))
    answer(session, truth, 40)
    again = Project(tmp_path).session(session.session_record.id)
    assert again.draws == session.draws
    assert contest(again) == contest(session)


def test_too_few_labels_declare_nobody(tmp_path, models):
    columns, truth = models
    project = Project(tmp_path)
    key = project.add_comparison(csv_of(columns), ComparisonChoice("three.csv")).key
    session = project.start_session(key, Request("tell-apart", 8, 1))
    answer(session, truth, 8)
    found = contest(session)
    assert found.winner == ()
    assert "Still too close to call" in found.words


def test_simple_random_labels_compare_models_too_and_chosen_ones_declare_nobody(tmp_path, models):
    columns, truth = models
    project = Project(tmp_path)
    key = project.add_comparison(csv_of(columns), ComparisonChoice("three.csv")).key
    random, chosen = (project.start_session(key, Request(technique, 200, 1)) for technique in ("srs", "sds"))
    answer(random, truth, 200)
    answer(chosen, truth, 60)
    assert contest(random).winner == ("good",)
    assert contest(chosen).winner == ()
    assert "chosen, not random" in contest(chosen).words


def test_equal_models_are_said_to_be_equally_good(tmp_path, models):
    columns, truth = models
    project = Project(tmp_path)
    twins = {"one": columns["good"], "other": columns["good"], "poor": columns["<b>poor</b>"]}
    key = project.add_comparison(csv_of(twins), ComparisonChoice("twins.csv")).key
    session = project.start_session(key, Request("tell-apart", 200, 1))
    answer(session, truth, 200)
    found = contest(session)
    assert set(found.winner) == {"one", "other"}
    assert "equally good" in found.words


def test_inputs_nobody_can_tell_never_decide(tmp_path, models):
    columns, _ = models
    project = Project(tmp_path)
    key = project.add_comparison(csv_of(columns), ComparisonChoice("three.csv")).key
    session = project.start_session(key, Request("tell-apart", 60, 1))
    answer(session, [None] * 400, 60)
    assert contest(session).winner == ()


def test_the_demo_has_ten_models_of_different_quality_whose_pictures_are_seen(tmp_path):
    project = Project(tmp_path)
    key = project.add_comparison(*demo_comparison()).key
    inputs = project.inputs(key)
    view = view_comparison(inputs)
    assert len(view.predictions.models) == 10
    assert np.ptp(view.accuracy) > 0.3
    assert view.with_truth["LaF"].spearman > 0.7
    assert project.subject(key).dataset.show(0).image is not None
    assert [entry.description for entry in project.entries() if entry.key == key] == ["Several models"]
    assert ranks_side_by_side([view, view])["decision tree"].tolist() == [9, 9]


def test_models_of_the_project_are_joined_by_what_they_predict(tmp_path, models):
    columns, truth = models
    project = Project(tmp_path)
    first = project.add_comparison(csv_of({**columns, "label": truth}), ComparisonChoice("a.csv", "label"))
    inputs = project.inputs(first.key)
    content = table_of_subjects([first, first], [inputs, inputs])
    assert content.splitlines()[0].decode() == f"a,a (2),{TRUE_LABEL}"
    assert content.splitlines()[1].decode().split(",")[2] == str(truth[0])


def test_models_that_are_given_the_same_inputs_in_their_own_way_are_joined(tmp_path, models):
    columns, truth = models
    project = Project(tmp_path)
    first = project.add_comparison(csv_of({**columns, "label": truth}), ComparisonChoice("a.csv", "label"))
    inputs = project.inputs(first.key)
    path = tmp_path / "pictures.npy"
    np.save(path, np.random.default_rng(1).random((len(truth), 4, 4)).astype(np.float32))
    plain = open_dataset_file(path).dataset
    scaled = plain.with_preprocessing(replace(plain.preprocessing, mean=(0.1,), deviation=(0.3,)))
    assert plain.fingerprint != scaled.fingerprint
    both = [replace(first, dataset=dataset) for dataset in (plain, scaled)]
    assert table_of_subjects(both, [inputs, inputs]).splitlines()[0].decode() == f"a,a (2),{TRUE_LABEL}"
    other = replace(first, dataset=open_dataset_file(_saved(tmp_path, len(truth))).dataset)
    with pytest.raises(BadInput, match="other inputs"):
        table_of_subjects([both[0], other], [inputs, inputs])


def _saved(folder, count):
    """Other pictures, as many."""
    path = folder / "others.npy"
    np.save(path, np.random.default_rng(2).random((count, 4, 4)).astype(np.float32))
    return path


def test_models_on_other_inputs_or_a_table_that_does_not_fit_are_refused(tmp_path, models):
    columns, _ = models
    project = Project(tmp_path)
    first = project.add_comparison(csv_of(columns), ComparisonChoice("a.csv"))
    half = {name: values[:200] for name, values in columns.items()}
    other = project.add_comparison(csv_of(half), ComparisonChoice("b.csv"))
    with pytest.raises(BadInput, match="other inputs"):
        table_of_subjects([first, other], [project.inputs(first.key), project.inputs(other.key)])
    with pytest.raises(BadInput, match="needs at least 2"):
        table_of_subjects([first], [project.inputs(first.key)])
    with pytest.raises(BadInput, match="200 rows"):
        project.add_comparison(csv_of(half), ComparisonChoice("b.csv", shown_by=first.key))
    with pytest.raises(BadInput, match="under Models, Compare"):
        project.start_session(
            project.add_table("one.csv", b"prediction,confidence\n1,0.5\n2,0.7\n").key, Request("tell-apart", 1, 1)
        )


@pytest.mark.slow
def test_the_demo_under_a_shift_shows_what_the_models_saw_and_ranks_change(tmp_path):
    project = Project(tmp_path)
    plain, foggy = (
        project.subject(project.add_comparison(*demo_comparison(shift)).key) for shift in (None, ("contrast", 5))
    )
    assert foggy.dataset.show(3).image != plain.dataset.show(3).image
    again = Project(tmp_path).subject(foggy.key)
    assert again.fingerprint == foggy.fingerprint
    assert again.dataset.show(3) == foggy.dataset.show(3)
    accuracy = [(one.inputs.compared_predictions == one.truth[:, None]).mean(axis=0) for one in (plain, foggy)]
    assert accuracy[1].mean() < accuracy[0].mean() - 0.05
    ranks = ranks_side_by_side([view_comparison(one.inputs) for one in (plain, foggy)])
    assert any(before != after for before, after in ranks.values())
