"""Adaptive rounds over every path a small set allows: no bias, and no capital that grows while the mean is right."""

import itertools
import math
from dataclasses import dataclass

import numpy as np
import pytest

from testimate.core.design import Rounds
from testimate.core.draw import Verdict
from testimate.estimators.adaptive_rounds import AdaptiveMean
from testimate.estimators.always_valid import adaptive_game
from testimate.estimators.betting import aimed_capitals, capitals
from testimate.estimators.sample import round_sample_of
from testimate.selectors.adaptive_rounds import AdaptiveRounds


class Scripted(AdaptiveRounds):
    """Takes its picks from a script, one choice per round; beyond it the first of the possible ones."""

    def __init__(self, *arguments, script, **settings):
        self.script, self.possible = script, []
        super().__init__(*arguments, **settings)

    def _pick(self, zones):
        stops = np.append(zones.starts[1:], zones.chances.size)
        choices = list(itertools.product(*map(range, zones.starts, stops)))
        number = len(self.possible)
        self.possible.append(len(choices))
        return np.array(choices[self.script[number] if number < len(self.script) else 0])


@dataclass(frozen=True)
class Path:
    chance: float
    design: Rounds
    verdicts: list[Verdict]

    def rounds(self):
        """The verdicts of each round."""
        return [list(group) for _, group in itertools.groupby(self.verdicts, key=lambda verdict: verdict.draw.round)]

    def after(self, count):
        """The verdicts of the first rounds."""
        return [verdict for verdict in self.verdicts if verdict.draw.round < count]


def by_one(selector, losses):
    """One tester answers all that is open, again and again."""
    verdicts: list[Verdict] = []
    while selector.remaining:
        batch = [Verdict(draw, losses[draw.row]) for draw in selector.ask(selector.remaining)]
        selector.tell(batch)
        verdicts += batch
    return verdicts


def by_team(selector, losses):
    """Failures are answered late, so a round is drawn before their rounds are settled; disputes teach half a loss."""
    verdicts: list[Verdict] = []
    late: list[Verdict] = []
    while selector.remaining or late:
        for draw in selector.ask(selector.remaining):
            verdict = Verdict(draw, losses[draw.row])
            verdicts.append(verdict)
            if draw.row in DISPUTED:
                selector.tell([Verdict(draw, 0.5)])
            elif verdict.loss:
                late.append(verdict)
            else:
                selector.tell([verdict])
        drawn = len(selector.design.rounds)
        if len(late) < 2:
            selector.draw_more()
        if late and len(selector.design.rounds) == drawn:
            selector.tell([late.pop()])
    return verdicts


DISPUTED = (3, 6)
"""Rows on which two testers differ; the estimate takes what a lead says of them in the end."""


def every_path(scores, losses, budget, label=by_one, **options):
    """Each way the draws could fall, with its chance; the order inside a round is one of many and is not enumerated."""
    script: list[int] = []
    while True:
        selector = Scripted(scores, True, budget=budget, seed=1, script=script, **options)
        verdicts = label(selector, losses)
        chance = math.prod(verdict.draw.probability or 1 for verdict in verdicts)  # an exploit pick has none
        yield Path(chance, selector.design, verdicts)
        script += [0] * (len(selector.possible) - len(script))
        while script and script[-1] == selector.possible[len(script) - 1] - 1:
            script.pop()
        if not script:
            return
        script[-1] += 1


SCORES = [0.01, 0.02, 0.05, 0.05, 0.1, 0.3, 0.6, 0.9]
POPULATIONS = {
    "failures": [0.0, 1.0, 0.0, 0.0, 1.0, 0.0, 1.0, 1.0],
    "the wrong way round": [1.0, 1.0, 1.0, 0.0, 0.0, 0.0, 0.0, 0.0],
    "losses of any size": [0.2, 0.0, 0.9, 0.0, 0.7, 0.3, 1.0, 0.4],
}
FORMS = {
    "random alone": {"budget": 6, "zones": 2},
    "with exploit picks": {"budget": 7, "zones": 2, "exploit": 1},
    "severe picks": {"budget": 7, "zones": 2, "exploit": 1, "exploit_order": "severity first"},
    "drawn to the end": {"budget": 8, "zones": 2, "exploit": 1},
    "by class, surprise and other models": {
        "budget": 6,
        "zones": 2,
        "classes": [0, 1, 1, 0, 0, 1, 1, 0],
        "dsa": [3.0, 1.0, 2.0, 5.0, 4.0, 0.0, 7.0, 6.0],
        "doubt": [0.01, 0.01, 0.3, 0.1, 0.1, 0.1, 0.2, 0.5],
        "disagreement": [0.0, 0.5, 0.0, 0.0, 1.0, 0.0, 0.5, 1.0],
        "votes": [-3.0, 1.0, -2.0, -1.0, 2.0, -3.0, 0.0, 4.0],
    },
    "half of them picks": {"budget": 7, "zones": 1, "exploit": 1, "eps_start": 0.3, "eps_end": 0.05},
}


QUICK = {
    *(("with exploit picks", population) for population in POPULATIONS),
    ("random alone", "failures"),
    ("severe picks", "the wrong way round"),
    ("drawn to the end", "losses of any size"),
    ("half of them picks", "the wrong way round"),
    ("by class, surprise and other models", "losses of any size"),
}
"""Each form and each population; the other pairs are for `make study`."""

