"""Other models' predictions in a project: kept, planned with, found again, and refused in a sentence."""

import numpy as np
import pytest

from testimate.core.errors import BadInput
from testimate.core.inputs import OtherModel
from testimate.core.selector import Request
from testimate.core.session_record import Event
from testimate.demos.glyphs import DEFAULT_LEVEL
from testimate.project.bundle import import_bundle, write_bundle
from testimate.project.deleted import delete_subject
from testimate.project.project import Project

SIZE = 200
TRUTH = np.random.default_rng(3).integers(0, 3, SIZE)


def said(seed: int, wrong: float) -> np.ndarray:
    rng = np.random.default_rng(seed)
    return np.where(rng.random(SIZE) < wrong, (TRUTH + 1) % 3, TRUTH)


def table(with_column: bool = True) -> bytes:
    own, other = said(1, 0.3), said(2, 0.1)
    lines = [f"k{row},{own[row]},0.8,{other[row]},0.9" for row in range(SIZE)]
    return ("key,prediction,confidence,model_b,sure_b\n" + "\n".join(lines)).encode()


@pytest.fixture
def opened(tmp_path):
    """A project with a table, and its key."""
    project = Project(tmp_path / "project")
    return project, project.add_table("own.csv", table()).key


def test_a_session_with_others_is_found_again_as_it_was(opened, tmp_path):
    project, key = opened
    other = project.others.read(key, "model b", None, prediction="model_b", confidence="sure_b")
    assert (other.predictions == said(2, 0.1)).all()
    project.others.add(key, other)
    session = project.start_session(key, Request("rra", 40, 1, "combined"), others=[other.fingerprint])
    assert session.session_record.resolved["others"] == [other.fingerprint]
    assert len(session.inputs.others) == 1
    rows = [draw.row for draw in session.draws]
    time = "2026-11-23T10:00:00+00:00"
    session.record([Event(f"e{row}", "answer", row, "tester", time, int(TRUTH[row])) for row in rows])
    again = Project(tmp_path / "project").session(session.session_record.id)
    assert [draw.row for draw in again.draws] == [draw.row for draw in session.draws]
    assert again.estimate().accuracy == session.estimate().accuracy


def test_what_a_session_uses_is_not_removed_and_what_is_gone_is_named(opened, tmp_path):
    project, key = opened
    used, unused = OtherModel("b", said(2, 0.1), None), OtherModel("c", said(4, 0.2), None)
    for other in (used, unused):
        project.others.add(key, other)
    assert [one.name for one in project.others.of(key)] == ["b", "c"]
    made = project.start_session(key, Request("rrs", 20, 1, "combined"), others=[used.fingerprint]).session_record.id
    with pytest.raises(BadInput, match="A session was planned with these predictions"):
        project.others.remove(key, used.fingerprint)
    project.others.remove(key, unused.fingerprint)
    assert [one.name for one in project.others.of(key)] == ["b"]
    (tmp_path / "project" / "subjects" / key / "others" / f"{used.fingerprint}.npz").unlink()
    with pytest.raises(BadInput, match="gone from the project"):
        Project(tmp_path / "project").session(made)


def test_a_bundle_opens_where_the_others_are_and_is_refused_where_not(opened, tmp_path):
    project, key = opened
    other = OtherModel("b", said(2, 0.1), None)
    project.others.add(key, other)
    session = project.start_session(key, Request("rrs", 20, 1, "combined"), others=[other.fingerprint])
    elsewhere = Project(tmp_path / "elsewhere")
    elsewhere.add_table("own.csv", table())
    with pytest.raises(BadInput, match="gone from the project"):
        import_bundle(elsewhere, write_bundle(session))
    elsewhere.others.add(key, other)
    assert import_bundle(elsewhere, write_bundle(session)).draws == session.draws


def test_another_subject_on_the_same_rows_is_offered_and_one_on_others_is_not(opened):
    project, key = opened
    lines = "\n".join(f"{'012'[one]},{'012'[two]}" for one, two in zip(said(5, 0.1), said(6, 0.2), strict=True))
    from testimate.project.compared_models import ComparisonChoice

    project.add_comparison(f"first,second\n{lines}".encode(), ComparisonChoice("two.csv"))
    project.add_comparison(b"third,fourth\n0,1\n1,1\n2,2\n", ComparisonChoice("short.csv"))
    offered = project.others.offered(key)
    assert set(offered) == {"first", "second"}
    assert (offered["second"]().predictions == said(6, 0.2)).all()
    project.others.add(key, offered["first"]())
    assert set(project.others.offered(key)) == {"second"}


def test_a_demos_other_model_keeps_its_confidence_once_all_are_compared(tmp_path):
    """Without it Plan could not say what the other model saves."""
    from testimate.project.compared_models import glyph_comparison

    project, name = Project(tmp_path), "LeNet-1, heavy noise"
    alone = project.others.offered("glyphs")[name]()
    project.add_comparison(*glyph_comparison(DEFAULT_LEVEL))
    compared = project.others.offered("glyphs")[name]()
    assert alone.confidence is not None
    np.testing.assert_array_equal(compared.confidence, alone.confidence)


def test_the_tested_model_itself_is_refused(opened):
    project, key = opened
    with pytest.raises(BadInput, match="from which nothing can be learned"):
        project.others.add(key, project.others.read(key, "own.csv", table()))
    assert project.others.of(key) == ()


def test_a_deleted_subject_leaves_no_predictions_behind(opened, tmp_path):
    project, key = opened
    project.others.add(key, OtherModel("b", said(2, 0.1), None))
    delete_subject(project, key)
    assert not (tmp_path / "project" / "subjects" / key).exists()
