"""The page on agreement: the papers' orders of techniques beside ours, and each published figure beside ours with both errors.

Run by `make study` after the pages it reads, or alone: .venv/bin/python -m research.studies.make_studies ranks
"""

import re
from dataclasses import dataclass
from pathlib import Path

import numpy as np
from scipy.stats import kendalltau, spearmanr

from research.studies.page_text import table, write_page
from research.studies.ssoa import PUBLISHED_GAINS

STUDIES = Path(__file__).parents[2] / "docs" / "studies"

OF_30, OF_50 = 0.13, 0.10
"""Relative standard error of an RMSE of 30 and of 50 repetitions of normal errors: 1 / sqrt(2 R)."""

LONG_TAILS = ("sups", "rhc-s", "2-ups", "deepest")
"""Techniques whose weights are inverse chances: a few draws make the error, so these standard errors are too small."""

PROGRAM = "as published"
BUDGETS = (50, 100, 200, 400, 800)
TABLE_IV = ("all, DeepGini", "all, pattern", "all, DeepAbstr.")

FAR = 2.0

WHY = {
    "sups": "nearly all with a score under which a few inputs weigh thousands: whether one came decides an RMSE of 30",
    "rhc-s": "as sups: a few inputs weigh thousands",
    "2-ups": "as sups, and the program's mean over the clusters met is biased by which clusters they are",
    "deepest": (
        "nearly all with LSA, VAE or SAE, where the threshold decides; with LSA the scripts have another one than the paper, "
        "under which the failures agree, and for VAE and SAE theirs is not known"
    ),
}
"""Why published figures differ from ours by more than twice both errors, by technique."""


@dataclass(frozen=True)
class Figure:
    """One RMSE, ours and published, points; ``own_error`` relative."""

    subject: str
    technique: str
    budget: int
    ours: float
    published: float
    own_error: float

    @property
    def apart(self) -> float:
        """Log of the ratio over the root of the sum of both squared errors."""
        return float(np.log(self.ours / self.published) / np.hypot(OF_30, self.own_error))


def write(here: Path) -> None:
    """Reads the pages in this folder and writes ranks.md."""
    figures = published_figures(here)
    parts = [_head(), _prioritizers(here), _deepsample_orders(here), _pace(here), _ssoa(here), _figures(figures)]
    write_page(here / "ranks.md", parts)


def _head() -> str:
    return """# The papers' orders of techniques, and their figures, beside ours

Made by `make study` from the tables of the other pages; no number measured here is typed by hand. Kendall's tau of two orders
is 1 where every pair is in the same order, 0 where half of them are, and -1 where none is. With three techniques it can be 1,
0.33, -0.33 or
-1 only, and 1 comes by chance once in six.
"""


def cells(line: str) -> list[str]:
    """The cells of a line of a table."""
    return [cell.strip() for cell in line.strip().strip("|").split("|")]


def table_after(text: str, words: str) -> tuple[list[str], list[list[str]]]:
    """Head and rows of the first table after some words."""
    lines = text.split(words, 1)[1].splitlines()
    start = next(place for place, line in enumerate(lines) if line.startswith("|"))
    rows = []
    for line in lines[start:]:
        if not line.startswith("|"):
            break
        rows.append(cells(line))
    return rows[0], rows[2:]


def _tau(ours: list[float], theirs: list[float]) -> float:
    return float(kendalltau(ours, theirs).statistic)