CASES = [
    pytest.param(case, marks=() if case in QUICK else pytest.mark.slow)
    for case in sorted(itertools.product(FORMS, POPULATIONS))
]


@pytest.fixture(scope="module", params=CASES, ids="; ".join)
def paths(request):
    form, population = request.param
    return list(every_path(SCORES, POPULATIONS[population], **FORMS[form])), np.mean(POPULATIONS[population])


def mean_loss(path, verdicts):
    return 1 - AdaptiveMean().estimate(path.design, verdicts, loss_bound=None).accuracy


def test_the_paths_are_all_there_are_and_learning_tells_them_apart(paths):
    every, _ = paths
    assert math.fsum(path.chance for path in every) == pytest.approx(1, abs=1e-12)
    guesses = {one.guessed for path in every for one in path.design.rounds[2:3]}
    assert len(guesses) > 3  # what the third round is drawn from depends on the labels


def test_there_is_no_bias_after_any_whole_round(paths):
    every, truth = paths
    for count in range(1, len(every[0].design.rounds) + 1):
        found = [path.chance * mean_loss(path, path.after(count)) for path in every]
        assert abs(math.fsum(found) - truth) < 1e-12


@pytest.mark.parametrize("population", POPULATIONS)
def test_there_is_no_bias_where_a_team_has_rounds_drawn_from_what_happens_to_be_answered(population):
    losses = POPULATIONS[population]
    every = list(every_path(SCORES, losses, 6, by_team, zones=2, rounds_ahead=1))
    assert math.fsum(path.chance for path in every) == pytest.approx(1, abs=1e-12)
    alone = list(every_path(SCORES, losses, 6, zones=2, rounds_ahead=1))
    assert [path.design for path in every] != [path.design for path in alone]
    for count in range(1, 4):
        found = [path.chance * mean_loss(path, path.after(count)) for path in every]
        assert abs(math.fsum(found) - np.mean(losses)) < 1e-12


def test_there_is_no_bias_within_a_round_either(paths):
    every, truth = paths
    inside = every[0].design.rounds[1].zones + every[0].design.rounds[1].exploit
    for shown in range(1, inside):
        found = []
        for path in every:
            first, second = path.rounds()[:2]
            orders = list(itertools.permutations(second, shown))
            found.append(path.chance * np.mean([mean_loss(path, [*first, *part]) for part in orders]))
        assert abs(math.fsum(found) - truth) < 1e-12


def test_the_capitals_are_supermartingales(paths):
    every, truth = paths
    expected = np.zeros((2, len(every[0].design.rounds)))
    stake = 0.0
    for path in every:
        game = adaptive_game(round_sample_of(path.design, path.verdicts, 1.0))
        grown = capitals(game, np.array([truth]), 0.05)[:, :, 0]
        expected += path.chance * grown
        stake = max(stake, float(np.abs(grown - 1).max()))
    assert (expected <= 1 + 1e-12).all()
    assert (np.diff(expected, axis=1) <= 1e-12).all()
    assert stake > 0.1  # there was something to lose


@pytest.mark.parametrize("aimed_at", [3, 40])
def test_the_capitals_of_bets_aimed_at_a_number_are_supermartingales_too(paths, aimed_at, monkeypatch):
    monkeypatch.setattr("testimate.estimators.betting.SETTLED", 2)  # so that the outcomes' own spread counts at once
    every, truth = paths
    expected = np.zeros((2, len(every[0].design.rounds)))
    stake = 0.0
    for path in every:
        game = adaptive_game(round_sample_of(path.design, path.verdicts, 1.0))
        grown = aimed_capitals(game, truth, 0.05, aimed_at)
        expected += path.chance * grown
        stake = max(stake, float(np.abs(grown - 1).max()))
    assert (expected <= 1 + 1e-12).all()
    assert (np.diff(expected, axis=1) <= 1e-12).all()
    assert stake > 0.1


def test_no_outcome_lies_beyond_what_was_predicted(paths):
    for path in paths[0]:
        game = adaptive_game(round_sample_of(path.design, path.verdicts, 1.0))
        assert (game.outcomes >= game.smallest - 1e-12).all()
        assert (game.outcomes <= game.largest + 1e-12).all()


def test_severe_picks_are_others_than_the_likeliest_failures():
    losses = POPULATIONS["failures"]
    picked = {}
    for order in ("failure chance", "severity first"):
        settings = {"zones": 2, "exploit": 1, "exploit_order": order}
        picked[order] = [
            draw.row
            for path in every_path(SCORES, losses, 7, **settings)
            for draw in (verdict.draw for verdict in path.verdicts)
            if draw.exploit
        ]
    severity = {order: np.mean([1 - SCORES[row] for row in rows]) for order, rows in picked.items()}
    assert severity["severity first"] > severity["failure chance"] + 0.1


def test_a_capital_against_a_wrong_mean_does_grow():
    losses = [float(score > 0.25) for score in SCORES]
    grown = np.zeros(2)
    for path in every_path(SCORES, losses, 6, zones=2):
        game = adaptive_game(round_sample_of(path.design, path.verdicts, 1.0))
        (up, _), (_, down) = capitals(game, np.mean(losses) + np.array([-0.2, 0.2]), 0.05)[:, -1]
        grown += path.chance * np.array([up, down])
    assert (grown > 1).all()
