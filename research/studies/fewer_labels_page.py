"""Writes the table of docs/studies/fewer-labels.md that rests on campaigns, from the numbers that ``many_campaigns`` keeps."""

from collections.abc import Iterator, Mapping, Sequence
from pathlib import Path

import numpy as np

from research.studies.numbers import Numbers, campaign_numbers

START, END = "<!-- campaigns -->", "<!-- end of campaigns -->"
SUBJECTS = ("D", "G", "CN12")
NETWORKS = (*SUBJECTS, "letters", "LeNet-1", "LeNet-5")
WORSE = (
    "letters with one of few letters (5 points worse)",
    "letters with P learned as B (11 points worse)",
    "letters with one labeled in a hurry (6 points worse)",
)
AT = "200"

Found = Mapping[str, Numbers]


def table(found: Found) -> str:
    """The table, in Markdown."""
    head = ["| number | asked | measured | campaigns | as exact as |", "|---|---|---|---|---|"]
    return "\n".join([*head, *errors(found), *widths(found), *looks(found)])


def row(number: str, asked: str, measured: str, rows: Sequence[Numbers]) -> str:
    """A line; of several rows the fewest campaigns are said, and the fewest plain ones."""
    campaigns = min(one["campaigns"] for one in rows)
    plain = min(plain_campaigns(one["error"], one["scatter"]) if "error" in one else campaigns for one in rows)
    return f"| {number} | {asked} | {measured} | {campaigns:.0f} | {rounded(plain)} |"


def plain_campaigns(error: float, scatter: float) -> float:
    """How many plain campaigns tell a root mean squared error as exactly as its standard error ``scatter`` does.

    The squared error of a plain campaign has the mean V and, where the estimate is normal, the variance 2 V^2. So m of them
    tell V to within a standard error of V sqrt(2 / m), and its root e to within e / sqrt(2 m): m = e^2 / (2 scatter^2).

    >>> round(plain_campaigns(0.7, 0.7 / 4000**0.5))
    2000
    """
    return error**2 / (2 * scatter**2)


def rounded(count: float) -> str:
    """A count with two digits that count where it is above 100.

    >>> rounded(280), rounded(391_700.0), rounded(64)
    ('280', '390\\u2009000', '64')
    """
    digits = max(len(f"{count:.0f}") - 2, 0) if count > 100 else 0
    return f"{round(count, -digits):,.0f}".replace(",", "\N{THIN SPACE}")


def errors(found: Found) -> Iterator[str]:
    """Errors over simple random sampling's."""
    for words, what, asked in (
        ("D with E, G with H, mean of the two, rra", "", "≤ 0.72"),
        ("their predictions alone, rra", ", predictions alone", "≤ 0.76"),
    ):
        pair = [found[f"error {name}{what}"] for name in ("D with E", "G with H")]
        yield row(words, asked, within(np.mean([one["error"] for one in pair]), spread(pair) / 2), pair)
    good = found["error letters with two good others"]
    yield row("letters with two good others, rra", "≤ 0.70", within(good["error"], 2 * good["scatter"]), [good])
    mixed = [found[f"error {name}, its rows shuffled"] for name in ("D with E", "G with H")]
    worst = max(mixed, key=lambda one: one["error"])
    yield row(
        "others with their rows shuffled, largest, rra", "≤ 1.0", within(worst["error"], 2 * worst["scatter"]), mixed
    )
    alone = found["alone letters"]
    worse = [found[f"error {name}"] for name in WORSE]
    ratios = ", ".join(f"{one['error'] / alone['error']:.3f}" for one in worse)
    off = 2 * max(float(np.hypot(one["scatter"], alone["scatter"])) for one in worse) / alone["error"]
    yield row("rra with much worse others over without them", "≤ 1.05", f"{ratios}, ± {off:.3f}", [*worse, alone])
    broken = found["alone mutant1"]
    yield row("mutant1, rra", "≤ 0.5", within(broken["error"], 2 * broken["scatter"]), [broken])
    score, known = ([found[f"{kind}{name}"] for name in NETWORKS] for kind in ("alone score ", "alone "))
    means = [float(np.mean([one["error"] for one in rows])) for rows in (score, known)]
    off = max(spread(rows) / len(rows) for rows in (score, known))
    yield row(
        "without others, mean of six: from the score alone -> with class share, DSA and LSA, rra",
        "0.694 -> 0.679 (ten others)",
        f"{means[0]:.3f} -> {within(means[1], off)}",
        [*score, *known],
    )


def widths(found: Found) -> Iterator[str]:
    """The stop-safe interval beside the ordinary one, and how often it was ever wrong."""
    for technique, asked in (("rra", "≤ 1.32"), ("rrs", "≤ 1.45"), ("srs", "none")):
        rows = [found[f"width {technique} {subject}"] for subject in SUBJECTS]
        plain = np.array([one[f"ordinary width at {AT}"] for one in rows])
        ratios = np.array([one[f"stop-safe over ordinary at {AT}"] for one in rows])
        each = ", ".join(f"{subject} {ratio:.2f}" for subject, ratio in zip(SUBJECTS, ratios, strict=True))
        whole = float((plain * ratios).sum() / plain.sum())
        yield row(f"stop-safe over ordinary width at {AT} labels, {technique}", asked, f"{whole:.2f} ({each})", rows)
        wrong = ", ".join(
            f"{subject} {100 * one['outside']:.1f} ± {200 * one['scatter']:.1f}%"
            for subject, one in zip(SUBJECTS, rows, strict=True)
        )
        yield row(f"ever outside in 400 labels, {technique}", "≤ 5% each", wrong, rows)


def looks(found: Found) -> Iterator[str]:
    """How often a corrected interval held."""
    rows = {name: one for name, one in found.items() if name.startswith("looks ")}
    for technique in ("rra", "rrs", "srs"):
        chosen = {name: one for name, one in rows.items() if name.startswith(f"looks {technique} ")}
        least = min(chosen, key=lambda name: chosen[name]["corrected held"])
        one = chosen[least]
        held = f"{100 * one['corrected held']:.1f} ± {200 * one['scatter']:.1f}% ({least.split(' ', 2)[2]})"
        words = f"40 of 200 looked at again, 2% of errors: 95% interval holds, least of {len(chosen)}, {technique}"
        yield row(words, "≥ 92%", held, list(chosen.values()))


def within(number: float | np.floating, off: float) -> str:
    """A number and what it is known to within."""
    return f"{number:.3f} ± {off:.3f}"


def spread(rows: Sequence[Numbers]) -> float:
    """Two standard errors of the sum of the rows' errors."""
    return 2 * float(np.sqrt(sum(one["scatter"] ** 2 for one in rows)))


def write(here: Path) -> None:
    """Puts the table in its place on fewer-labels.md."""
    page = here / "fewer-labels.md"
    text = page.read_text(encoding="utf-8")
    before, _, rest = text.partition(START)
    _, _, after = rest.partition(END)
    page.write_text(f"{before}{START}\n{table(campaign_numbers())}\n{END}{after}", encoding="utf-8")
