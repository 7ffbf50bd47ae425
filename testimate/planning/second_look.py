"""CHECK.csv: which answers of a plan to look at again, and what the second look found.

How many answers to look at again, predicted before labeling: where that helps more than the same number of labels.
"""

import csv
import io
import warnings
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from pathlib import Path

import numpy as np
from numpy.typing import NDArray
from scipy.special import expit, logit

from testimate.core.design import Design
from testimate.core.draw import Draw, Estimate, Verdict
from testimate.core.errors import BadInput
from testimate.core.inputs import Inputs
from testimate.core.reading import Tell
from testimate.core.selector import Request
from testimate.core.spreadsheet_cells import SpreadsheetWriter
from testimate.core.words import commas, counted
from testimate.estimators.intervals import t_quantile
from testimate.estimators.second_look import (
    ERROR_RATE,
    EVEN_SHARE,
    Answered,
    Corrected,
    SecondLook,
    answered_of,
    chance_of_error,
    corrected_by_second_looks,
    draw_second_looks,
    second_look_chances,
)
from testimate.planning.forecast import expected_half_widths
from testimate.planning.labels_outside import surely_outside
from testimate.planning.votes import KINDS, LONGEST_ROW, losses_of_votes
from testimate.tables.lines import table_lines

CHANCE, OF = "chance", "of"
"""The columns of CHECK.csv that hold the chance with which an answer was drawn, and of how many answers."""


@dataclass(frozen=True)
class SecondLooks:
    """Answers to look at again, or looked at: drawn from ``of`` answers, all that counted in the estimate then."""

    looks: tuple[SecondLook, ...]
    of: int


def second_looks(
    inputs: Inputs | None, design: Design, verdicts: Sequence[Verdict], count: int, seed: int
) -> SecondLooks:
    """Answers to look at again, in a random order that reveals nothing about them; their losses are still those of the
    first answers.

    See ``second_look_chances`` for the chances and the errors; same seed, same answers.
    """
    answered = answered_of(design, verdicts)
    chances = second_look_chances(answered, _failing(inputs, answered), count)
    drawn = draw_second_looks(chances, np.random.default_rng([seed, 0x5EC0]))
    looks = (SecondLook(int(answered.rows[at]), float(chances[at]), float(answered.failed[at])) for at in drawn)
    return SecondLooks(tuple(looks), answered.rows.size)


def corrected(
    inputs: Inputs | None, design: Design, verdicts: Sequence[Verdict], plain: Estimate, second: SecondLooks
) -> Corrected:
    """The estimate as the second looks correct it; see ``corrected_by_second_looks``.

    BadInput, too, where other answers count now than those the second looks were drawn from.
    """
    answered = answered_of(design, verdicts)
    if answered.rows.size != second.of:
        raise BadInput(
            f"The second looks were drawn from {commas(second.of)} answers and {commas(answered.rows.size)} count in the "
            "estimate now. Expected the same ones, or some had no chance to be looked at again. Draw them again."
        )
    return corrected_by_second_looks(plain, answered, second.looks, _failing(inputs, answered))


def corrected_words(found: Corrected) -> str:
    """What was looked at again and what it assumes, in two sentences."""
    changed = {0: "none of them was wrong", 1: "1 of them was wrong"}.get(
        found.changed, f"{found.changed} of them were wrong"
    )
    return (
        f"{found.looked_at} answers were looked at again and {changed}; this is what they say about the errors in all "
        "of them. It is only as right as the second look."
    )


def check_file(second: SecondLooks, names: Mapping[int, str]) -> str:
    """CHECK.csv: row, chance, of, file where inputs have names, and an empty column for the second answer.

    >>> print(check_file(SecondLooks((SecondLook(7, 0.25, 1.0),), 60), {}), end="")
    row,chance,of,label
    7,0.25,60,
    """
    text = io.StringIO()
    writer = SpreadsheetWriter(text)
    file = ["file"] if names else []
    writer.writerow(["row", CHANCE, OF, *file, "label"])
    for look in second.looks:
        writer.writerow([look.row, look.chance, second.of, *([names.get(look.row, "")] if names else []), ""])
    return text.getvalue()


