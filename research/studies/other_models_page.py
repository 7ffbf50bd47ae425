"""What other models' predictions save, and what learning from the class saves: errors at 200 labels, for docs/studies."""

import tempfile
from collections.abc import Iterator
from functools import cache
from pathlib import Path

import numpy as np

from research.methods.exact import exact_error
from research.studies.numbers import campaign_numbers
from research.studies.study_subjects import _said, data_folder, inputs_of
from testimate.core.inputs import Inputs, OtherModel
from testimate.core.selector import Request
from testimate.demos.comparison_models import NINE, glyph_outputs
from testimate.demos.glyphs import open_glyphs
from testimate.feature_cache import FeatureCache
from testimate.planning.known_inputs import known_inputs
from testimate.planning.needs import COMBINED
from testimate.planning.other_models import with_others
from testimate.subjects.other_predictions import read_other
from testimate.tasks.classification import Classification

LABELS = 200

SAYS = {"D": "deepsample/modelE_says_of_D.csv.gz", "G": "deepsample/modelH_says_of_G.csv.gz"}
BETTER, WORSE = (NINE[2].name, NINE[6].name), (NINE[4].name,)


def other_of(subject: str) -> OtherModel:
    """The model E on D's inputs, or H on G's."""
    file = data_folder() / SAYS[subject]
    return read_other(file, inputs_of(subject), name=file.name)


@cache
def letters() -> Inputs:
    """The letters of the demo, read by its network."""
    with tempfile.TemporaryDirectory() as folder:
        return known_inputs(open_glyphs(Path(folder)), FeatureCache(Path(folder)), roles=(), auxiliary=())


@cache
def lenet(name: str) -> Inputs:
    """A network of the PACE authors over MNIST's test images."""
    with np.load(data_folder() / "mnist" / "mnist.npz") as mnist:
        said = _said(data_folder() / "pace" / f"{name}.h5", mnist["x_test"], mnist["y_test"], features=False)
    return Inputs(
        fingerprint=name,
        task=Classification(tuple(map(str, range(10)))),
        predictions=said["predictions"],
        confidence=1 - said["score"],
        scores={"confidence": said["score"]},
        losses=said["losses"],
    )


def helped() -> Iterator[tuple[str, Inputs, list[OtherModel]]]:
    """What is measured: a name, the inputs without others, and the others."""
    for subject in SAYS:
        inputs, other = inputs_of(subject), other_of(subject)
        mixed = np.random.default_rng(1).permutation(len(inputs))
        assert other.confidence is not None
        shuffled = OtherModel("shuffled", other.predictions[mixed], other.confidence[mixed])
        name = {"D": "E", "G": "H"}[subject]
        yield f"{subject} with {name}", inputs, [other]
        yield f"{subject} with {name}, predictions alone", inputs, [OtherModel(name, other.predictions, None)]
        yield f"{subject} with {name}, its rows shuffled", inputs, [shuffled]
    nine = {model.name: OtherModel(model.name, *glyph_outputs(model.name)) for model in NINE}
    yield "letters with two good others", letters(), [nine[name] for name in BETTER]
    yield "letters with one of few letters (5 points worse)", letters(), [nine[name] for name in WORSE]
    yield "letters with P learned as B (11 points worse)", letters(), [nine[NINE[7].name]]
    yield "letters with one labeled in a hurry (6 points worse)", letters(), [nine[NINE[8].name]]


def spread(inputs: Inputs) -> float:
    """The exact error of simple random sampling."""
    found = exact_error(inputs, Request("srs", LABELS, 1))
    assert found is not None
    return found


def row_of_others(name: str, inputs: Inputs, others: list[OtherModel]) -> str:
    """A line of the first table."""
    both, srs, found = with_others(inputs, others), spread(inputs), campaign_numbers()
    lists = [
        exact_error(one, Request("rrs", LABELS, 1, auxiliary, options={"even_share": share}))
        for one, auxiliary, share in ((inputs, "confidence", 0.5), (both, COMBINED, 0.5), (both, COMBINED, 0.3))
    ]
    alone, helped_by = found[f"alone {name.split()[0]}"], found[f"error {name}"]
    scatter = 2 * max(alone["scatter"], helped_by["scatter"])
    numbers = [f"{each / srs:.3f}" for each in lists if each is not None]
    numbers += [f"{alone['error']:.3f}", f"{helped_by['error']:.3f}", f"{scatter:.4f}"]
    campaigns = f"{min(alone['campaigns'], helped_by['campaigns']):.0f}"
    came = f"{round(100 * (1 - (helped_by['error'] / alone['error']) ** 2))}%"
    return f"| {name} | {' | '.join(numbers)} | {campaigns} | {came} |"


