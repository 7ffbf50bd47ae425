"""Adaptive rounds: what the labels so far say about the chances of failure decides where the next round is drawn.

The zones of a round: inputs in the order of their guesses, cut where a random draw of each leaves the same doubt.
"""

import math
from collections.abc import Collection, Mapping, Sequence
from dataclasses import dataclass
from types import MappingProxyType
from typing import Any, ClassVar

import numpy as np
from numpy.typing import ArrayLike, NDArray

from testimate.core.checks import check_budget, check_scores
from testimate.core.design import Design, IntervalVersion, Round, Rounds
from testimate.core.draw import Draw, RoundDraw, Verdict
from testimate.core.errors import BadInput
from testimate.core.selector import Claims, Need, Option, check_options
from testimate.selectors.base import (
    AHEAD,
    INTERVAL_VERSION,
    TRUST,
    Blocks,
    check_seed,
    check_variant,
    rounds_open,
    trusted,
)
from testimate.selectors.prioritizers import prior_of
from testimate.selectors.round_guesses import guesses_of, of_inputs, usual_terms
from testimate.selectors.severity_first import SEVERITY, SeverityChance, known_of, ranking
from testimate.structure.orders import RunningSums, kind_of_places, order_with_ties, picked

AT_A_TIME = 1 << 16
"""Inputs of a round worked on at a time: with tens of millions of them, every further array counts."""


@dataclass(frozen=True, eq=False)
class Zones:
    """The inputs not drawn before, by rising or falling guess, cut into B zones.

    Attributes
    ----------
    weights : (n,) s, each above 0.
    sums : their running sums.
    starts : (B,) place of each zone's first input, rising from 0.
    before : (B,) sum of the weights of the zones before.
    totals : (B,) S, sum of each zone's weights.
    """

    weights: NDArray[np.float64]
    sums: RunningSums
    starts: NDArray[np.intp]
    before: NDArray[np.float64]
    totals: NDArray[np.float64]

    @property
    def stops(self) -> NDArray[np.intp]:
        """The place behind each zone's last input, (B,)."""
        return np.append(self.starts[1:], self.weights.size)

    @property
    def chances(self) -> NDArray[np.float64]:
        """s / S of each input, in (0, 1], (n,)."""
        return self._chances(0, self.weights.size)

    def chances_at(self, places: NDArray[np.intp]) -> NDArray[np.float64]:
        """s / S of the inputs at these places, (k,)."""
        zones = np.searchsorted(self.starts, places, side="right") - 1
        return np.minimum(self.weights[places] / self.totals[zones], 1.0)

    def _chances(self, start: int, stop: int) -> NDArray[np.float64]:
        """s / S of the inputs from one place to another."""
        found = self.weights[start:stop].copy()
        first, last = np.searchsorted(self.starts, (start, stop - 1), side="right").tolist()
        for zone in range(first - 1, last):
            begin = max(int(self.starts[zone]) - start, 0)
            end = int(self.starts[zone + 1]) - start if zone + 1 < self.starts.size else found.size
            found[begin:end] /= self.totals[zone]
        return np.minimum(found, 1.0, out=found)

    def round_of(self, guesses: NDArray[np.float64], size: int, exploit: int) -> Round:
        """What the design keeps of a round that is drawn from these zones, with the guesses mu (n,), N = ``size``.

        The zones are used up: with tens of millions of inputs every further array counts, so their weights are
        overwritten.
        """
        spread, smallest, largest = self.weights, -math.inf, -math.inf
        for start in range(0, guesses.size, AT_A_TIME):
            part = slice(start, start + AT_A_TIME)
            reach = self._chances(start, min(start + AT_A_TIME, guesses.size))
            reach *= size
            np.divide(self.starts.size, reach, out=reach)  # B / (p N), what an error of 1 in a guess moves
            off = guesses[part] * reach
            reach -= off
            smallest, largest = max(smallest, float(off.max())), max(largest, float(reach.max()))
            np.subtract(1, guesses[part], out=reach)
            np.multiply(off, reach, out=spread[part])
        return Round(
            zones=self.starts.size,
            exploit=exploit,
            guessed=float(guesses.sum()),
            smallest=-smallest,
            largest=largest,
            variance=float(spread.sum()) / size,  # mean over zones of sum p mu (1 - mu) (B / (p N))^2
        )


