"""The estimate after one more label, at 2,000 labels of 50,000 inputs, beside the arithmetic before the score interval; and
the stop-safe interval after each of these labels, beside the paper's bets written down with NumPy.

`python -m benchmarks interval` prints the tables, in a minute.
"""

import statistics
import time
from collections.abc import Callable, Sequence
from typing import Any

import numpy as np

from benchmarks.measured import measured

SIZE, LABELS, STRATA, SEED = 50_000, 2_000, 10, 1
ROUNDS, GRID_ROUNDS = 200, 20


def main() -> None:
    """Prints the table."""
    print(f"## The interval after one more label, at {LABELS} labels of {SIZE} inputs\n")
    print(
        "Processor milliseconds of the estimate with its ordinary interval, and of the bare arithmetic that it replaced: the "
        "same verdicts read column by column, the smoothed variance and Wilson's interval with the effective n, without the "
        f"checks and the record around them. Both in turn in one process, the median of {ROUNDS}.\n"
    )
    print("| design | before | now | ratio |\n|---|---:|---:|---:|")
    for technique in ("srs", "rrs", "rra"):
        before, now, ratio = measured(in_turn, technique).answer
        print(f"| {technique} | {1000 * before:.2f} | {1000 * now:.2f} | {ratio:.2f} |")
    print("\n### The stop-safe intervals after each of the labels\n")
    print(
        "Processor milliseconds for all of them from the first, simple random sampling with constant bets: every mean of the "
        "grid to the last label with NumPy's running product, as a reader of the paper would write it, and here. Both in "
        f"turn in one process, the median of {GRID_ROUNDS}; their ends are the same.\n"
    )
    print("| labels | whole grid | here | ratio |\n|---:|---:|---:|---:|")
    for labels in ("200", "2000"):
        whole, here, ratio = measured(stop_safe_in_turn, labels).answer
        print(f"| {labels} | {1000 * whole:.1f} | {1000 * here:.1f} | {ratio:.3f} |")


def stop_safe_in_turn(labels: str) -> Callable[[], Any]:
    """Both sides on one game, in turn; the median of each, and of their ratios."""
    from testimate.estimators.always_valid import simple_game
    from testimate.estimators.betting import moving_ends

    game = simple_game((np.random.default_rng(SEED).random(int(labels)) < 0.13).astype(float), SIZE)

    def work() -> tuple[float, float, float]:
        assert np.array_equal(moving_ends(game, 0.05), whole_grid(game, 0.05))
        sides = (lambda: whole_grid(game, 0.05), lambda: moving_ends(game, 0.05))
        times = [[_seconds(side) for side in sides] for _ in range(GRID_ROUNDS)]
        whole, here = zip(*times, strict=True)
        return statistics.median(whole), statistics.median(here), statistics.median(b / a for a, b in times)

    return work


def whole_grid(game: Any, alpha: float) -> Any:
    """The ends after each draw, (n, 2), by the capitals of every mean after every draw."""
    from testimate.estimators.betting import BET_HORIZONS, SHARE_AT_RISK, mean_grid

    grid = mean_grid()
    wish = np.sqrt(2 * np.log(2 / alpha) / (game.variance[:, None] * BET_HORIZONS[:, None, None]))
    gain, out = game.outcomes[:, None] - grid, []
    with np.errstate(over="ignore", divide="ignore"):
        for sign, room in ((1, grid - game.smallest[:, None]), (-1, game.largest[:, None] - grid)):
            bets = np.minimum(wish, np.where(room > 0, SHARE_AT_RISK / room, np.inf))
            out.append(np.cumprod(1 + sign * bets * gain, axis=1).mean(axis=0) >= 2 / alpha)
    possible = (np.maximum.accumulate(game.smallest)[:, None] <= grid) & (
        grid <= np.minimum.accumulate(game.largest)[:, None]
    )
    inside = possible & ~np.logical_or.accumulate(out[0] | out[1], axis=0)
    first, last = inside.argmax(axis=1), len(grid) - 1 - inside[:, ::-1].argmax(axis=1)
    return np.column_stack([grid[np.maximum(first - 1, 0)], grid[np.minimum(last + 1, len(grid) - 1)]])


def in_turn(technique: str) -> Callable[[], Any]:
    """Both sides on one session's verdicts, in turn; the median of each, and of their ratios."""
    from testimate.estimators import estimator_of

    design, verdicts = session(technique)
    estimator = estimator_of(design)
    sides = (
        lambda: before(technique, design, verdicts),
        lambda: estimator.estimate(design, verdicts, always_valid=False),
    )

    def work() -> tuple[float, float, float]:
        times = [[_seconds(side) for side in sides] for _ in range(ROUNDS)]
        old, new = zip(*times, strict=True)
        return statistics.median(old), statistics.median(new), statistics.median(b / a for a, b in times)

    return work