PAPERS = ("sups", "rhc-s", "2-ups", "ssrs")
"""Techniques of the papers that follow an auxiliary variable and whose error has a formula."""


def row_of_lists(name: str, inputs: Inputs, others: list[OtherModel]) -> str:
    """A line of the second table."""
    both, srs = with_others(inputs, others), spread(inputs)
    cells = []
    for technique in PAPERS:
        pair = [exact_error(both, Request(technique, LABELS, 1, one)) for one in ("confidence", COMBINED)]
        cells.append(" -> ".join("–" if error is None else f"{error / srs:.2f}" for error in pair))
    return f"| {name} | {' | '.join(cells)} |"


def row_of_classes(name: str) -> str:
    """A line of the third table."""
    before, now = campaign_numbers()[f"alone score {name}"], campaign_numbers()[f"alone {name}"]
    campaigns = f"{min(before['campaigns'], now['campaigns']):.0f}"
    return f"| {name} | {before['error']:.3f} | {now['error']:.3f} | {2 * now['scatter']:.4f} | {campaigns} |"


NETWORKS = ("D", "G", "CN12", "letters", "LeNet-1", "LeNet-5", "mutant1")
BROKEN = "mutant1"


def mean_of_classes() -> str:
    """The last line of the third table: networks whose classes were not exchanged."""
    means = [
        np.mean([campaign_numbers()[f"{row}{name}"]["error"] for name in NETWORKS if name != BROKEN])
        for row in ("alone score ", "alone ")
    ]
    return f"| mean without {BROKEN} | {means[0]:.3f} | {means[1]:.3f} | | |"


def write(here: Path) -> None:
    """Writes other-models.md, from the numbers that ``many_campaigns`` keeps and from formulas."""
    every = list(helped())
    first = [row_of_others(*one) for one in every]
    second = [row_of_lists(*one) for one in every]
    third = [row_of_classes(name) for name in NETWORKS]
    page = "\n".join([*HEAD, *first, "", *LISTS, *second, "", *MIDDLE, *third, mean_of_classes(), ""])
    (here / "other-models.md").write_text(page, encoding="utf-8")


HEAD = (
    "# Other models and whole classes",
    "",
    f"Root mean squared errors with {LABELS} labels, as parts of simple random sampling's, which is exact. Stratification in",
    "rounds (rrs) has an exact error too. For adaptive rounds (rra) each campaign gives the exact variance of each round",
    "it drew, so that some hundred campaigns give the error to within the ± in the table, two standard errors; both estimates",
    "are exactly unbiased. The campaigns are run by `research/studies/many_campaigns.py`, their numbers are in",
    "[campaigns.json](numbers/campaigns.json), and this page is made by `research/studies/other_models_page.py`. What follows",
    "from it is in [decision 60](../decisions/0060-other-models.md).",
    "",
    "## Other models' predictions",
    "",
    "E and H are other networks for the data of D and G. The tested network of the letters is right on 97%, better than",
    "each of the others, and they doubt the same inputs: its own confidence knows most of what they do. Saved: the share of",
    "the labels that rra needs less with them for the same error. What they save until an interval is narrow enough differs",
    "([decision 145](../decisions/0145-a-range-beside-the-forecast.md)).",
    "",
    "| | rrs alone | rrs with them | rrs, even share 0.3 | rra alone | rra with them | ± | campaigns | saved |",
    "|---|---|---|---|---|---|---|---|---|",
)
LISTS = (
    "## Their combined chance as auxiliary variable of the papers' techniques",
    "",
    "Every technique that follows an auxiliary variable can follow the chance of failure that the other models and the",
    "network's own confidence give together. Exact errors, with confidence -> with the combined chance. PACE chooses by",
    "features and follows no such variable ([decision 60](../decisions/0060-other-models.md)).",
    "",
    f"| | {' | '.join(PAPERS)} |",
    f"|---|{len(PAPERS) * '---|'}",
)
MIDDLE = (
    "## From the score alone, and from all that is known",
    "",
    "Without other models rra learns from the predicted class and its share of the predictions, and from DSA and LSA where",
    "they are there and do not give the answers away. mutant1 is sure and wrong about whole classes (PACE). The labels",
    "show how much the classes differ.",
    "",
    "| | the score alone | all that is known | ± | campaigns |",
    "|---|---|---|---|---|",
)
