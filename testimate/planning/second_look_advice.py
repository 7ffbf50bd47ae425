"""How many answers to look at again, predicted before labeling: where that helps more than the same number of labels."""

from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray

from testimate.core.inputs import Inputs
from testimate.core.selector import Request
from testimate.core.words import spaced
from testimate.estimators.intervals import t_quantile
from testimate.estimators.second_look import ERROR_RATE, EVEN_SHARE, chance_of_error
from testimate.planning.forecast import expected_half_widths
from testimate.planning.second_look import chances_of_failing

SHARES = (0.05, 0.1, 0.15, 0.2, 0.3, 0.4, 0.5)
"""Of the answers, that a second look may take."""


@dataclass(frozen=True)
class SecondLookAdvice:
    """What is expected of ``count`` answers looked at again, of a plan's budget.

    Attributes
    ----------
    count : second looks in place of as many labels that lead to the smallest error; 0 where none do.
    bias : by how much wrong answers are expected to lower the estimated accuracy, -1 to 1.
    plain, corrected : expected root mean squared error of the whole budget in labels, and with ``count`` of it in second looks.
    """

    count: int
    bias: float
    plain: float
    corrected: float

    def words(self) -> str:
        """The advice in two sentences."""
        wrong, points = f"{100 * ERROR_RATE:g} in 100 answers", f"{100 * abs(self.bias):.1f} points"
        off = f"If {wrong} are wrong, the estimate is off by about {points}"
        if not self.count:
            return (
                f"{off}. That is little compared with the interval, and further labels help more than a second look at the "
                "answers."
            )
        return (
            f"{off}, and no interval allows for that. Looking again at about {spaced(self.count)} answers at the end gains "
            "more than as many further labels."
        )


def second_look_advice(inputs: Inputs, request: Request) -> SecondLookAdvice | None:
    """The advice for a plan; None where nothing can be predicted before there are labels.

    Of n labels and m second looks the squared error is expected to be V / n' + C, n' = n - m the labels left for it: V from the
    forecast of the interval, C = mean of e (1 / q - 1) / n', with e the chance that an answer is wrong and q the chance
    that it is looked at again (two-phase sampling, Sarndal, Swensson and Wretman 1992, eq. 9.3.7), over all inputs. Without a
    second look it is V / n + bias^2. Every answer is taken to weigh alike.
    """
    width = expected_half_widths(inputs, [request.budget], techniques=[request.technique], chosen=request)
    if request.technique not in width or not np.isfinite(width[request.technique][0]):
        return None
    failing = chances_of_failing(inputs)
    if failing is None:
        return None
    budget = request.budget
    variance = budget * (float(width[request.technique][0]) / t_quantile(0.95, np.inf)) ** 2  # of one label
    bias = float(np.mean(ERROR_RATE * (1 - 2 * failing)))
    plain = variance / budget + bias**2
    called = ERROR_RATE * (1 - failing) + (1 - ERROR_RATE) * failing  # (N,) chance that the answer is "failed"
    shares = np.concatenate([called, 1 - called])
    wrong = chance_of_error(np.repeat([1.0, 0.0], failing.size), np.tile(failing, 2))
    found = {0: plain}
    for count in sorted({round(share * budget) for share in SHARES} - {0}):
        labels = budget - count
        found[count] = variance / labels + _of_correction(wrong, shares, count / labels) / labels
    best = min(found, key=lambda count: (found[count], count))
    return SecondLookAdvice(best, bias, float(np.sqrt(plain)), float(np.sqrt(found[best])))


def _of_correction(wrong: NDArray[np.float64], shares: NDArray[np.float64], part: float) -> float:
    """C n' where this ``part`` of the answers is looked at again; answers of each kind come with these ``shares``, (2 N,)."""
    weights = shares / shares.sum()
    spread = np.sqrt(wrong)
    wanted = (1 - EVEN_SHARE) * spread / (weights @ spread) + EVEN_SHARE
    chances = np.minimum(part * wanted, 1.0)
    return float(weights @ (wrong * (1 / chances - 1)))
