"""A list that is labeled, read as adaptive rounds: each draw is corrected by what the labels before its round have taught."""

from collections.abc import Sequence

import numpy as np
from numpy.typing import NDArray

from testimate.core.design import Design, Round, Rounds, SimpleRandom, Stratified
from testimate.core.draw import RoundDraw, Verdict
from testimate.core.errors import WrongDesign
from testimate.core.inputs import Inputs
from testimate.core.selector import Request
from testimate.planning.needs import CHANCES, arguments_of, teaching
from testimate.selectors.adaptive_rounds import HIGHEST, LOWEST, AdaptiveRounds
from testimate.selectors.round_guesses import Guesses, guesses_of, of_inputs, usual_terms
from testimate.selectors.shuffled_strata import visits

LEARNS_EVERY = 10
"""Labels from one fit to the next."""


def can_learn(inputs: Inputs, design: Design) -> bool:
    """Whether the labels of this design's draws can teach guesses round by round."""
    in_rounds = isinstance(design, SimpleRandom) or (isinstance(design, Stratified) and design.in_rounds)
    kinds = AdaptiveRounds.claims.tasks
    return in_rounds and not design.replacement and inputs.task.kind in kinds and bool(inputs.scores)


def learned_rounds(
    inputs: Inputs, design: Design, verdicts: Sequence[Verdict], auxiliary: str
) -> tuple[Rounds, tuple[Verdict, ...]]:
    """The design and the verdicts, (n,) in drawing order, of adaptive rounds that drew this very list.

    A round of a stratified list is one draw from each stratum that is not exhausted; each draw of a simple random sample is
    a round of its own. The guesses of a round are fitted to labels of earlier rounds, as adaptive rounds fit theirs, so the
    estimate of adaptive rounds is exactly unbiased for what is returned, whatever was learned.

    Parameters
    ----------
    auxiliary : what the guesses start from; with "combined" they learn from other models' predictions, too.

    Raises
    ------
    WrongDesign : no such list; see ``can_learn``.

    Source: Testimate's own; the difference estimator of Cassel, Sarndal and Wretman (1976) with guesses from the past.
    """
    if not can_learn(inputs, design):
        raise WrongDesign(
            f"The draws are {design.kind} and the task is {inputs.task.kind}; learning from the labels needs srs or rrs, a "
            "classification and a score. Take the plain estimate."
        )
    sizes = np.asarray(design.stratum_sizes, dtype=np.intp)
    rows = np.array([verdict.draw.row for verdict in verdicts], dtype=np.intp)
    strata = np.array([verdict.draw.stratum for verdict in verdicts], dtype=np.intp)
    numbers = np.arange(rows.size) if isinstance(design, SimpleRandom) else visits(strata)  # (n,), not falling
    learner = _Learner(inputs, auxiliary, design.planned)
    left = np.ones(len(inputs), dtype=np.bool_)
    rounds: list[Round] = []
    found: list[Verdict] = []
    for number in range(int(numbers.max(initial=-1)) + 1):
        drawn = np.flatnonzero(numbers == number)
        guesses = learner.guesses()
        remaining = sizes - number  # (H,)
        zones = int((remaining > 0).sum())
        reach = zones * remaining[strata[drawn]] / len(inputs)  # B / (p N), what an error of 1 in a guess moves
        mu = guesses[rows[drawn]]
        largest = zones * float(remaining.max()) / len(inputs)
        variance = float((mu * (1 - mu) * reach**2).mean())  # of the inputs drawn, each one at random from its stratum
        rounds.append(Round(zones, 0, float(guesses[left].sum()), -largest, largest, variance))
        for place, guess in zip(drawn.tolist(), mu.tolist(), strict=True):
            draw = RoundDraw(int(rows[place]), float(1 / remaining[strata[place]]), 0, "", number, guess)
            found.append(Verdict(draw, verdicts[place].loss))
        left[rows[drawn]] = False
        learner.note([(int(rows[place]), verdicts[place].loss) for place in drawn.tolist()])
    return Rounds((len(inputs),), design.planned, rounds=tuple(rounds)), tuple(found)


class _Learner:
    """Guesses of every input's chance of failure, fitted again after each ``LEARNS_EVERY`` labels."""

    def __init__(self, inputs: Inputs, auxiliary: str, budget: int) -> None:
        request = Request(AdaptiveRounds.name, budget, 0, auxiliary=auxiliary)
        arguments = arguments_of(inputs, AdaptiveRounds, request)
        taught = teaching(inputs, AdaptiveRounds, request)
        at_hand = {str(name): value for name, value in arguments.items() if name in taught}
        given = {name: of_inputs(name, value, len(inputs)) for name, value in at_hand.items()}
        chances = auxiliary in CHANCES
        numbers = usual_terms(given, scores_are_chances=chances)
        scores = np.asarray(arguments["scores"], dtype=np.float64)
        self._places = np.arange(len(inputs))
        self._fit: Guesses = guesses_of(scores, self._places, given, numbers, scores_are_chances=chances)
        self._known: list[tuple[int, float]] = []
        self._learned_from = 0
        self._guesses = np.clip(self._fit.chances(self._places), LOWEST, HIGHEST)

    def note(self, labels: Sequence[tuple[int, float | None]]) -> None:
        """Keeps rows with their losses for the next fit; a loss of None teaches nothing."""
        self._known += [(row, min(loss, 1.0)) for row, loss in labels if loss is not None]

    def guesses(self) -> NDArray[np.float64]:
        """Of every input, (N,), by the labels noted so far."""
        if len(self._known) >= self._learned_from + LEARNS_EVERY:
            rows, losses = zip(*self._known, strict=True)
            self._fit.learn(np.array(rows, dtype=np.intp), np.array(losses, dtype=np.float64))
            self._guesses = np.clip(self._fit.chances(self._places), LOWEST, HIGHEST)
            self._learned_from = len(self._known)
        return self._guesses
