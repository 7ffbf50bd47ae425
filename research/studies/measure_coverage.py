"""Measures how often each interval holds the truth over the suite of populations, and writes docs/intervals.md.

python -m research.studies.measure_coverage              measure what coverage.json does not hold (minutes), write both files
python -m research.studies.measure_coverage --again      measure everything
python -m research.studies.measure_coverage --only rra   measure again what has this name ("rrs difference", "rra watched")
python -m research.studies.measure_coverage --times 5    five times as many campaigns of those run one by one
python -m research.studies.measure_coverage --page-only  write the page from the numbers kept in coverage.json

What is measured is kept as it comes, so a run that was stopped goes on where it was. Cells that come out too close to what is
wanted of them are measured again with more campaigns (``most_of``).
"""

import argparse
import json
from concurrent.futures import ProcessPoolExecutor, as_completed
from dataclasses import replace
from pathlib import Path
from time import process_time

from research.studies.interval_campaigns import BY_CLASS, WATCHED, Cell, measure
from research.studies.interval_suite import HARD, LOSS_POPULATIONS, POPULATIONS, SIZES, labels_of
from research.studies.intervals_page import ASSISTED, CLAIMING, OTHERS, PASS_OR_FAIL, all_found, page
from testimate.core.machine import cores

DOCS = Path(__file__).parents[2] / "docs"
NUMBERS = DOCS / "studies" / "coverage.json"
PAGE = DOCS / "intervals.md"

AT_ONCE, AT_ONCE_MOST = 2000, 20_000
"""Campaigns of fixed lists, assisted estimates and adaptive rounds, which are worked on many at a time; the most are of close
cells of lists."""

FEW_SIZES, FEW_LABELS = (500, 10_000), (20, 50, 100, 200)
"""Where networks that are hard to judge by few labels are measured, of srs, rrs and rra."""

WATCHED_TIMES, LOSSES_TIMES, OTHER_TIMES, BY_CLASS_TIMES = 25, 60, 40, 500
"""Campaigns in a cell where the always-valid interval is watched, of other losses, of designs without an honest
interval, and of adaptive rounds that learn from the class: these are drawn one by one."""

LISTS_TO, LISTS_SHORT = 1000, 10_000
"""Inputs up to which lists other than those of rrs are measured at all numbers of labels, and at 100 to 400."""

MIDDLE = (1000, 10_000)
SHORT = (100, 200, 400)

Numbers = dict[str, dict[str, float]]


def plan(times: float = 1.0) -> list[tuple[Cell, int]]:
    """Everything measured, with its campaigns, ``times`` as many of those run one by one; techniques with a claim first."""
    names = [population.name for population in POPULATIONS]
    cells = [cell for name in names for size in SIZES for cell in _claiming(name, size)]
    cells += [cell for one in (*POPULATIONS, *HARD) for size in FEW_SIZES for cell in _few_labels(one.name, size)]
    for name in (*names, *(losses.name for losses in LOSS_POPULATIONS)):
        for size in MIDDLE:
            watched = [
                Cell(technique, name, size, (WATCHED,), watched=True) for technique in ("srs", "rrs", "rra", "sups")
            ]
            cells += [(cell, round(times * WATCHED_TIMES)) for cell in watched]
    for one in HARD:
        watched = [
            Cell(technique, one.name, size, (WATCHED,), watched=True)
            for technique in ("srs", "rrs", "rra")
            for size in FEW_SIZES
        ]
        cells += [(cell, round(times * WATCHED_TIMES)) for cell in watched]
    for name in names:
        others = [Cell(technique, name, MIDDLE[-1], SHORT) for technique in OTHERS]
        cells += [(cell, round(times * OTHER_TIMES)) for cell in others]
        cells += [(Cell(BY_CLASS, name, size, SHORT), round(times * BY_CLASS_TIMES)) for size in MIDDLE]
        assisted = [
            Cell(technique, name, size, labels_of(size) if size < MIDDLE[0] else SHORT, model)
            for technique, model in ASSISTED
            for size in (100, *MIDDLE)
            if not (model == "regression" and name == "constant")  # one guess for all inputs gives no line
        ]
        cells += [(cell, AT_ONCE) for cell in assisted]
    for losses in LOSS_POPULATIONS:
        others = [Cell(technique, losses.name, MIDDLE[-1], SHORT) for technique in ("srs", "rrs", "rra", *OTHERS)]
        others += [Cell(technique, losses.name, MIDDLE[-1], SHORT, "regression") for technique in ("srs", "rrs")]
        cells += [(cell, round(times * LOSSES_TIMES)) for cell in others]
    return cells


