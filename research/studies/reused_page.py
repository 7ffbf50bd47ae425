"""Old labels for a new version, by the thousand campaigns: docs/studies/reused-labels.md.

Run by `make study`, or alone as ``python -m research.studies.reused_page``: writes the page from the campaigns that
``many_campaigns run`` has kept so far of its rows "reused" and "mnist"; it says how many there are of each.
What ``version_campaigns`` measured stands as text.
"""

from collections.abc import Iterator
from pathlib import Path

from research.studies.many_campaigns import KEPT, Reused, kept, reused_rows, scatter_of_share
from research.studies.other_models_page import LABELS
from research.studies.page_text import table, write_page
from research.studies.reused_labels import pooled
from research.studies.study_subjects import STUDIES

CALLED = {
    "letters": "letters, nine models, 72 ordered pairs",
    "hardest": "labels of the two whose labels say least, 16 pairs, other samples",
    "mnist": "MNIST, LeNet-1 and LeNet-5, 2 pairs",
}


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
    name = [CALLED[one.subjects], one.technique, f"{len(found):,}".replace(",", "\N{THIN SPACE}")]

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


def write(here: Path) -> None:
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
        f"to 97% of 2\N{THIN SPACE}000 campaigns, pooled. Made by `research/studies/reused_page.py` from the "
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
    write(STUDIES)
