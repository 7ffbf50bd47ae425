"""The page on LaF with texts and source code: twenty models that say which library a function is of, by its code or docstring.

The functions are those of this project's dependencies, 10 classes and thousands of inputs; nothing is run, only parsed.
"""

import ast
import importlib.util
import json
from dataclasses import dataclass
from pathlib import Path
from typing import Any

import numpy as np
from numpy.typing import NDArray

from research.studies.label_free import dawid_skene, one_coin
from research.studies.page_text import table, write_page
from research.studies.study_subjects import kept_folder
from testimate.comparison.predictions import Predictions
from testimate.comparison.ranking import (
    FIRST,
    accuracies,
    labeling_free,
    majority_agreement,
    rank_agreement,
    rows_to_label,
)

LIBRARIES = ("numpy", "scipy", "sklearn", "pandas", "matplotlib", "torch", "streamlit", "keras", "PIL", "h5py")
"""The classes, by the name of the library's package."""

MOST = 400
"""Functions of each library, drawn at random."""

TRAINING = 0.5
SHORTEST, LONGEST = 40, 1500
"""Letters of a text: shorter ones are left out, longer ones cut."""

SEED = 2026


@dataclass(frozen=True)
class Reader:
    """A model: what it counts, what learns from it, and how much of the training set it saw."""

    name: str
    words: str
    features: int
    learner: str
    share: float


READERS = tuple(
    Reader(f"{learner}, {words}, {features} features, {round(100 * share)}%", words, features, learner, share)
    for learner, words, features, share in (
        ("logistic", "word", 4000, 1.0),
        ("logistic", "word", 300, 1.0),
        ("logistic", "word", 40, 1.0),
        ("logistic", "char", 2000, 1.0),
        ("logistic", "word", 4000, 0.05),
        ("logistic", "word", 12, 1.0),
        ("bayes", "word", 4000, 1.0),
        ("bayes", "word", 300, 1.0),
        ("bayes", "char", 2000, 1.0),
        ("bayes", "word", 40, 1.0),
        ("bayes", "word", 4000, 0.02),
        ("centroid", "word", 4000, 1.0),
        ("centroid", "word", 100, 1.0),
        ("centroid", "char", 500, 0.1),
        ("neighbors", "word", 1000, 1.0),
        ("neighbors", "word", 100, 0.2),
        ("tree", "word", 1000, 1.0),
        ("tree", "word", 1000, 0.1),
        ("stump", "word", 1000, 1.0),
        ("logistic", "char", 60, 0.05),
    )
)
"""Twenty, as many as the paper has for Amazon, Java250 and C++1000; from good to poor, so that their accuracies differ."""


KINDS = ("code", "texts", "code of tests")
"""Functions without their docstrings; the docstrings; functions in folders of tests, predicted by models of the others."""

FUNCTIONS = 20 * MOST
"""Of a library with more, those of its first files by name are taken."""


def texts_of(library: str, kind: str) -> list[str]:
    """Functions of a library, or what their docstrings say, drawn at random."""
    found: list[str] = []
    spec = importlib.util.find_spec(library)
    assert spec is not None
    assert spec.origin is not None
    folder = Path(spec.origin).parent
    for file in sorted(folder.rglob("*.py")):
        if ("tests" in file.relative_to(folder).parts) == (kind == "code of tests") and len(found) <= FUNCTIONS:
            found += _functions(file, docstrings=kind == "texts")
    rows = np.random.default_rng(SEED).permutation(len(found))[:MOST]
    return [found[row] for row in sorted(rows)]


def _functions(file: Path, *, docstrings: bool) -> list[str]:
    try:
        tree = ast.parse(file.read_text(encoding="utf-8"))
    except (SyntaxError, UnicodeDecodeError):
        return []
    found = []
    for node in ast.walk(tree):
        if isinstance(node, ast.FunctionDef | ast.AsyncFunctionDef):
            docstring = ast.get_docstring(node)
            if not docstrings and docstring is not None:
                node.body = node.body[1:] or [ast.Pass()]
            said = docstring or "" if docstrings else ast.unparse(node)
            if len(said) >= SHORTEST:
                found.append(said[:LONGEST])
    return found


