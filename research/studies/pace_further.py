"""PACE beyond its questions: top-n accuracy, to 1,000 inputs, CSS by surprise, adversarial inputs."""

from research.studies.pace_accuracy import error_table
from research.studies.pace_numbers import Page, numbers
from research.studies.pace_published import ATTACKS as PUBLISHED_ATTACKS
from research.studies.pace_published import BIM_ACCURACY, GAINS, TABLE_12
from research.studies.pace_runs import BESIDE, BUDGETS, LARGE, REPETITIONS, TOP, Line, as_published
from research.studies.pace_subjects import ATTACKED, ATTACKS, EPSILON, LAST, NETWORKS, STEPS, SURPRISED
from research.studies.page_text import table


def top_classes(page: Page) -> str:
    """Top-n accuracy."""
    rows = []
    for name in NETWORKS:
        for top in TOP:
            accuracy = 100 * (1 - page.losses(name, top).mean())
            lines = [Line(name, "pace"), as_published(name)]
            lines += [Line(name, technique, repetitions=REPETITIONS) for technique in BESIDE]
            rows.append([f"{name}, top {top}", f"{accuracy:.2f}", *(f"{page.mean(line, top):.2f}" for line in lines)])
    said = " and ".join(f"{gain:.0f} %" for gain in GAINS["top-5"])
    return f"""## Top-n accuracy

The same inputs, right when the true class is among the n most probable; mean error over the budgets. The paper's Table
9, top 5 of ImageNet's 1,000 classes: PACE {said} better than SRS.

{table(["subject", "accuracy, %", "pace", "pace, as published", *BESIDE], rows)}"""


def larger(page: Page) -> str:
    """To n = 1,000."""
    rows = []
    for name in NETWORKS:
        for words, line in (
            ("pace", Line(name, "pace", budgets=LARGE)),
            ("pace, as published", as_published(name, LARGE)),
            *((one, Line(name, one, repetitions=REPETITIONS, budgets=LARGE)) for one in BESIDE),
        ):
            rows.append([f"{name}: {words}", *numbers(page.rms(line))])
    said = " and ".join(f"{gain:.0f} %" for gain in GAINS["large"])
    return f"""## To 1,000 inputs

The paper's Table 10, ImageNet: PACE {said} better than SRS.

{table(["error at n =", *(f"{n:,}" for n in LARGE), "mean"], rows)}"""


def surprise(page: Page) -> str:
    """Table 12."""
    rows = []
    for name in SURPRISED:
        for score in ("lsa", "dsa", "confidence"):
            line = Line(name, "css", auxiliary=score, repetitions=REPETITIONS)
            rows.append([f"{name}: css by {score}", *numbers(page.rms(line))])
        rows.append([f"{name}: CSS-COV, paper", *numbers(TABLE_12[name])])
    return f"""## CSS by surprise (Table 12)

CSS with likelihood-based (lsa) or distance-based (dsa) surprise in confidence's place, from the 60,000 training images.
The paper does not say which of the two its CSS-COV takes.

{table(["error at n =", *map(str, BUDGETS), "mean"], rows)}"""


def attacks(page: Page) -> str:
    """FGSM and BIM."""
    bim, fgsm = (f"{100 * (1 - page.losses(name).mean()):.2f}" for name in ATTACKS)
    tables = "\n".join(error_table(page, name, PUBLISHED_ATTACKS[name]) for name in ATTACKS)
    return f"""## Adversarial inputs

5,000 test images as they are and 5,000 others moved up the gradient of {ATTACKED}'s loss, by at most {EPSILON} of a
pixel's range: FGSM in one step, BIM in {STEPS}. The accuracy is {bim} % under BIM (the paper's own set:
{100 * BIM_ACCURACY:.2f} %) and {fgsm} % under FGSM. The paper's figures for BIM are of another such set (row 18); those
for FGSM of ResNet-20 over CIFAR-10 (Table 11), so only their order can be compared.

{tables}
{order(page)}"""


def order(page: Page) -> str:
    """How the program's slip makes the order of the file matter."""
    rows = []
    for words, name in (("in random order", "BIM"), ("attacked inputs last", LAST)):
        rows.append([f"pace, {words}", *numbers(page.rms(Line(name, "pace")))])
        rows.append([f"pace as published, {words}", *numbers(page.rms(as_published(name)))])
    return f"""As published, the inputs of the minority space are the last ones of the file, so its order decides: the
same inputs under BIM in random order, as above, and with the attacked ones at the end:

{table(["error at n =", *map(str, BUDGETS), "mean"], rows)}"""
