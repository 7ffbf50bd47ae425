"""The pages made from the campaigns that ``many_campaigns`` keeps: docs/studies/fewer-labels.md and reused-labels.md.

Run by `make study`, or alone as ``python -m research.studies.campaign_pages``: writes the table of the first from its
numbers, and the second from the campaigns of the rows "reused" and "mnist" so far; it says how many there are of each.
What ``version_campaigns`` measured stands as text.
"""

from collections.abc import Iterator, Mapping, Sequence
from pathlib import Path

import numpy as np

from research.studies.many_campaigns import KEPT, Reused, kept, reused_rows, scatter_of_share
from research.studies.numbers import Numbers, campaign_numbers
from research.studies.other_models_page import LABELS
from research.studies.page_text import table, write_page
from research.studies.reused_labels import pooled
from research.studies.study_subjects import STUDIES

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

CALLED = {
    "letters": "letters, nine models, 72 ordered pairs",
    "hardest": "labels of the two whose labels say least, 16 pairs, other samples",
    "mnist": "MNIST, LeNet-1 and LeNet-5, 2 pairs",
}


def campaign_table(found: Found) -> str:
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
    ('280', '390,000', '64')
    """
    digits = max(len(f"{count:.0f}") - 2, 0) if count > 100 else 0
    return f"{round(count, -digits):,.0f}"


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


def write_fewer_labels(here: Path) -> None:
    """Puts the table in its place on fewer-labels.md."""
    page = here / "fewer-labels.md"
    text = page.read_text(encoding="utf-8")
    before, _, rest = text.partition(START)
    _, _, after = rest.partition(END)
    page.write_text(f"{before}{START}\n{campaign_table(campaign_numbers())}\n{END}{after}", encoding="utf-8")


NEARLY_ALIKE = """## The interval of a difference where versions nearly agree

The tables above were measured with the interval of the difference that stood here before; its column "difference held"
and the widths behind it are not of the one shown today, which is Tango's of the inputs where the predictions differ. These
are: 60 labels by rrs judge the next of two made versions of 3,000 inputs, in 100 campaigns each (a share of 95% is known
to ± 4 points). "Allowed" is the width that the predictions alone leave possible: the interval never exceeds it. Made by
`python -m research.studies.version_campaigns differences sparse rrs 100 60`, before and after.

| versions differ on | held before, % | now, % | width before, points | now | widest before | now | allowed |
| --- | ---: | ---: | ---: | ---: | ---: | ---: | ---: |
| 145 inputs, most of them where the old one fails | 97 | 100 | 7.53 | 6.52 | 11.75 | 9.67 | 9.67 |
| 145 inputs, anywhere | 92 | 99 | 9.74 | 7.47 | 21.19 | 9.67 | 9.67 |
| 40 inputs, most of them where the old one fails | 61 | 100 | 3.51 | 2.37 | 9.76 | 2.67 | 2.67 |

On versions that differ more it is wider than before: the letters' "ten typefaces" judges "six typefaces", 642 of its
inputs apart, with 200 labels by rrs in 25 campaigns: 4.22 points for 3.71, both held in all of them, the error is 0.73 as
it was. That is one pair; the others have not been measured again.

So few labels say little about so few inputs: with 40 the interval is nearly all that is possible, and only labels among
the inputs that differ (a top-up for the difference) narrow it. The estimate itself is what it was, but for values that the
labels rule out, which are moved to the nearest possible one.
"""


def cells(one: Reused) -> tuple[list[str], list[str]]:
    """The rows of both tables."""
    found = kept(one.row)
    it = pooled(one.pairs, found)
    name = [CALLED[one.subjects], one.technique, f"{len(found):,}"]

    def share(value: float) -> str:
        return f"{100 * value:.1f} ± {200 * scatter_of_share(value, len(found)):.1f}"

    worst = f"{it.worst[0]:.2f} ± {2 * it.worst[1]:.2f} ({it.worst_pair})"
    first = [
        *name,
        f"{it.ratio:.3f}",
        worst,
        f"{it.above[0]}",
        f"{it.difference_ratio:.3f}",
        f"{it.worst_difference:.2f}",
    ]
    outside = f"{100 * it.over:.1f}, {100 * it.under:.1f}"
    held = [share(it.held), outside, share(it.always_held), share(it.difference_held), f"{100 * it.width:.2f}"]
    return first, [*name, *held]


def write_reused_labels(here: Path) -> None:
    """Writes reused-labels.md, or says which campaigns it lacks and leaves it as it is."""
    lacking = [one.row.name for one in reused_rows() if len(kept(one.row)) < 2 * len(one.pairs)]
    if lacking:
        print(
            f"reused-labels.md stays as it is: {KEPT} has no two campaigns of each pair of versions for {'; '.join(lacking)}. "
            f"To run them: python -m research.studies.many_campaigns run SECONDS CAMPAIGNS reused mnist"
        )
        return
    write_page(here / "reused-labels.md", page())


def page() -> Iterator[str]:
    """Its sections."""
    rows = [cells(one) for one in reused_rows()]
    yield "# Old labels for a new version"
    yield ""
    yield (
        f"{LABELS} labels were drawn for one version and judge another one, without a new label ([decision "
        "74](../decisions/0074-label-once-judge-every-version.md)). The goals were a mean error of at most 0.70 of "
        f"simple random sampling's with {LABELS} fresh labels, no pair above 1.0, and 95% intervals that hold in 93 "
        f"to 97% of 2,000 campaigns, pooled. Made by `research/studies/campaign_pages.py` from the "
        "campaigns of `research/studies/many_campaigns.py`; ± is two standard errors, pairs take turns."
    )
    yield ""
    yield "## How exact"
    yield ""
    yield (
        "Root mean squared error over that of simple random sampling, which is exact: of the accuracy, and of the difference "
        "between the two versions, there over as many inputs drawn at random and judged for both. The largest of many noisy "
        "ratios is larger than the truth, so the pairs that are worst have campaigns of their own, with other samples."
    )
    yield ""
    heads = (
        "pairs",
        "labels by",
        "campaigns",
        "ratio, mean",
        "worst pair",
        "pairs above 1",
        "difference, mean",
        "worst",
    )
    yield table(heads, (first for first, _ in rows))
    yield "## How often the intervals hold"
    yield ""
    yield (
        "In % of all campaigns: the ordinary 95% interval; the true failure rate above it, and below it; the stop-safe one; "
        "that of the difference. The mean width of the ordinary one is in percentage points."
    )
    yield ""
    heads = ("pairs", "labels by", "campaigns", "held", "above, below", "stop-safe held", "difference held", "width")
    yield table(heads, (second for _, second in rows))
    yield NEARLY_ALIKE


if __name__ == "__main__":
    write_fewer_labels(STUDIES)
    write_reused_labels(STUDIES)