def cut_zones(guesses: NDArray[np.float64], count: int, eps: float) -> Zones:
    """Zones of equal weight from guesses (n,) that rise or fall; fewer than ``count`` where one input outweighs a zone.

    With as many zones as inputs, each input is a zone. An input lies where the middle of its weight falls.

    >>> cut_zones(np.array([0.1, 0.1, 0.1, 0.9]), 2, 1.0).chances
    array([0.5, 0.5, 0.5, 0.5])
    """
    weights = np.subtract(1, guesses)
    weights *= guesses
    np.sqrt(weights, out=weights)  # (n,), standard deviation of a loss of 0 or 1
    even = eps * weights.mean()
    weights *= 1 - eps
    weights += even
    sums = RunningSums(weights)
    if count >= guesses.size:
        starts = np.arange(guesses.size)
    else:
        borders = (np.arange(count) - 1e-9) * (sums.total / count)  # equal weights end on borders but for rounding
        starts = np.unique([sums.first_middle(border) for border in borders.tolist()])
        starts = starts[starts < guesses.size]
    before = np.array([sums.at(place) for place in starts.tolist()]) - weights[starts]
    return Zones(weights, sums, starts, before, totals=np.add.reduceat(weights, starts))


EVERYTHING = "all that is known"
ZONES = 10

LOWEST, HIGHEST = 1e-6, 0.98  # bounds of a guess


