"""The technique advised can run on the inputs it is advised for, and claims what its reason says."""

from dataclasses import replace

import numpy as np

from testimate.advice.advice import OBJECTIVES, advise, case_of
from testimate.advice.evidence import TABLE_10, evidence
from testimate.core.inputs import Inputs
from testimate.core.selector import Request
from testimate.planning.build import build
from testimate.planning.needs import possible
from testimate.selectors import SELECTORS
from testimate.tasks.classification import Classification, MultiLabel
from testimate.tasks.regression import Regression
from tests.each import each
from tests.sampling import rotating

CHANCE = np.linspace(0, 0.9, 100)
CLASSES = Inputs(
    "f" * 32,
    Classification(("a", "b")),
    predictions=np.zeros(100, dtype=int),
    confidence=1 - CHANCE,
    scores={"confidence": CHANCE},
)
STEERING = Inputs("f" * 32, Regression(0.5), predictions=CHANCE, scores={"lsa": 30 * CHANCE - 4})
TAIL = np.concatenate([np.zeros(9_600), np.linspace(5, 9, 400)])
"""400 of 10,000 inputs stand out, more than DeepEST's share of 200 labels."""

MANY = Inputs("f" * 32, Classification(("a", "b")), predictions=np.zeros(10_000, dtype=int), scores={"dsa": TAIL})
KINDS = {
    "a rare tail of dsa": MANY,
    "a rare tail of lsa": replace(MANY, scores={"lsa": TAIL}),
    "nearly always right": replace(MANY, confidence=1 - TAIL / 10, scores={"confidence": TAIL / 10}),
    "first three": replace(
        CLASSES, task=Classification(tuple("abcd"), top_k=3), predictions=np.zeros((100, 3), dtype=int)
    ),
    "numbers with a rare tail": Inputs("f" * 32, Regression(0.5), predictions=TAIL, scores={"lsa": TAIL}),
    "numbers by vae": replace(STEERING, scores={"vae": CHANCE}),
    "numbers by a score of one's own": replace(STEERING, scores={"my_risk": CHANCE}),
    "classes": CLASSES,
    "classes without confidence": replace(CLASSES, confidence=None, scores={"dsa": 30 * CHANCE}),
    "several classes": replace(CLASSES, task=MultiLabel(("a", "b")), predictions=np.zeros((100, 2), dtype=int)),
    "numbers": STEERING,
    "nothing known": replace(CLASSES, confidence=None, scores={}),
}


@each("objective", OBJECTIVES)
@each("kind", KINDS)
def test_what_is_advised_can_be_built(kind, objective):
    live = (list(KINDS).index(kind) + list(OBJECTIVES).index(objective)) % 2 == 0  # every pair of two of the three
    advice = advise(KINDS[kind], objective, live=live)
    request = Request(advice.technique, 40, 1, auxiliary=advice.auxiliary, options=advice.options)
    selector = build(KINDS[kind], request)
    assert selector.remaining == 40
    assert len(advice.why) > 80


@each(
    ("kind", "live", "names"),
    [
        ("classes", True, ["rrs", "rra", "rra", "severity-first"]),
        ("classes", False, ["rrs", "ssrs", "sups", "severity-first"]),
        ("classes without confidence", True, ["rrs", "rra", "sups", "sups"]),
        ("classes without confidence", False, ["rrs", "rrs", "sups", "sups"]),
        ("a rare tail of dsa", True, ["rra", "rra", "deepest", "deepest"]),
        ("a rare tail of lsa", False, ["rrs", "rrs", "deepest", "deepest"]),
        ("nearly always right", True, ["rra", "rra", "deepest", "severity-first"]),
        ("several classes", True, ["rrs", "rra", "rra", "severity-first"]),
        ("first three", True, ["rrs", "rra", "rra", "severity-first"]),
        ("numbers", True, ["rrs", "ssrs", "sups", "sups"]),
        ("numbers with a rare tail", True, ["rrs", "ssrs", "deepest", "deepest"]),
        ("numbers by vae", True, ["rrs", "rrs", "sups", "sups"]),
        ("numbers by a score of one's own", False, ["rrs", "rrs", "sups", "sups"]),
        ("nothing known", True, ["srs", "srs", "srs", "srs"]),
    ],
)
def test_each_objective_has_its_technique(kind, live, names):
    assert [advise(KINDS[kind], objective, live=live).technique for objective in OBJECTIVES] == names


@each("live", [True, False])
@each("kind", KINDS)
def test_a_tight_interval_is_one_that_is_right_whenever_one_stops(kind, live):
    claims = SELECTORS[advise(KINDS[kind], "tight interval", live=live).technique].claims
    assert claims.unbiased != "no"
    assert claims.honest_interval
    assert claims.always_valid


def test_a_list_that_is_exported_is_known_before_any_label():
    advice = advise(CLASSES, "tight interval", live=False)
    selector = build(CLASSES, Request(advice.technique, 40, 1, auxiliary=advice.auxiliary))
    assert len(selector.ask(40)) == 40


def test_balance_picks_inputs_that_are_thought_to_fail_beside_the_random_ones():
    advice = advise(CLASSES, "balance")
    selector = build(CLASSES, Request(advice.technique, 40, 1, auxiliary=advice.auxiliary, options=advice.options))
    draws = selector.ask(20)
    assert sum(draw.exploit for draw in draws) == 8
    assert not any(draw.exploit for draw in build(CLASSES, Request("rra", 40, 1)).ask(20))