def read(kind: str) -> tuple[dict[str, NDArray[np.intp]], NDArray[np.intp]]:
    """What each model predicts for the half that none has seen, or for tests, and the truth, (n,), as places in LIBRARIES."""
    texts, labels = _mixed("code" if kind == "code of tests" else kind)
    cut = int(TRAINING * len(texts))
    others, truth = _mixed(kind) if kind == "code of tests" else (texts[cut:], labels[cut:])
    return {one.name: _predicted_by(one, texts[:cut], labels[:cut], others) for one in READERS}, truth


def _mixed(kind: str) -> tuple[list[str], NDArray[np.intp]]:
    words, truth = [], []
    for place, library in enumerate(LIBRARIES):
        own = texts_of(library, kind)
        words += own
        truth += [place] * len(own)
    order = np.random.default_rng(SEED).permutation(len(words))
    return [words[row] for row in order], np.array(truth, dtype=np.intp)[order]


def _predicted_by(reader: Reader, texts: list[str], labels: NDArray[np.intp], others: list[str]) -> NDArray[np.intp]:
    from sklearn.feature_extraction.text import CountVectorizer, TfidfTransformer
    from sklearn.linear_model import LogisticRegression
    from sklearn.naive_bayes import MultinomialNB
    from sklearn.neighbors import KNeighborsClassifier, NearestCentroid
    from sklearn.pipeline import make_pipeline
    from sklearn.tree import DecisionTreeClassifier

    learners = {
        "logistic": lambda: LogisticRegression(C=5.0, max_iter=200),
        "bayes": lambda: MultinomialNB(alpha=0.1),
        "centroid": NearestCentroid,
        "neighbors": lambda: KNeighborsClassifier(5),
        "tree": lambda: DecisionTreeClassifier(max_depth=12, random_state=SEED),
        "stump": lambda: DecisionTreeClassifier(max_depth=2, random_state=SEED),
    }
    seen = max(int(reader.share * len(texts)), 40)
    counted = CountVectorizer(
        analyzer="char_wb" if reader.words == "char" else "word",
        ngram_range=(3, 3) if reader.words == "char" else (1, 1),
        max_features=reader.features,
    )
    model = make_pipeline(counted, TfidfTransformer(sublinear_tf=True), learners[reader.learner]())
    model.fit(texts[:seen], labels[:seen])
    return np.asarray(model.predict(others), dtype=np.intp)


WITHOUT = ("laf", "majority", "one-coin", "dawid-skene")
WITH = ("sds", "ces", "random")
BUDGETS = (30, 60, 90, 120, 150, 180)
REPETITIONS = 20
MEASURES = ("spearman", "kendall", *(f"jaccard@{k}" for k in FIRST))
BEST, WORST, FEW = 10, 10, 3

HIGH_QUALITY, HIGH_DIVERSITY, GOOD = 0.50, 0.18, 0.7
"""The paper's limits: mean accuracy of the models, its standard deviation, and a correlation that is good."""

STUDIES = Path(__file__).parents[2] / "docs" / "studies"


def write(here: Path) -> None:
    """Runs what is missing and writes laf-texts-and-code.md."""
    kept = kept_folder() / "laf_texts.json"
    found: dict[str, Any] = json.loads(kept.read_text()) if kept.exists() else {}
    for kind in KINDS:
        if kind not in found:
            found[kind] = _measured(kind)
            kept.write_text(json.dumps(found))
            print(kind, flush=True)
    write_page(here / "laf-texts-and-code.md", [_page(found)])