class AdaptiveRounds:
    """Rounds of one random draw from each of B zones; the zones and the chances inside them follow the labels so far.

    Before a round a ridge-logistic fit guesses every input's chance of failure mu, from the score and whatever else is known:
    the predicted class, surprise (DSA, LSA), and what other models say. With r = sqrt(mu (1 - mu)) and
    eps = eps_end + (eps_start - eps_end) 100 / (100 + k), k inputs drawn before, an input weighs
    s = (1 - eps) r + eps mean(r). The inputs not drawn before are cut by rising mu into B zones of equal weight, and each
    zone gives one input with probability s / S, S the zone's weight. The estimate corrects the guesses by what the draws
    show and is unbiased whatever they are (see the estimator): an augmented inverse-probability weighted mean.

    Of ``rounds_ahead`` = r rounds open at a time, round t + r - 1 is drawn when round t - 1 is settled, from the labels up
    to t - 1. So the tester never waits for a draw, and the draws do not depend on how many are asked for, or labels
    told, at a time.
    The last rounds of a set are taken whole; the last one of a budget has as many zones as labels are left.

    ``exploit`` picks per round are the inputs of highest mu that were not drawn, or those that severity-first would pick
    (``exploit_order``): it learns from the same labels, with DSA, LSA and the predicted class where available. The
    fit learns from the picks, whose losses are known, and the random draws represent all other inputs, so the estimate
    stays exactly unbiased. Picks have no probability.

    Parameters
    ----------
    scores : (N,) larger = more likely to fail.
    scores_are_chances : whether the scores are chances of failure c in [0, 1], as 1 - confidence is. Then mu is logistic
        in x = logit(c), c clipped to [1e-4, 1 - 1e-4], and in what else is known, and the prior knows how the confidence of
        networks errs. Else x is the normal score of the score's rank, tied scores alike, with a wider prior: a rank is not
        a failure rate.
    dsa, lsa, classes, doubt, disagreement, votes : (N,) what else is known, or None. Where other models' disagreement is
        given, the scores are their combined chance, and the fit takes its parts, the doubt 1 - confidence among them.
    budget : n, draws to plan, 1..N.
    seed : whole number that, with the verdicts told, determines every draw.
    zones : B, random draws in a round.
    exploit : further picks in a round.
    exploit_order : "failure chance", or "severity first" where the scores are chances: see ``SeverityFirst``.
    trust : how far scores that are chances are believed, 0 to 1: c counts as trust c + (1 - trust) / 2.
    eps_start, eps_end : share of the weight that ignores the guesses, before the first label and after many.
    rounds_ahead : rounds drawn beyond those that are settled, 1 or more; a session or plan has as many as keep 30 inputs open.
    learns_from : "all that is known", or "the score alone".
    aimed_at : labels at which the always-valid interval is to be narrow; None for one that aims at no number.
    interval_version : how the ordinary interval is computed; sessions and plans keep the one they were made with.
    terms : prior of each term, a weight and its standard deviation (see ``usual_terms``); by what is known where None.
    prior : where it learns from the score alone, the line's intercept and slope before any label, then their standard
        deviations; by the kind of score where None.

    Source: Testimate's own. The correction is the difference estimator of Cassel, Sarndal and Wretman (1976) and of
    Robins, Rotnitzky and Zhao (1994), with guesses and chances from the past alone.
    """

    name: ClassVar[str] = "rra"
    title: ClassVar[str] = "Adaptive rounds"
    needs: ClassVar[tuple[Need, ...]] = ("scores", "scores_are_chances")
    uses: ClassVar[tuple[Need, ...]] = (
        *("dsa", "lsa", "classes", "training_classes", "training_losses"),
        *("doubt", "disagreement", "votes"),
    )
    claims: ClassVar[Claims] = Claims(
        "every prefix",
        honest_interval=True,
        always_valid=True,
        not_for=("regression",),
        note="Only the next round is known in advance; rrs makes the whole list, which can be exported or "
        "divided among testers.",
    )
    adapts: ClassVar[bool] = True
    source: ClassVar[str] = "Testimate; after Cassel, Särndal and Wretman (1976) and Robins, Rotnitzky and Zhao (1994)"
    options: ClassVar[tuple[Option, ...]] = (
        Option("zones", ZONES, "Inputs drawn at random in each round, one per zone.", low=1, high=1000),
        Option("exploit", 0, "Inputs picked in each round because they are thought to fail.", low=0, high=1000),
        Option(
            "exploit_order",
            "failure chance",
            "Which inputs are picked: the most likely failures, or severe ones first.",
            choices=("failure chance", "severity first"),
        ),
        Option(
            "learns_from",
            EVERYTHING,
            "What predicts the failures: all that is known of an input, or its score alone.",
            choices=(EVERYTHING, "the score alone"),
        ),
        Option("eps_start", 0.5, "Share of the weight that ignores the guesses, at first.", low=0.01, high=1.0),
        Option("eps_end", 0.15, "Share of the weight that ignores the guesses, after many labels.", low=0.01, high=1.0),
        TRUST,
    )
    variants: ClassVar[tuple[str, ...]] = ()
    aims: ClassVar[bool] = True

    @staticmethod
    def resolved(
        scores_are_chances: bool, available: Collection[str] = (), options: Mapping[str, Any] = MappingProxyType({})
    ) -> dict[str, Any]:
        """Arguments besides the options that are stored with a session, by their present defaults.

        ``available`` : what there is to learn from, of doubt, disagreement, votes, dsa, lsa and classes.
        ``options`` : those chosen; ``zones`` and ``exploit`` are the size of a round.
        """
        (intercept, wide), (slope, steep) = usual_terms((), scores_are_chances=scores_are_chances).values()
        terms = usual_terms(available, scores_are_chances=scores_are_chances)
        chosen = {option.name: options.get(option.name, option.default) for option in AdaptiveRounds.options}
        check_options(AdaptiveRounds.options, **chosen)
        ahead = rounds_open(chosen["zones"] + chosen["exploit"])
        return {
            "rounds_ahead": ahead,
            "prior": [intercept, slope, wide, steep],
            "terms": terms,
            "interval_version": INTERVAL_VERSION,
        }

    def __init__(
        self,
        scores: ArrayLike,
        scores_are_chances: bool,
        dsa: ArrayLike | None = None,
        lsa: ArrayLike | None = None,
        classes: ArrayLike | None = None,
        training_classes: ArrayLike | None = None,
        training_losses: ArrayLike | None = None,
        doubt: ArrayLike | None = None,
        disagreement: ArrayLike | None = None,
        votes: ArrayLike | None = None,
        *,
        budget: int,
        seed: int,
        variant: str | None = None,
        zones: int = ZONES,
        exploit: int = 0,
        exploit_order: str = "failure chance",
        learns_from: str = EVERYTHING,
        eps_start: float = 0.5,
        eps_end: float = 0.15,
        trust: float = 1.0,
        rounds_ahead: int = AHEAD,
        prior: Sequence[float] | None = None,
        terms: Mapping[str, Sequence[float]] | None = None,
        aimed_at: int | None = None,
        interval_version: IntervalVersion = INTERVAL_VERSION,
    ) -> None:
        chi = check_scores(scores)  # (N,)
        self._budget, self._aimed_at = check_budget(budget, chi.size), aimed_at
        self._interval_version = interval_version
        check_variant(variant, self.variants)
        check_options(
            self.options,
            zones=zones,
            exploit=exploit,
            exploit_order=exploit_order,
            learns_from=learns_from,
            eps_start=eps_start,
            eps_end=eps_end,
            trust=trust,
        )
        self._zones, self._exploit, self._eps = int(zones), int(exploit), (float(eps_start), float(eps_end))
        self._rng = np.random.default_rng(check_seed(seed))
        # Sorted once: where mu rises or falls with the score every round cuts its zones from this one order.
        rows = order_with_ties(chi, self._rng)  # (N,), tied scores in random order
        # With tens of millions of inputs, every byte counts.
        self._rows: NDArray[np.integer[Any]] = rows.astype(kind_of_places(chi.size))
        del rows
        known = {
            "doubt": doubt,
            "disagreement": disagreement,
            "votes": votes,
            "dsa": dsa,
            "lsa": lsa,
            "classes": classes,
        }
        given = {name: of_inputs(name, values, chi.size) for name, values in known.items() if values is not None}
        if learns_from != EVERYTHING:
            intercept, slope, wide, steep = prior_of(prior or self.resolved(scores_are_chances)["prior"])
            numbers: Mapping[str, Sequence[float]] = {"intercept": (intercept, wide), "score": (slope, steep)}
        else:
            numbers = terms or usual_terms(given, scores_are_chances=scores_are_chances)
        believed = trusted(chi, trust) if scores_are_chances else chi
        self._guesses = guesses_of(believed, self._rows, given, numbers, scores_are_chances=scores_are_chances)
        self._left = np.arange(chi.size, dtype=self._rows.dtype)  # places in ``_rows`` not drawn so far, rising
        self._severe: SeverityChance | None = None
        if exploit_order == "severity first" and exploit:
            if not scores_are_chances:
                raise BadInput(
                    "Severe faults are those the network is sure of, and these scores are not chances of failure. "
                    "Expected the confidence. Take confidence as the auxiliary variable, or the exploit order failure "
                    "chance."
                )
            doubtful = given.get("doubt", chi)
            self._severe = SeverityChance(known_of(1 - doubtful, dsa, lsa, classes, training_classes, training_losses))
        self._rounds: list[Round] = []
        self._blocks = Blocks(self._budget, rounds_ahead)
        self._place_of: dict[int, int] = {}  # row -> place in ``_rows``, of the draws
        del known, given  # of tens of millions, each copy counts while a round is drawn
        self._draw_ahead()

    @property
    def design(self) -> Design:
        """The rounds drawn so far."""
        return Rounds(
            (self._rows.size,),
            self._budget,
            rounds=tuple(self._rounds),
            aimed_at=self._aimed_at,
            interval_version=self._interval_version,
        )

    @property
    def remaining(self) -> int:
        """Draws of the budget not asked yet; 0 when exhausted."""
        return self._blocks.remaining

    def ask(self, count: int) -> Sequence[Draw]:
        """The next draws, at most ``count``; fewer when exhausted or while verdicts are missing."""
        return self._blocks.ask(count)

    def tell(self, verdicts: Sequence[Verdict]) -> None:
        """Keeps the losses; a settled round lets one more be drawn. UnknownRow for rows not drawn.

        A loss of None settles a draw and teaches nothing.
        """
        self._blocks.keep(verdicts)
        while self._blocks.settle():
            self._draw_ahead()

    def preference(self, guesses: NDArray[np.float64]) -> NDArray[np.integer[Any]]:
        """The exploit picks' order: places in the inputs not drawn before the round, the most wanted first, (n,).

        By falling ``guesses`` mu (n,), or as severity-first would, with all the picks the budget still allows as its horizon.
        Whatever the order, the estimate is as unbiased.
        """
        if self._severe is not None:
            rows = picked(self._rows, self._left)
            picks = (self._budget - len(self._blocks.draws)) * self._exploit / (self._zones + self._exploit)
            chances, confidence = self._severe.chances[rows], self._severe.confidence[rows]
            return ranking(chances, confidence, wanted=max(round(picks), 1), severity=SEVERITY)
        order = self._guesses.order(guesses)
        return order[::-1] if self._guesses.rising else order

    def _draw_ahead(self) -> None:
        while self._blocks.wanted:
            self._learn(self._blocks.known())
            self._draw_round()

    def draw_more(self) -> None:
        """One more round, from all labels told so far; nothing where the budget is drawn.

        Its guesses and chances are known before it is drawn, whoever answered what by then, so the estimate is as unbiased.
        """
        if not self._blocks.complete:
            self._learn(self._blocks.told())
            self._draw_round()

    def _learn(self, known: Sequence[tuple[int, float]]) -> None:
        """Fits the guesses to these labels, row and loss, in draw order, exploit picks included."""
        if known:
            places = np.array([self._place_of[row] for row, _ in known], dtype=np.intp)
            outcomes = np.minimum([loss for _, loss in known], 1.0)  # (k,)
            self._guesses.learn(places, outcomes)
            if self._severe is not None:
                self._severe.learn(np.array([row for row, _ in known], dtype=np.intp), outcomes)

    def _draw_round(self) -> None:
        drawn = len(self._blocks.draws)
        size = min(self._zones + self._exploit, self._budget - drawn)
        guesses = self._guesses.chances(self._left)
        np.clip(guesses, LOWEST, HIGHEST, out=guesses)  # (left,)
        order = self._guesses.order(guesses)
        eps = self._eps[1] + (self._eps[0] - self._eps[1]) * 100 / (100 + drawn)
        picks = size - self._zones_of(size)
        preferred = self.preference(guesses) if picks else None
        guesses = picked(guesses, order)  # from here on in this order: of tens of millions, each copy counts
        zones = cut_zones(guesses, self._zones_of(size), eps)
        drawn_at = self._pick(zones)  # (B,) places in the order
        random = order[drawn_at].tolist()  # B places among those left
        exploit: list[int] = []
        if preferred is not None:
            taken = set(random)
            wanted = (int(place) for place in preferred if int(place) not in taken)
            exploit = [next(wanted) for _ in range(picks)]
            drawn_at = np.append(drawn_at, [np.flatnonzero(order == place)[0] for place in exploit])
        guessed, chances = guesses[drawn_at].tolist(), zones.chances_at(drawn_at).tolist()
        del order
        number, count = len(self._rounds), len(random)
        self._rounds.append(zones.round_of(guesses, self._rows.size, len(exploit)))
        places, draws = [*random, *exploit], []
        for turn in self._rng.permutation(len(places)).tolist():
            place, guess = places[turn], guessed[turn]
            row = int(self._rows[self._left[place]])
            self._place_of[row] = int(self._left[place])
            chance = f"{100 * guess:.1f}%"
            if turn < count:
                why = f"round {number + 1}, zone {turn + 1} of {count}: chance of failure guessed at {chance}"
                draws.append(RoundDraw(row, chances[turn], 0, why, number, guess))
            else:
                why = f"exploit: round {number + 1}, thought to fail with a chance of {chance}"
                if self._severe is not None:
                    why = f"exploit: round {number + 1}, {self._severe.why(row)}"
                draws.append(RoundDraw(row, None, 0, why, number, guess, exploit=True))
        self._blocks.add(draws)
        self._left = np.delete(self._left, places)

    def _zones_of(self, size: int) -> int:
        """Zones in a round of ``size`` draws: all where the set ends, else in proportion."""
        if size == self._left.size:
            return size
        return max(1, round(size * self._zones / (self._zones + self._exploit)))

    def _pick(self, zones: Zones) -> NDArray[np.intp]:
        """One place per zone, drawn by the chances, (B,)."""
        stops, sums = zones.stops, zones.sums
        ends = np.array([sums.at(place) for place in (stops - 1).tolist()])
        aim = zones.before + self._rng.random(zones.starts.size) * (ends - zones.before)
        found: NDArray[np.intp] = np.clip([sums.first_above(one) for one in aim.tolist()], zones.starts, stops - 1)
        return found
