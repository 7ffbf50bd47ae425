"""Compared models judged by labels that are kept of their inputs."""

from dataclasses import replace

import numpy as np
import pytest

from testimate.comparison.differences import level_of_pair
from testimate.core.errors import BadInput
from testimate.core.selector import Request
from testimate.project.compared_models import ComparisonChoice, csv_of
from testimate.project.project import Project
from testimate.project.version_labels import kept_contest
from testimate.ui.compare import behind, verdict
from tests.project.test_versions import CLASSES, SIZE, TRUTH, model, table
from tests.session.labeling import label_all


def said(seed: int, wrong: float) -> list[str]:
    return [CLASSES[place] for place in model(seed, wrong)[0]]


@pytest.fixture
def project(tmp_path) -> Project:
    made = Project(tmp_path / "project")
    made.add_table("v1.csv", table(*model(1, 0.12)))
    return made


@pytest.fixture
def owner(project) -> str:
    return next(entry.key for entry in project.entries() if entry.name == "v1.csv")


def comparison(project, owner, shares) -> str:
    columns = {f"model {place}": said(place, share) for place, share in enumerate(shares, start=1)}
    return project.add_comparison(csv_of(columns), ComparisonChoice("some.csv", shown_by=owner)).key


def test_without_labels_or_without_the_inputs_nothing_is_said(project, owner, say):
    assert kept_contest(project, comparison(project, owner, [0.12, 0.3])) is None
    label_all(project.start_session(owner, Request("rrs", 60, seed=1)), say, dict(enumerate(TRUTH.tolist())))
    alone = project.add_comparison(csv_of({"a": said(1, 0.1), "b": said(2, 0.1)}), ComparisonChoice("alone.csv")).key
    assert kept_contest(project, alone) is None


def test_labels_of_every_input_rank_the_models_by_their_true_accuracy(project, owner, say):
    label_all(project.start_session(owner, Request("srs", SIZE, seed=1)), say, dict(enumerate(TRUTH.tolist())))
    found = kept_contest(project, comparison(project, owner, [0.12, 0.3, 0.2]))
    right = {f"model {k}": (model(k, share)[0] == TRUTH).mean() for k, share in ((1, 0.12), (2, 0.3), (3, 0.2))}
    assert [one.model for one in found.models] == sorted(right, key=lambda name: -right[name])
    for one in found.models:
        assert one.accuracy.estimate.accuracy == pytest.approx(right[one.model])
        if one.first_minus_this is not None:
            gap = one.first_minus_this.difference.value
            assert gap == pytest.approx(right[found.models[0].model] - right[one.model])


def test_a_sample_s_intervals_hold_the_truth_and_those_of_rivals_share_the_level(project, owner, say):
    label_all(project.start_session(owner, Request("rrs", 150, seed=1)), say, dict(enumerate(TRUTH.tolist())))
    two_models = comparison(project, owner, [0.12, 0.4])
    two = kept_contest(project, two_models)
    four = kept_contest(project, comparison(project, owner, [0.12, 0.4, 0.4, 0.4]))
    right = {
        f"model {k}": (model(k, share)[0] == TRUTH).mean() for k, share in ((1, 0.12), (2, 0.4), (3, 0.4), (4, 0.4))
    }
    for one in four.models:
        assert one.accuracy.estimate.low <= right[one.model] <= one.accuracy.estimate.high
        if one.first_minus_this is not None:
            gap = one.first_minus_this.difference
            assert 0 < gap.low < right["model 1"] - right[one.model] < gap.high
    # with two models a pair has the level of the contest, so theirs at the level of a pair of four is the witness
    at = level_of_pair(0.95, 4)
    assert at == pytest.approx(1 - 0.05 / 3)
    alone, wider = (
        found.models[1].first_minus_this.difference for found in (two, kept_contest(project, two_models, level=at))
    )
    (among,) = (one.first_minus_this.difference for one in four.models if one.model == "model 2")
    assert wider.high - wider.low > 1.1 * (alone.high - alone.low)
    assert (among.always_low, among.always_high) == pytest.approx((wider.always_low, wider.always_high))
    assert among.high - among.low == pytest.approx(wider.high - wider.low, rel=0.05)  # more models make another guess


def test_more_than_ten_models_are_refused_in_a_sentence(project, owner, say):
    label_all(project.start_session(owner, Request("rrs", 60, seed=1)), say, dict(enumerate(TRUTH.tolist())))
    with pytest.raises(BadInput, match="the best of many looks better than it is"):
        kept_contest(project, comparison(project, owner, np.linspace(0.1, 0.3, 11).tolist()))


def test_the_verdict_names_the_best_model_and_counts_those_that_may_be_as_good(project, owner, say):
    label_all(project.start_session(owner, Request("srs", 20, seed=1)), say, dict(enumerate(TRUTH.tolist())))
    found = kept_contest(project, comparison(project, owner, [0.12, 0.13, 0.14, 0.12]))
    open_ = [one.model for one in found.models[1:] if not behind(one)]
    assert len(open_) == 3, "20 labels do not tell four models apart that are wrong on an eighth"
    assert verdict(found) == f"Too close to call. {found.models[0].model} leads. 3 others may be as good."
    two = replace(found, models=found.models[:2])
    assert verdict(two).endswith(f"leads. {found.models[1].model} may be as good.")