def read_looks(
    path: Path,
    draws: Sequence[Draw],
    inputs: Inputs | None,
    within_tolerance: bool = False,
    tell: Tell = warnings.warn,
) -> SecondLooks:
    """The second looks in a CHECK.csv that was filled in; with ``within_tolerance`` a loss is 1 beyond it and else 0.

    Raises
    ------
    BadInput : columns other than row, chance, of and one of failed and label, a cell that is not a number or no answer, and an
        input that was not answered: left out, it would bias the estimate.
    """
    lines = _lines(path, tell)
    header = [name.strip().lower() for name in lines[0]] if lines else []
    kinds = [name for name in header if name in KINDS]
    if any(header.count(name) != 1 for name in ("row", CHANCE, OF)) or len(kinds) != 1:
        raise BadInput(
            f"{path} has the columns {', '.join(header) or 'none'}. Expected row, chance, of and one of failed and label, as "
            "testimate recheck writes them. Restore them."
        )
    places = [header.index(name) for name in ("row", CHANCE, OF, kinds[0])]
    cells = [_cells(path, number, line, places, len(header)) for number, line in enumerate(lines[1:], start=2)]
    open_rows = [row for row, *_, answer in cells if not answer]
    if open_rows or not cells:
        raise BadInput(
            f"{len(open_rows)} of the {len(cells)} inputs in {path} have no second answer, first row {open_rows[0]}. "
            "Expected one for each, because leaving some out would bias the estimate. Fill them in, with the first "
            "answer where the second look can't tell."
            if open_rows
            else f"{path} contains no input. Expected those that testimate recheck chose. Make it again."
        )
    answers = {row: answer for row, *_, answer in cells}
    outside = (
        surely_outside(answers.values(), inputs.task) if inputs is not None and kinds[0] == "label" else frozenset()
    )
    losses = losses_of_votes(draws, kinds[0], answers, inputs, outside)
    said = {row: float(losses[row] or 0.0) for row, *_ in cells}
    if within_tolerance and inputs is not None and inputs.task.numeric:
        said = {row: float(inputs.task.failed([loss])[0]) for row, loss in said.items()}
    if len({of for _, _, of, _ in cells}) > 1:
        raise BadInput(
            f"{path} joins lists that were drawn from different answers. Expected one list. Fill in one of them."
        )
    return SecondLooks(tuple(SecondLook(row, chance, said[row]) for row, chance, *_ in cells), cells[0][2])


def _lines(path: Path, tell: Tell) -> list[list[str]]:
    try:
        return table_lines(path, tell)
    except FileNotFoundError:
        raise BadInput(f"There is no file {path}. Make one with: testimate recheck") from None
    except (OSError, UnicodeDecodeError, csv.Error) as error:
        raise BadInput(f"{path} is not a readable CSV file ({error}). Export it again as UTF-8 CSV.") from None


def _cells(path: Path, number: int, line: list[str], places: list[int], width: int) -> tuple[int, float, int, str]:
    """Row, chance, of and answer of a line."""
    if len(line) != width:
        raise BadInput(
            f"Line {number} of {path} has {counted(len(line), 'cell')}. Expected {width}, as many as the header. "
            "Repair it."
        )
    row, chance, of, answer = (line[place].strip() for place in places)
    if not row.isdecimal() or len(row) > LONGEST_ROW:
        raise BadInput(f"Line {number} of {path} has row {row!r:.40}. Expected a whole number. Repair it.")
    try:
        return int(row), float(chance), int(of), answer
    except ValueError:
        raise BadInput(
            f"Line {number} of {path} has the chance {chance!r:.40} of {of!r:.40}. Expected the numbers written by testimate "
            "recheck. Restore them."
        ) from None


def chances_of_failing(inputs: Inputs) -> NDArray[np.float64] | None:
    """The chance (N,) that the network fails on each input, from its confidence; None where it has none."""
    if "confidence" not in inputs.scores:
        return None
    score = np.clip(inputs.scores["confidence"], 1e-9, 1 - 1e-9)
    return np.asarray(np.clip(expit(0.6 + 0.6 * logit(score)), 0.02, 0.98))


def _failing(inputs: Inputs | None, answered: Answered) -> NDArray[np.float64]:
    """The chance (n,) of each answered input; without a confidence the rate found so far."""
    chances = None if inputs is None else chances_of_failing(inputs)
    if chances is None:
        return np.full(answered.rows.size, float(np.clip(answered.weights @ answered.failed, 0.02, 0.98)))
    return chances[answered.rows]


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
            f"{off}, and no interval allows for that. Looking again at about {commas(self.count)} answers at the end gains "
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