def _prioritizers(here: Path) -> str:
    head, rows = table_after((here / "prioritizers.md").read_text(encoding="utf-8"), "## Faults found by severity")
    published = [row for row in rows if row[0].startswith("published")]
    ours = [row for row in rows if row[0].startswith("ours")]
    severe, moderate = head.index("severe") + 1, head.index("moderate") + 1
    columns = {
        "all faults": [head.index(name) for name in TABLE_IV],
        "severe faults": list(range(severe, severe + 3)),
        "moderate faults": list(range(moderate, moderate + 3)),
    }
    lines = []
    for what, places in columns.items():
        line = [what, _order([float(np.mean([float(row[place]) for row in published])) for place in places])]
        for own in ours:
            taus = [
                _tau([float(own[place]) for place in places], [float(row[place]) for place in places])
                for row in published
            ]
            line.append(f"{np.mean(taus):+.2f} ({_order([float(own[place]) for place in places])})")
        lines.append(line)
    return f"""## Prioritizers (WFDR and SFDR, tables IV and V)

Kendall's tau of our order of the three techniques with each of the eight published ones, mean; in brackets our order. g is
DeepGini, p neuron patterns, a DeepAbstraction; the first finds most within as many labels as faults.

{table(["found", "published, mean", *(row[0].removeprefix("ours: ") for row in ours)], lines)}
mutant1 agrees with nothing, because two of its classes are swapped: in them no training input is right, so patterns and
boxes are unfamiliar with them all. Without it the orders by all faults and by severe ones differ where DeepAbstraction's
boxes do ([why](deepabstraction.md)).
"""


def _order(values: list[float]) -> str:
    return " ".join("gpa"[place] for place in np.argsort(-np.array(values), kind="stable"))


def _line(row: list[str]) -> tuple[list[float], list[float | None]]:
    """Ours and published of the five budgets."""
    found = [re.match(r"([\d.]+)(?: \(([\d.]+)\))?$", cell) for cell in row[1:6]]
    ours = [float(one[1]) for one in found if one]
    return ours, [float(one[2]) if one and one[2] else None for one in found]


def _tables(here: Path) -> dict[str, list[list[str]]]:
    text = (here / "deepsample.md").read_text(encoding="utf-8")
    names = re.findall(r"^\*\*(.+)\*\* \(RMSE", text, re.MULTILINE)
    return {name: table_after(text, f"**{name}** (RMSE")[1] for name in names}


def published_figures(here: Path) -> list[Figure]:
    """Each published RMSE of DeepSample beside that of the same program, or of the technique where both do the same."""
    figures = []
    for subject, rows in _tables(here).items():
        first = subject.endswith("confidence") or subject == "DO, lsa"
        for row in rows if first else rows[1:]:  # srs knows no auxiliary variable, so its figures are the same in all
            ours, theirs = _line(row)
            source = row[-1]
            error = 0.0 if source == "exact" else 1 / np.sqrt(2 * float(source))
            for budget, own, published in zip(BUDGETS, ours, theirs, strict=True):
                if published is not None:
                    technique = row[0].removesuffix(f", {PROGRAM}")
                    figures.append(Figure(subject, technique, budget, own, published, error))
    return figures


def _deepsample_orders(here: Path) -> str:
    rows = []
    for subject, lines in _tables(here).items():
        known = {row[0]: _line(row) for row in lines}
        with_figure = [name for name, (_, theirs) in known.items() if theirs[0] is not None]
        if not with_figure:
            continue
        defined = [name.removesuffix(f", {PROGRAM}") for name in with_figure]
        cells_of = []
        for names in (with_figure, defined):
            taus = [
                _tau([known[name][0][place] for name in names], [known[name][1][place] or 0 for name in with_figure])
                for place in range(len(BUDGETS))
            ]
            cells_of.append(f"{np.mean(taus):.2f} ({min(taus):.2f} to {max(taus):.2f})")
        rho = [
            float(
                spearmanr([known[n][0][p] for n in with_figure], [known[n][1][p] or 0 for n in with_figure]).statistic
            )
            for p in range(len(BUDGETS))
        ]
        rows.append([subject, str(len(with_figure)), *cells_of, f"{np.mean(rho):.2f}"])
    head = [
        "subject, auxiliary variable",
        "techniques",
        "as published, tau",
        "as defined, tau",
        "as published, Spearman",
    ]
    return f"""## DeepSample: techniques by RMSE

Mean over the five budgets, least and most in brackets. "As published" does what the authors' program does; "as defined" is
the paper's text, which is what the product runs.

{table(head, rows)}
Published errors are RMSEs of 30 repetitions; techniques whose errors differ by less than 13% change places by chance.
"""


