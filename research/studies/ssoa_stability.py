"""SSOA's RQ4 and RQ5: up to 4,000 labels beside PACE, and on images that were changed."""

import numpy as np

from research.studies.jobs import SHIFTED, SSOA, SSOA_BUDGETS, STABILITY
from research.studies.lenets import MODELS
from research.studies.page_text import points, table
from research.studies.results import Results, srs_error
from research.studies.ssoa_errors import TRAINED, WORDS, base, exact, gain, oracle, pace_error, phase_errors
from research.studies.study_subjects import losses_of


def stability(results: Results) -> str:
    """RQ4: to 4,000 labels beside PACE."""
    rows, rises = [], {}
    for model in MODELS:
        for budget in STABILITY:
            paces = [pace_error(results, model, budget, variant) for variant in (None, "as published")]
            rows.append(
                [
                    f"{model}, n = {budget}",
                    points(srs_error(model, budget)),
                    points(exact(model, "ssoa-r-t", budget)),
                    points(exact(model, "ssoa-c-t", budget)),
                    points(exact(model, "rrs", budget)),
                    *map(points, paces),
                ]
            )
        for variant in (None, "as published"):
            line = [pace_error(results, model, budget, variant) for budget in STABILITY]
            rises[model, variant] = int((np.diff(line) > 0).sum())
    steps = "; ".join(
        f"{model}{', as published' if variant else ''}: {count} of {len(STABILITY) - 1} steps"
        for (model, variant), count in rises.items()
    )
    tables = [
        [subject, *(points(oracle(subject, kind, budget)) for kind in "rc" for budget in (200, 1000, 4000))]
        for subject in ("D", "G", "CN12")
    ]
    return f"""## RQ4: stability, to 4,000 labels

RMSE in points; exact but for pace, which chooses the same inputs with every seed, so that its error is one number
(LeNet-1's 588 hidden numbers reduced to 8, as PACE's authors do).

{table(["", "srs", "ssoa-r-t", "ssoa-c-t", "rrs", "pace", "pace, as published"], rows)}
![error to 4,000 labels](stability.svg)

As the paper finds: the errors of sampling fall with every step; pace's rises with more labels ({steps}). Its error can
be far below sampling's at one budget, and nothing shows at which. On the tables the oracles fall just so (points at n =
200, 1,000 and 4,000):

{table(["", *(f"{word}, {n}" for word in WORDS.values() for n in ("200", "1,000", "4,000"))], tables)}"""


def shifted(results: Results) -> str:
    """RQ5: half the test images changed."""
    rows = []
    for subject in SHIFTED:
        model = subject.split(" with ")[0]
        losses = losses_of(subject)
        line = [subject, f"{1 - losses.mean():.3f}"]
        worse = np.mean(np.array(base(subject)) / np.array(base(model)))
        line.append(f"{worse:.2f}")
        for name in SSOA:
            line.append(f"{gain(phase_errors(results, subject, name), base(subject)):.1f}")
        for name in (*TRAINED, "css", "rrs"):
            line.append(f"{gain([exact(subject, name, budget) for budget in SSOA_BUDGETS], base(subject)):.1f}")
        line.append(f"{gain([oracle(subject, 'c', budget) for budget in SSOA_BUDGETS], base(subject)):.1f}")
        rows.append(line)
    head = [
        "5,000 images of 10,000 changed",
        "accuracy",
        "srs's error, times unchanged",
        "ssoa-r-p",
        "ssoa-c-p",
        "ssoa-r-t",
        "ssoa-c-t",
        "css",
        "rrs",
        "oracle, clusters",
    ]
    clusters_better = sum(
        gain(phase_errors(results, subject, "ssoa-c-p"), base(subject))
        > gain(phase_errors(results, subject, "ssoa-r-p"), base(subject))
        for subject in SHIFTED
    )
    return f"""## RQ5: inputs that differ from the training set

The paper leaves 5,000 test inputs as they are and attacks the other 5,000. Here these are changed by noise (standard
deviation 90 of 255 grey levels), rotation (30 degrees), brightness (+120) or blur (1.7 pixels): what happens without an
attacker. Gains over srs on the same images, percent, exact; the T variants take the unchanged training images:

{table(head, rows)}
![error over that of srs on shifted images](shift.svg)

Errors are higher than on the unchanged images wherever the accuracy falls, as the paper finds. Strata by clusters are
better than by rule in {clusters_better} of {len(SHIFTED)}; the paper takes clusters to be the proper choice. The T
variants stay unbiased, however wrong the training images' spreads are: a wrong allocation costs precision only. The
confidence still orders the inputs, which is all that rrs needs.
"""