def _claiming(name: str, size: int) -> list[tuple[Cell, int]]:
    """Of techniques that claim an honest interval, on one set."""
    labels = labels_of(size)
    short = tuple(one for one in labels if one <= 10_000)
    cells = [(Cell("srs", name, size, short), 1), (Cell("rrs", name, size, labels), AT_ONCE)]
    if size <= LISTS_SHORT:
        fixed = (technique for technique in CLAIMING if technique not in ("srs", "rrs", "rra"))
        measured = labels if size <= LISTS_TO else SHORT
        cells += [(Cell(technique, name, size, measured), AT_ONCE) for technique in fixed]
    if size == max(SIZES):
        return cells
    cells.append((Cell("rra", name, size, tuple(one for one in labels if one <= 400)), AT_ONCE))
    if size == 1000:
        cells.append((Cell("rra", name, size, (800,)), AT_ONCE))
    return cells


def _few_labels(name: str, size: int) -> list[tuple[Cell, int]]:
    """Of the default techniques at few labels: 20 of any network, and more of one that is hard to judge."""
    labels = FEW_LABELS if name not in PASS_OR_FAIL else FEW_LABELS[:2] if size < min(MIDDLE) else FEW_LABELS[:1]
    times = {"srs": 1, "rrs": AT_ONCE, "rra": AT_ONCE}
    return [(Cell(technique, name, size, labels), count) for technique, count in times.items()]


def missing(cells: list[tuple[Cell, int]], numbers: Numbers) -> list[tuple[Cell, int]]:
    """Those of which a number is not kept; and labels of others that are too close to what is wanted, with more campaigns."""
    left = []
    for cell, campaigns in cells:
        if any(cell.key(labels) not in numbers for labels in cell.labels):
            left.append((cell, campaigns))
            continue
        most = max(most_of(cell), campaigns)
        few = {cell.key(one): numbers[cell.key(one)] for one in cell.labels}
        few = {key: one for key, one in few.items() if 1 < one["campaigns"] < most and "careful_held" in one}
        if most > campaigns and (close := tuple(one.labels for one in all_found(few) if one.close)):
            left.append((replace(cell, labels=close), most))
    return left


def most_of(cell: Cell) -> int:
    """Campaigns of a close cell; 0 where it is not measured again."""
    again = cell.technique in CLAIMING and cell.technique not in ("srs", "rra") and cell.population in PASS_OR_FAIL
    return AT_ONCE_MOST if again and not cell.model and not cell.watched else 0


def run(cell: Cell, campaigns: int) -> tuple[Numbers, float]:
    """The cell's numbers by key, and the processor's seconds they took."""
    started = process_time()
    found = {cell.key(labels): one for labels, one in measure(cell, campaigns).items()}
    return found, process_time() - started


def write(numbers: Numbers) -> None:
    """One line for each number of labels, in the order of the plan."""
    order = [cell.key(labels) for cell, _ in plan() for labels in cell.labels]
    lines = [f"{json.dumps(key)}: {json.dumps(numbers[key])}" for key in order if key in numbers]
    part = NUMBERS.with_suffix(".part")
    part.write_text("{\n" + ",\n".join(lines) + "\n}\n")
    part.rename(NUMBERS)


def main() -> None:
    """Measures what is asked for, and writes."""
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--page-only", action="store_true")
    parser.add_argument("--again", action="store_true")
    parser.add_argument("--only", action="append", default=[])
    parser.add_argument("--times", type=float, default=1.0)
    asked = parser.parse_args()
    numbers: Numbers = {} if asked.again or not NUMBERS.exists() else json.loads(NUMBERS.read_text())
    for key in [key for key in numbers if key.split(",")[0] in asked.only]:
        del numbers[key]
    while not asked.page_only and (left := missing(plan(asked.times), numbers)):  # twice: all, then what came out close
        measure_all(left, numbers)
    PAGE.write_text(page(numbers))


def measure_all(cells: list[tuple[Cell, int]], numbers: Numbers) -> None:
    """Adds what the cells come out at, and writes every ten of them."""
    spent = 0.0
    with ProcessPoolExecutor(cores()) as pool:
        futures = [pool.submit(run, cell, campaigns) for cell, campaigns in cells]
        for number, future in enumerate(as_completed(futures), 1):
            found, seconds = future.result()
            numbers.update(found)
            spent += seconds
            if number % 10 == 0 or number == len(futures):
                write(numbers)
                print(f"{number} of {len(futures)}, {spent:.0f} s of processor time", flush=True)


if __name__ == "__main__":
    main()