def _seconds(side: Callable[[], Any]) -> float:
    begun = time.process_time()
    side()
    return time.process_time() - begun


def session(technique: str) -> tuple[Any, list[Any]]:
    """A design with its verdicts: calibrated confidence, an accuracy of about .87."""
    from testimate.core.design import SimpleRandom, Stratified
    from testimate.core.draw import Draw, Verdict
    from testimate.selectors.adaptive_rounds import AdaptiveRounds

    rng = np.random.default_rng(SEED)
    doubt = rng.beta(0.3, 2.0, SIZE)
    losses = (rng.random(SIZE) < doubt).astype(float)
    if technique == "srs":
        rows = rng.choice(SIZE, LABELS, replace=False).tolist()
        return SimpleRandom((SIZE,), LABELS), [Verdict(Draw(row), losses[row]) for row in rows]
    if technique == "rrs":
        members = np.array_split(np.argsort(doubt), STRATA)
        draws = [
            Draw(row, None, number)
            for number, stratum in enumerate(members)
            for row in rng.choice(stratum, LABELS // STRATA, replace=False).tolist()
        ]
        design = Stratified(tuple(map(len, members)), LABELS, in_rounds=True)
        return design, [Verdict(draw, losses[draw.row]) for draw in draws]
    selector, verdicts = AdaptiveRounds(doubt, True, budget=LABELS, seed=SEED), []
    while selector.remaining:
        batch = [Verdict(draw, float(losses[draw.row])) for draw in selector.ask(selector.remaining)]
        selector.tell(batch)
        verdicts += batch
    return selector.design, verdicts


def before(technique: str, design: Any, verdicts: Sequence[Any]) -> Any:
    """The estimate and interval as they were until decision 21, from the verdicts."""
    from testimate.estimators.intervals import wilson
    from testimate.estimators.stratified import smoothed_rates

    losses = np.array([np.nan if one.loss is None else one.loss for one in verdicts])
    strata = np.array([one.draw.stratum for one in verdicts])
    rows = np.array([one.draw.row for one in verdicts])
    chances = [one.draw.probability for one in verdicts]
    chances = np.array([np.nan if chance is None else chance for chance in chances])
    np.unique(rows, return_counts=True)
    if technique == "srs":
        return wilson(float(losses.mean()), LABELS * (SIZE - 1) / (SIZE - LABELS))
    if technique == "rra":
        return _rounds_before(design, verdicts, losses, chances)
    sizes = np.asarray(design.stratum_sizes)
    counts = np.bincount(strata, minlength=len(sizes))
    failures, weights = np.bincount(strata, losses, len(sizes)), sizes / sizes.sum()
    rates = smoothed_rates(failures, counts, np.full(len(sizes), 0.1))
    variance = float((weights**2 * (1 - counts / sizes) * rates * (1 - rates) / counts).sum())
    mean, rate = float(failures / counts @ weights), float(rates @ weights)
    centered = losses - (failures / counts)[strata]
    error = np.bincount(strata, centered**2, len(sizes)) / (counts - 1)
    return wilson(mean, rate * (1 - rate) / variance), float(np.sqrt((weights**2 * error / counts).sum()))


def _rounds_before(design: Any, verdicts: Sequence[Any], losses: Any, chances: Any) -> Any:
    """Adaptive rounds: X, its weights, their variance, and Wilson's interval."""
    from testimate.estimators.intervals import wilson

    rounds = np.array([one.draw.round for one in verdicts])
    guesses = np.array([one.draw.guess for one in verdicts])
    zones, guessed, predicted = (
        np.array([getattr(one, name) for one in design.rounds], dtype=float)
        for name in ("zones", "guessed", "variance")
    )
    start = np.cumsum(zones) - zones
    left = SIZE - start
    weights = (np.sqrt((start + zones) / (start + zones + 10)) / (left * (left - zones) + 1))[rounds]
    weights = weights / weights.sum()
    totals = np.bincount(rounds, losses, zones.size)
    bases = (np.cumsum(totals) - totals + guessed) / SIZE
    terms = bases[rounds] + (losses - guesses) * zones[rounds] / (chances * SIZE)
    mean = float(weights @ terms)
    variance = float((weights**2 * (terms - mean) ** 2).sum()) * LABELS / (LABELS - 1)
    share = 2 / (LABELS + 2)
    variance = (1 - share) * variance + share * float((weights**2 * predicted[rounds]).sum())
    rate = (1 - share) * mean + share * float(weights @ bases[rounds])
    return wilson(mean, rate * (1 - rate) / variance)


if __name__ == "__main__":
    main()