def _pace(here: Path) -> str:
    text = (here / "pace.md").read_text(encoding="utf-8")
    rows = []
    for name in ("LeNet-1", "LeNet-5", "mutant1", "BIM"):
        lines = {row[0]: float(row[-1].strip("*")) for row in table_after(text, f"\n**{name}**\n")[1]}
        program = next(value for words, value in lines.items() if words.startswith("pace, as published"))
        theirs = [lines["PACE, paper"], *(lines[f"{one}, paper"] for one in ("SRS", "CES", "CSS"))]
        taus = [_tau([own, *(lines[one] for one in ("srs", "ces", "css"))], theirs) for own in (program, lines["pace"])]
        rows.append([name, *(f"{tau:+.2f}" for tau in taus)])
    return f"""## PACE: four techniques by mean error (table 3)

Kendall's tau with the published order of PACE, SRS, CES and CSS; BIM is row 18.

{table(["network", "with PACE as published", "with PACE as defined"], rows)}
"""


def _ssoa(here: Path) -> str:
    rows = table_after((here / "ssoa.md").read_text(encoding="utf-8"), "## RQ1: gains over the baselines")[1]
    gains = {row[0]: float(row[1]) for row in rows}
    names = ("ssoa-r-p", "ssoa-c-p")
    own = [gains[f"CN12: {name}"] for name in names]
    trained = {
        model: [gains[f"{model}: {name}"] for name in ("ssoa-r-t", "ssoa-c-t", "ssoa-r-p", "ssoa-c-p")]
        for model in ("LeNet-1", "LeNet-5")
    }
    theirs = [PUBLISHED_GAINS[name] for name in ("ssoa-r-t", "ssoa-c-t", "ssoa-r-p", "ssoa-c-p")]
    taus = [[model, f"{_tau(values, theirs):+.2f}"] for model, values in trained.items()]
    return f"""## SSOA: four variants by their gain over srs (tables 2 and 3)

Kendall's tau with the published order on S1, which is ssoa-r-p, ssoa-r-t, ssoa-c-t, ssoa-c-p:

{table(["network", "tau"], taus)}
On CN12, where no training set is available, ssoa-r-p gains {own[0]:.1f} and ssoa-c-p {own[1]:.1f}% (published
{PUBLISHED_GAINS["ssoa-r-p"]:.1f} and {PUBLISHED_GAINS["ssoa-c-p"]:.1f}): no difference here. A pre-sample costs labels
that a training set
does not, so the T variants come first here; that a pre-sample gains most is not found on any network.
"""


def _figures(figures: list[Figure]) -> str:
    rows, far = [], [one for one in figures if abs(one.apart) > FAR]
    for technique in dict.fromkeys(one.technique for one in figures):
        own = [one for one in figures if one.technique == technique]
        off = [one for one in own if abs(one.apart) > FAR]
        ratio = float(np.exp(np.median([np.log(one.ours / one.published) for one in own])))
        rows.append([technique, str(len(own)), f"{ratio:.2f}", str(len(off)), _why(technique, len(off), len(own))])
    steady = [one for one in figures if one.technique not in LONG_TAILS]
    beyond = sum(abs(one.apart) > FAR for one in steady)
    worst = sorted(figures, key=lambda one: -abs(one.apart))[:10]
    shown = [
        [
            f"{one.subject}: {one.technique}, n = {one.budget}",
            f"{one.ours:.2f}",
            f"{one.published:.2f}",
            f"{one.apart:+.1f}",
        ]
        for one in worst
    ]
    return f"""## DeepSample's figures beside ours, with both errors

Each published RMSE beside that of the same program here. An RMSE of 30 repetitions carries {100 * OF_30:.0f}% where errors are
normal; ours carries 0 (exact) to 6%. "Far" is more than {FAR:g} times both together, which happens to one in twenty by chance.

{table(["technique", "figures", "ours over published, median", "far", "why"], rows)}
Of {len(figures)} figures {len(far)} are far; of the {len(steady)} of srs, ssrs and gbs {beyond}. The ten that are
farthest, in standard errors
as if errors were normal:

{table(["figure", "ours", "published", "standard errors"], shown)}"""


def _why(technique: str, far: int, count: int) -> str:
    return WHY[technique] if technique in WHY and far > 0.08 * count else "few enough for chance"