@each(("kind", "objective"), rotating(list(KINDS), list(OBJECTIVES), each=2))
def test_the_advised_technique_comes_first_and_each_other_says_why_not(kind, objective):
    advice = advise(KINDS[kind], objective, budget=100)
    first, *others = advice.candidates
    assert (first.technique, first.why_not) == (advice.technique, "")
    assert len({one.technique for one in advice.candidates}) == len(advice.candidates) >= 5
    for one in others:
        assert one.why_not.endswith(".")
        lacks = possible(KINDS[kind], SELECTORS[one.technique])
        assert one.why_not == lacks or not lacks


@each(
    ("kind", "objective"),
    [
        ("classes", "many failures"),
        ("nearly always right", "many failures"),
        ("a rare tail of dsa", "many failures"),
        ("a rare tail of lsa", "many failures"),
        ("numbers with a rare tail", "many failures"),
    ],
)
def test_what_is_advised_for_failures_exposed_most_of_them_in_our_studies(kind, objective):
    advice = advise(KINDS[kind], objective)

    def failures(candidate) -> float:
        found = candidate.measured.get("failures", "0").split(", ")
        return float(np.mean([float(one) for one in found]))

    assert failures(advice.candidates[0]) == max(map(failures, advice.candidates)) > 1.5


@each("kind", ["classes", "nearly always right", "a rare tail of dsa"])
def test_what_is_advised_for_a_tight_interval_has_no_larger_error_than_any_honest_rival_but_within_a_tenth(kind):
    advice = advise(KINDS[kind], "tight interval")

    def error(technique: str) -> float:
        return float(
            np.mean([one.error for one in evidence().measured(advice.case.figures, technique).values()] or [1.0])
        )

    honest = [name for name in ("rra", "rrs", "ssrs", "css", "srs") if SELECTORS[name].claims.honest_interval]
    assert error(advice.technique) <= 1.1 * min(error(name) for name in honest)


def test_the_columns_of_the_papers_table_are_those_of_the_case():
    assert case_of(CLASSES, budget=50).breakdowns == (
        "classification",
        "50 to 200 labels",
        "low accuracy",
        "confidence",
    )
    assert case_of(KINDS["nearly always right"], budget=800).breakdowns[1:3] == ("400 and 800 labels", "high accuracy")
    assert case_of(MANY).breakdowns == ("classification", "50 to 200 labels", "dsa")
    assert case_of(STEERING).breakdowns[0::3] == ("regression", "lsa, regression")
    for kind in KINDS:
        assert set(case_of(KINDS[kind], budget=400).breakdowns) <= set(TABLE_10)


def test_where_evidence_is_lacking_the_advice_says_so():
    def lacks(kind: str, objective: str = "tight interval", budget: int | None = 200) -> str:
        return " ".join(advise(KINDS[kind], objective, budget=budget).lacking)

    assert lacks("classes") == ""
    assert "below 50 labels" in lacks("classes", budget=30)
    assert "beyond 800 labels" in lacks("nearly always right", budget=900)
    assert "Tasks with several labels per input were not measured" in lacks("several classes")
    assert "Top-3 was not measured" in lacks("first three")
    assert "about 6 of 200 labels drawn at random" in lacks("nearly always right")
    assert "No technique was measured with my_risk" in lacks("numbers by a score of one's own")
    assert "no technique gained from vae" in lacks("numbers by vae")
    assert "no labels can be saved" in lacks("nothing known")
    assert "one test set, so take it as a hint" in lacks("numbers with a rare tail", "many failures")
    assert "only" in lacks("a rare tail of dsa", "balance")
    assert "without either" in lacks("classes", "severe faults")


def test_few_labels_get_a_technique_that_has_a_number_for_them():
    for budget in (1, 5, 9):
        assert advise(CLASSES, "tight interval", budget=budget, live=False).technique == "srs"
    assert advise(CLASSES, "tight interval", budget=10, live=False).technique == "rrs"
    assert advise(STEERING, "balance", budget=5).technique == "srs"
    assert advise(CLASSES, "tight interval", budget=5).technique == "srs"


LARGE = replace(
    CLASSES,
    predictions=np.zeros(300, dtype=int),
    confidence=1 - np.tile(CHANCE, 3),
    scores={"confidence": np.tile(CHANCE, 3)},
)


@each(("size", "budget", "technique"), [(300, 100, "rra"), (300, 99, "rrs"), (299, 100, "rrs"), (300, None, "rra")])
def test_a_list_is_advised_below_100_labels_or_300_inputs_and_adaptive_rounds_from_there(size, budget, technique):
    inputs = replace(LARGE, **{name: getattr(LARGE, name)[:size] for name in ("predictions", "confidence")})
    inputs = replace(inputs, scores={"confidence": 1 - inputs.confidence})
    advice = advise(inputs, "tight interval", budget=budget)
    assert advice.technique == technique
    assert ("With fewer than 100 labels or 300 inputs" in advice.why) == (technique == "rrs")
    assert advise(inputs, "balance", budget=budget).technique == "rra"  # a list has no picks


def test_few_labels_are_told_what_adaptive_rounds_would_cost_and_more_what_they_gain():
    assert "% wider than that of rrs with so few" in advise(LARGE, "tight interval", budget=50).why
    assert "narrower" in advise(LARGE, "tight interval", budget=200).why


def test_a_regression_is_not_promised_an_interval_that_is_right_whenever_one_stops():
    assert "stop-safe" not in advise(STEERING, "tight interval").why


def test_dsa_comes_before_lsa_for_classes_and_after_it_for_numbers():
    both = {"lsa": CHANCE, "dsa": CHANCE}
    assert advise(replace(CLASSES, confidence=None, scores=both), "tight interval").auxiliary == "dsa"
    assert advise(replace(STEERING, scores=both), "tight interval").auxiliary == "lsa"
