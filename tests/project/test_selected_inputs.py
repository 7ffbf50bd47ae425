"""Selections of inputs: summed up, filtered, named and labeled in part, against counts made by hand and brute force."""

import io
import zipfile
from dataclasses import replace

import numpy as np
import pytest

from testimate.core.errors import BadInput
from testimate.core.inputs import Inputs
from testimate.project.cluster_review import called, named_parts, notes_elsewhere, notes_on, write_note
from testimate.project.cluster_settings import ClusterSettings
from testimate.project.clusters import ClusterView, minority_groups, view_clusters
from testimate.project.project import Project
from testimate.project.selections import (
    MINORITY,
    Filter,
    filtered,
    keep_selection,
    label_some,
    summary_of,
    take_back_selection,
)
from testimate.reports.clusters import clusters_csv, pictures_zip
from testimate.tasks.classification import Classification
from tests.each import each
from tests.project.test_clusters import SETTINGS, inputs_of

CLASSES = ("no", "yes")


@pytest.fixture(scope="module")
def blobs() -> Inputs:
    """Four blobs of 60 inputs and 20 inputs far outside, in four dimensions; every seventh fails."""
    rng = np.random.default_rng(8)
    inside = np.concatenate([rng.normal(center, 0.5, size=(60, 4)) for center in 12 * np.eye(4)])
    found = inputs_of(np.concatenate([inside, rng.uniform(-40, 40, size=(20, 4))]))
    truth = np.where(np.arange(260) % 7 == 0, 1 - found.predictions, found.predictions)
    return replace(found, truth=truth, losses=(truth != found.predictions).astype(float))


@pytest.fixture(scope="module")
def view(blobs) -> ClusterView:
    return view_clusters(blobs, SETTINGS)


def losses_at(rows: dict[int, float]) -> np.ndarray:
    losses = np.full(260, np.nan)
    losses[list(rows)] = list(rows.values())
    return losses


def test_a_summary_counts_classes_clusters_and_labels(view, blobs):
    rows = np.array([0, 1, 60, 61, 62, int(view.minority[0])])
    found = summary_of(rows, view, blobs, losses_at({0: 1.0, 61: 0.0, 62: 0.0, 100: 1.0}))
    assert (found.size, found.share) == (6, 6 / 260)
    assert (found.labeled, found.right) == (3, 2)
    assert dict(found.predicted) == {
        name: count for place, name in enumerate(CLASSES) if (count := int((blobs.predictions[rows] == place).sum()))
    }
    assert dict(found.clusters)[MINORITY] == 1
    assert sum(count for _, count in found.clusters) == 6
    assert found.mean_confidence == pytest.approx(blobs.confidence[rows].mean())
    assert found.known_accuracy == pytest.approx(1 - blobs.losses[rows].mean())


@each(
    "wanted",
    [
        Filter(),
        Filter(classes=(1,)),
        Filter(confidence=(0.6, 0.7)),
        Filter(clusters=(0, MINORITY)),
        Filter(fault="wrong"),
        Filter(fault="right", classes=(0,)),
        Filter(fault="not labeled", confidence=(0.5, 0.55)),
        Filter(column="light", values=("night",)),
        Filter(
            classes=(0,),
            confidence=(0.9, 1.0),
            clusters=(1, 2, 3),
            fault="labeled",
            column="light",
            values=("", "dusk"),
        ),
    ],
)
def test_a_filter_keeps_what_a_loop_over_the_inputs_keeps(view, blobs, wanted):
    losses = losses_at({row: float(row % 7 == 0) for row in range(0, 260, 2)})
    light = np.array([["", "night", "dusk"][row % 3] for row in range(260)], dtype=object)

    def fits(row: int) -> bool:
        known, wrong = not np.isnan(losses[row]), losses[row] > 0
        state = {
            "any": True,
            "labeled": known,
            "not labeled": not known,
            "wrong": known and wrong,
            "right": known and not wrong,
        }
        return (
            (not wanted.classes or blobs.predictions[row] in wanted.classes)
            and wanted.confidence[0] <= blobs.confidence[row] <= wanted.confidence[1]
            and (not wanted.clusters or view.labels[row] in wanted.clusters)
            and bool(state[wanted.fault])
            and (not wanted.column or light[row] in wanted.values)
        )

    expected = [row for row in range(260) if fits(row)]
    assert filtered(wanted, view, blobs, losses, {"light": light}).tolist() == expected


def test_a_filter_by_a_column_that_is_not_there_is_refused(view, blobs):
    with pytest.raises(BadInput, match=r"There is no column 'weather' here. Expected one of light"):
        filtered(Filter(column="weather"), view, blobs, losses_at({}), {"light": np.full(260, "", dtype=object)})


def test_each_outlying_input_is_in_the_group_of_the_cluster_whose_prototype_is_nearest(view, blobs):
    groups = minority_groups(view, blobs)
    assert sorted(int(row) for group in groups for row in group.rows) == sorted(view.minority.tolist())
    assert [len(group.rows) for group in groups] == sorted((len(group.rows) for group in groups), reverse=True)
    place = {int(row): turn for turn, row in enumerate(view.minority)}
    for group in groups:
        assert [place[int(row)] for row in group.rows] == sorted(place[int(row)] for row in group.rows)
        for row in group.rows:
            apart = [
                np.linalg.norm(view.clustering.space[card.prototypes] - view.clustering.space[row], axis=1).min()
                for card in view.cards
            ]
            assert group.nearest == int(np.argmin(apart))
            assert group.predicted == blobs.predictions[row]