def _measured(kind: str) -> dict[str, Any]:
    """The accuracies, and each subset of models with the measures of every ranking."""
    labels, truth = _predicted(kind)
    accuracy = (labels == truth).mean(axis=1)
    order = np.argsort(-accuracy, kind="stable")
    subsets = {
        "all": np.arange(len(labels)),
        f"the best {BEST}": np.sort(order[:BEST]),
        f"the worst {WORST}": np.sort(order[-WORST:]),
        "every other one": np.sort(order[::2]),
        f"the best {BEST} and the worst {FEW}": np.sort(np.append(order[:BEST], order[-FEW:])),
    }
    return {
        "inputs": len(truth),
        "accuracy": accuracy.tolist(),
        "subsets": {name: _of(labels[models], truth, models) for name, models in subsets.items()},
    }


def _predicted(kind: str) -> tuple[NDArray[np.intp], NDArray[np.intp]]:
    """What each model predicts, (M, N), and the truth, (N,)."""
    file = kept_folder() / f"laf_texts_{kind.replace(' ', '_')}.npz"
    if not file.exists():
        predicted, truth = read(kind)
        np.savez(file, labels=np.stack(list(predicted.values())), truth=truth)
    with np.load(file) as known:
        return known["labels"], known["truth"]


def _of(labels: NDArray[np.intp], truth: NDArray[np.intp], models: NDArray[np.intp]) -> dict[str, Any]:
    predictions = Predictions(tuple(READERS[model].name for model in models), labels.T, LIBRARIES)
    accuracy = accuracies(predictions, truth)
    hard = np.eye(len(LIBRARIES))[labels]
    scores = {
        "laf": labeling_free(predictions).ability,
        "majority": majority_agreement(predictions),
        "one-coin": one_coin(hard),
        "dawid-skene": dawid_skene(hard),
    }
    return {
        "quality": float(accuracy.mean()),
        "diversity": float(accuracy.std()),
        "lost": {name: float(accuracy.max() - accuracy[score.argmax()]) for name, score in scores.items()},
        "measures": {name: _measures(score, accuracy) for name, score in scores.items()}
        | {technique: _campaigns(predictions, truth, technique) for technique in WITH},
    }


def _campaigns(predictions: Predictions, truth: NDArray[np.intp], technique: str) -> list[float]:
    """Mean measures over budgets and repetitions."""
    accuracy, found = accuracies(predictions, truth), []
    for seed in range(REPETITIONS):
        rows = rows_to_label(predictions, technique, BUDGETS[-1], seed)
        found += [_measures(accuracies(predictions, truth, rows[:budget]), accuracy) for budget in BUDGETS]
    return [float(mean) for mean in np.mean(found, axis=0)]


def _measures(score: NDArray[np.float64], accuracy: NDArray[np.float64]) -> list[float]:
    agreement = rank_agreement(score, accuracy)
    return [agreement.spearman or 0.0, agreement.kendall or 0.0, *(agreement.jaccard[k] for k in FIRST)]


def _page(found: dict[str, Any]) -> str:
    sections = [_head(found)]
    for kind, own in found.items():
        rows = [
            [ranking, *(f"{value:.2f}" for value in own["subsets"]["all"]["measures"][ranking])]
            for ranking in (*WITHOUT, *WITH)
        ]
        sections.append(f"## All {len(READERS)} models on {kind}\n\n{table(['ranking', *MEASURES], rows)}")
    return "\n".join([*sections, _quality(found)])


def _head(found: dict[str, Any]) -> str:
    kinds = [
        f"{kind}: {own['inputs']:,} inputs, accuracies {100 * min(own['accuracy']):.0f} to {100 * max(own['accuracy']):.0f}%"
        for kind, own in found.items()
    ]
    return f"""# LaF on texts and source code

Made by `make study`; no number measured here is typed by hand, and each depends a little on the versions of the libraries
that are installed. LaF's authors rank models of reviews (Amazon) and of programs (Java250, C++1000), which are not available.
Here twenty small models of scikit-learn say which of {len(LIBRARIES)} libraries ({", ".join(LIBRARIES)}) a Python function is
of: from its code without the docstring, or from the docstring alone. At most {MOST} functions of each library; the models
learn from one half, are ranked on the other. The third set is a natural shift: the functions in the libraries' folders of
tests, predicted by the models of the other code. Nothing of the code is run.

The models differ in what they count (words, letters in threes), how many of those (12 to 4,000), what learns (logistic
regression, Bayes, centroids, neighbors, trees) and how much they saw (2 to 100%). {"; ".join(kinds)}. SDS, CES and
random: means
over {BUDGETS[0]} to {BUDGETS[-1]} labels and {REPETITIONS} repetitions.
"""