@pytest.fixture
def project(tmp_path, demo_ready) -> Project:
    demo_ready("digits", tmp_path)
    return Project(tmp_path)


def test_a_note_is_found_under_other_settings_where_a_cluster_holds_the_same_inputs(project, blobs, view):
    other = view_clusters(blobs, replace(SETTINGS, min_cluster_size=24))  # the same four blobs
    assert other.fingerprint != view.fingerprint
    same = next(card for card in other.cards if card.members == view.cards[1].members)
    write_note(project.cluster_notes, view, view.cards[1], "loops\nmore of it", subject="blobs", tester="Ann")
    notes = project.cluster_notes.of("blobs")
    assert called(other, same.number, notes_on(other, notes)) == f"cluster {same.number + 1}: loops"
    assert notes_elsewhere(other, notes) == []
    write_note(project.cluster_notes, other, same, "knots", subject="blobs", tester="Ben")
    assert {number: one.text for number, one in notes_on(view, project.cluster_notes.of("blobs")).items()} == {
        1: "knots"
    }
    write_note(project.cluster_notes, other, same, "", subject="blobs", tester="Ben")
    assert project.cluster_notes.of("blobs") == []


def test_a_note_stays_elsewhere_where_no_cluster_holds_the_same_inputs(project, blobs, view):
    write_note(project.cluster_notes, view, view.cards[1], "loops", subject="blobs", tester="Ann")
    other = view_clusters(
        replace(blobs, fingerprint="b" * 32, features={"LHL": blobs.features["LHL"][::-1].copy()}), SETTINGS
    )
    notes = project.cluster_notes.of("blobs")
    shared = {card.members for card in other.cards} & {card.members for card in view.cards}
    assert shared == set()
    assert notes_on(other, notes) == {}
    assert [note.text for note in notes_elsewhere(other, notes)] == ["loops"]


def test_some_of_a_selection_are_labeled_in_a_session_that_opens_again_and_says_nothing_of_the_whole_set(project):
    session = label_some(project, "digits", range(40), 20, called="first", seed=4, labeled=[0, 1, 2])
    rows = [draw.row for draw in session.upcoming(30)]
    assert len(set(rows)) == 20
    assert set(rows) <= set(range(3, 40))
    again = Project(project.folder).session(session.session_record.id)
    assert [draw.row for draw in again.upcoming(30)] == rows
    with pytest.raises(BadInput, match="38 inputs were to be labeled and 37 of the selection have no label yet"):
        label_some(project, "digits", range(40), 38, called="first", seed=4, labeled=[0, 1, 2])


def test_named_parts_are_listed_with_what_the_labels_say_and_tags_are_columns(project, say):
    session = label_some(project, "digits", range(40), 20, called="first", seed=4)
    truth = session.inputs.truth
    session.record([say(draw.row, int(truth[draw.row])) for draw in session.upcoming(20)])
    kept = keep_selection(project, "digits", range(40), " first ", tester="Ann")
    assert project.columns.tags("digits")["tag"][[0, 39, 40]].tolist() == ["first", "first", ""]
    [part] = named_parts(project, session)
    rows = [draw.row for draw in session.draws]
    assert (part.what, part.text, part.size, part.labeled) == ("tag", "first", 40, 20)
    assert part.right == int((session.inputs.predictions[rows] == truth[rows]).sum())
    take_back_selection(project, kept, tester="Ann")
    assert named_parts(project, session) == []
    assert project.columns.tags("digits") == {}


def test_the_file_of_clusters_has_a_line_per_input_and_quotes_what_a_spreadsheet_would_run(project):
    view, inputs = project.clusters("digits", ClusterSettings("LHL", 80)), project.inputs("digits")
    write_note(project.cluster_notes, view, view.cards[0], "=1+1 loops", subject="digits", tester="Ann")
    keep_selection(project, "digits", [4], "@night", column="cluster", tester="Ann")
    losses = np.full(len(inputs), np.nan)
    losses[[4, 5]] = [1.0, 0.0]
    notes = notes_on(view, project.cluster_notes.of("digits"))
    lines = clusters_csv(view, inputs, notes, project.columns.tags("digits"), losses).splitlines()
    assert lines[0] == "row,cluster,name,glosh,prediction,confidence,outcome,tag cluster"
    assert len(lines) == 1 + len(inputs)
    assert lines[5].endswith(",wrong,'@night")
    assert lines[6].endswith(",right,")
    first = int(view.cards[0].rows[0])
    assert lines[1 + first].split(",")[:3] == [str(first), "1", "'=1+1 loops"]
    few = clusters_csv(view, inputs, notes, {}, losses, [7, 9]).splitlines()
    assert [line.split(",")[0] for line in few] == ["row", "7", "9"]


def test_the_pictures_of_a_selection_are_those_that_are_shown_and_too_many_are_refused(project):
    show = project.subject("digits").dataset.show
    with zipfile.ZipFile(io.BytesIO(pictures_zip([3, 8], show))) as packed:
        assert {name: packed.read(name) for name in packed.namelist()} == {
            "3.png": show(3).image,
            "8.png": show(8).image,
        }
    with pytest.raises(BadInput, match="at most 2,000"):
        pictures_zip(range(2_001), show)


def test_a_task_with_many_labels_has_no_predicted_classes_to_sum_up(view, blobs):
    many = replace(
        blobs,
        task=Classification(CLASSES, top_k=2),
        predictions=np.stack([blobs.predictions, 1 - blobs.predictions], 1),
    )
    assert summary_of(np.arange(5), view, many, losses_at({})).predicted == ()