def _quality(found: dict[str, Any]) -> str:
    rows, cells = [], []
    for kind, own in found.items():
        for name, subset in own["subsets"].items():
            spearman = {ranking: subset["measures"][ranking][0] for ranking in (*WITHOUT, *WITH)}
            rows.append(
                [
                    f"{kind}, {name}",
                    f"{100 * subset['quality']:.0f}",
                    f"{100 * subset['diversity']:.0f}",
                    *(f"{value:.2f}" for value in spearman.values()),
                    f"{100 * subset['lost']['laf']:.1f}",
                ]
            )
            high = subset["quality"] >= HIGH_QUALITY and subset["diversity"] >= HIGH_DIVERSITY
            cells.append((high, spearman))
    both = [spearman["laf"] for high, spearman in cells if high]
    other = [spearman["laf"] for high, spearman in cells if not high]
    ahead = {
        ranking: sum(spearman[ranking] > spearman["laf"] + 1e-9 for _, spearman in cells)
        for ranking in ("majority", "one-coin", "dawid-skene")
    }
    behind = {
        ranking: sum(spearman[ranking] < spearman["laf"] - 1e-9 for _, spearman in cells)
        for ranking in ("majority", "one-coin", "dawid-skene")
    }
    means = {ranking: float(np.mean([spearman[ranking] for _, spearman in cells])) for ranking in (*WITHOUT, *WITH)}
    best = max(WITHOUT, key=lambda ranking: means[ranking])
    compared = ", ".join(f"{name} better in {ahead[name]} and worse in {behind[name]}" for name in ahead)
    beaten = sum(spearman["laf"] > max(spearman[one] for one in WITH) for _, spearman in cells)
    natural = found["code of tests"]["subsets"]["all"]["measures"]
    others = ", ".join(f"{one} {natural[one][0]:.2f}" for one in (*WITHOUT[1:], *WITH))
    good = f"{min(both):.2f} to {max(both):.2f}" if both else "no such set"
    return f"""## Quality and diversity (RQ3)

Quality is the models' mean accuracy, diversity its standard deviation, both in percent; then Spearman's correlation of each
ranking, and by how many points LaF's first model is less accurate than the best.

{table(["set", "quality", "diversity", *WITHOUT, *WITH, "lost"], rows)}
Above 50% quality and 18 points of diversity LaF's correlation is {good} ({len(both)} sets); in the others
{min(other):.2f} to {max(other):.2f} ({len(other)} sets), of which {sum(value >= GOOD for value in other)} are at least
{GOOD:g}. LaF is above
the means of SDS, CES and random in {beaten} of {len(cells)} sets. Of the rankings without labels, beside LaF: {compared} of
the sets; {best} has the highest mean, {means[best]:.2f} where LaF has {means["laf"]:.2f} and SDS {means["sds"]:.2f}.

Under the natural shift, on the code of tests, LaF ranks all {len(READERS)} models with a Spearman correlation of
{natural["laf"][0]:.2f}; {others}.
On source code without a shift LaF has {found["code"]["subsets"]["all"]["measures"]["laf"][0]:.2f}, on docstrings
{found["texts"]["subsets"]["all"]["measures"]["laf"][0]:.2f}, and SDS
{found["code"]["subsets"]["all"]["measures"]["sds"][0]:.2f} and {found["texts"]["subsets"]["all"]["measures"]["sds"][0]:.2f};
the paper: 0.96 and 0.95 on Java250 and C++1000, where SDS with 20 labels has 0.82 and 0.79.
"""
